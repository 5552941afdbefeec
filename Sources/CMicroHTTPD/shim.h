// libmicrohttpd; its variadic calls are wrapped here, one function per use.
#pragma once
#include <sys/types.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <stddef.h>
#include <stdint.h>
#include <microhttpd.h>

/// What is called when a request line has been read: the target as it was sent. The result is the request's first `con_cls`.
typedef void *_Nullable (*mirror_mhd_target_callback)(void *_Nullable context, const char *_Nonnull target,
                                                      struct MHD_Connection *_Nonnull connection);
/// What is called for a request's head, its body, and its end.
typedef enum MHD_Result (*mirror_mhd_handler)(void *_Nullable context, struct MHD_Connection *_Nonnull connection,
                                              const char *_Nonnull url, const char *_Nonnull method,
                                              const char *_Nonnull version, const char *_Nullable upload,
                                              size_t *_Nonnull upload_size, void *_Nullable *_Nonnull request);
typedef void (*mirror_mhd_completed)(void *_Nullable context, struct MHD_Connection *_Nonnull connection,
                                     void *_Nullable *_Nonnull request, enum MHD_RequestTerminationCode code);
typedef void (*mirror_mhd_connected)(void *_Nullable context, struct MHD_Connection *_Nonnull connection,
                                     void *_Nullable *_Nonnull socket_context,
                                     enum MHD_ConnectionNotificationCode code);

/// Leaves the text alone: targets are decoded by the caller, exactly once.
static inline size_t mirror_mhd_keep_escaped(void *_Nullable context, struct MHD_Connection *_Nullable connection,
                                             char *_Nonnull text) {
  (void)context;
  (void)connection;
  size_t length = 0;
  while (text[length] != 0) length++;
  return length;
}

/// MHD_start_daemon(3) with all the options that a caller of this package sets. `address` decides family and port;
/// `threads` below 2 means one thread. NULL with errno on failure.
static inline struct MHD_Daemon *_Nullable mirror_mhd_start(
    const struct sockaddr *_Nonnull address, unsigned int threads, size_t connection_memory,
    unsigned int connection_limit, void *_Nullable context, mirror_mhd_handler _Nonnull handler,
    mirror_mhd_target_callback _Nonnull target, mirror_mhd_completed _Nonnull completed,
    mirror_mhd_connected _Nonnull connected) {
  unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
  if (address->sa_family == AF_INET6) flags |= MHD_USE_IPv6;
  return MHD_start_daemon(flags, 0, NULL, NULL, (MHD_AccessHandlerCallback)handler, context,
                          MHD_OPTION_SOCK_ADDR, address,
                          MHD_OPTION_URI_LOG_CALLBACK, target, context,
                          MHD_OPTION_NOTIFY_COMPLETED, completed, context,
                          MHD_OPTION_NOTIFY_CONNECTION, connected, context,
                          MHD_OPTION_UNESCAPE_CALLBACK, &mirror_mhd_keep_escaped, NULL,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
                          MHD_OPTION_CONNECTION_LIMIT, connection_limit,
                          MHD_OPTION_THREAD_POOL_SIZE, threads < 2 ? 0u : threads,
                          MHD_OPTION_END);
}

/// The port that the daemon listens on; 0 when it cannot be had.
static inline uint16_t mirror_mhd_port(struct MHD_Daemon *_Nonnull daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info == NULL ? 0 : info->port;
}

/// The connection's socket; -1 when it cannot be had.
static inline int mirror_mhd_socket(struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

/// What the connection callback stored; NULL when nothing.
static inline void *_Nullable mirror_mhd_socket_context(struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}
