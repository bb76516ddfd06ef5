// The console's addresses for designs and the tables that they govern (docs/CONSOLE.md).
//
//   GET  /console/designs                       all designs, with how far their tables follow them
//   GET  /console/designs/NAME                  one design (design_json.h)
//   GET  /console/designs/NAME/traffic          its requests (design_traffic.h)
//   POST /console/designs/NAME/drift            its differences from the table, and their repair
//   POST /console/designs/{check,plan,apply,progress,cases,infer}   an edited design (design_drafts.h)
//   POST /console/lens/NAME/LENS                a lens (lens/lens.h); ?sensitive=shown shows what the design marks as sensitive
//   POST /console/samples                       the sample designs with data, in an empty database
#pragma once

#include <cstdint>
#include <vector>

#include <tavola/database.h>

#include "base/clock.h"
#include "server/admin/adoptions.h"
#include "server/admin/design_changes.h"
#include "server/console/route.h"
#include "server/layers/traffic_database.h"
#include "server/log/log.h"
#include "server/v1/served_designs.h"

namespace tavola::server {

enum class Samples : std::uint8_t { Offered, Withheld };

struct DesignRouteParts {
  const ServedDesigns& served;
  Adoptions& adoptions;
  DesignChanges& changes;
  const TrafficDatabase* traffic;  // null: requests are not counted
  Database& database;              // for what goes on behind a request: no limits of its sender, uncounted
  const Clock& clock;
  Log& log;
  Samples samples = Samples::Offered;
};
// The routes borrow the parts, and keep all else that they need.
std::vector<Route> design_routes(const DesignRouteParts& parts);

}  // namespace tavola::server
