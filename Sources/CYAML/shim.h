// libyaml's event API: everything it needs imports into Swift as it is.
#pragma once
#include <yaml.h>
