// Every request and response on tables and items.
#pragma once

#include <tavola/governance.h>
#include <tavola/items.h>
#include <tavola/tables.h>
