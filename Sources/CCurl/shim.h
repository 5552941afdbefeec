// libcurl; its variadic calls are wrapped here, one function per argument type, and one reader for the union in CURLMsg.
// No decisions: each function passes on what it was given and returns libcurl's own code.
#pragma once
#include <curl/curl.h>
#include <stddef.h>

static inline CURLcode ccurl_set_long(void *_Nonnull easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_large(void *_Nonnull easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

// libcurl copies the text, except for CURLOPT_POSTFIELDS.
static inline CURLcode ccurl_set_text(void *_Nonnull easy, CURLoption option, const char *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(void *_Nonnull easy, CURLoption option, void *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_bytes(void *_Nonnull easy, CURLoption option, const void *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_list(void *_Nonnull easy, CURLoption option, struct curl_slist *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

// The bytes are not copied: they must outlive the handle.
static inline CURLcode ccurl_set_ca_pem(void *_Nonnull easy, const void *_Nonnull bytes, size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_NOCOPY};
  return curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
}

// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
typedef size_t (*ccurl_data_callback)(
    char *_Nonnull bytes, size_t size, size_t count, void *_Nonnull context);

static inline CURLcode ccurl_set_data_callback(
    void *_Nonnull easy, CURLoption option, ccurl_data_callback _Nonnull callback) {
  return curl_easy_setopt(easy, option, callback);
}

typedef curl_socket_t (*ccurl_socket_callback)(
    void *_Nonnull context, curlsocktype purpose, struct curl_sockaddr *_Nonnull address);

static inline CURLcode ccurl_set_socket_callback(void *_Nonnull easy, ccurl_socket_callback _Nonnull callback) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

// Called with the SSL_CTX of each new TLS connection.
typedef CURLcode (*ccurl_tls_callback)(void *_Nonnull easy, void *_Nonnull tls, void *_Nullable context);

static inline CURLcode ccurl_set_tls_callback(
    void *_Nonnull easy, ccurl_tls_callback _Nonnull callback, void *_Nonnull context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, callback);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, context) : code;
}

// The TLS library's own object for the connection that the transfer has now; NULL when there is none.
static inline void *_Nullable ccurl_tls_session(void *_Nonnull easy) {
  struct curl_tlssessioninfo *session = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
  return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

static inline CURLcode ccurl_get_long(void *_Nonnull easy, CURLINFO info, long *_Nonnull value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_large(void *_Nonnull easy, CURLINFO info, curl_off_t *_Nonnull value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_pointer(void *_Nonnull easy, CURLINFO info, void *_Nullable *_Nonnull value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_text(void *_Nonnull easy, CURLINFO info, char *_Nullable *_Nonnull value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode ccurl_multi_set_long(void *_Nonnull multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLcode ccurl_message_result(const CURLMsg *_Nonnull message) {
  return message->data.result;
}
