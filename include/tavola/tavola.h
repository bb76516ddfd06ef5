// All of Tavola's public API.
#pragma once

#include <tavola/backups.h>
#include <tavola/connect.h>
#include <tavola/database.h>
#include <tavola/design.h>
#include <tavola/detail/typed_design.h>
#include <tavola/error.h>
#include <tavola/exports.h>
#include <tavola/expression.h>
#include <tavola/number.h>
#include <tavola/packed.h>
#include <tavola/partiql.h>
#include <tavola/policies.h>
#include <tavola/requests.h>
#include <tavola/streams.h>
#include <tavola/table.h>
#include <tavola/value.h>
