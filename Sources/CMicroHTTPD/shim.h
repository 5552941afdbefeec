// libmicrohttpd; its variadic calls are wrapped here, one function per use.
#pragma once
#include <sys/types.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <stdint.h>
#include <microhttpd.h>
