// libcurl; its variadic calls are wrapped here, one function per argument type.
#pragma once
#include <curl/curl.h>
