// GET /api/search?q=WORDS: the sites with these words, the best first.
#pragma once

#include "generated/fus_main.h"
#include "systems/host/application.h"

namespace tavola::catalogue {

// Returns [{"site": "mdn", "title": "MDN", "excerpt": "…", …}], for whom the roles let list the sites. Borrows the catalogue.
systems::Route search_page(const fus_main::FusMain& catalogue);

}  // namespace tavola::catalogue
