// POST /api/page {"url": "https://example.com/"}: what the page there says of itself, for the form of a site.
#pragma once

#include "systems/crawler/web/fetcher.h"
#include "systems/host/application.h"

namespace tavola::catalogue {

// Answers {"url": "…", "title": "…", "description": "…", "text": "…"}, for whom the roles let add or change sites. 422 says why there is
// no page, 429 that a person asks too often or that too many pages are being read. Borrows the design.
systems::Route found_page(const systems::SystemDesign& design, crawler::AddressRule addresses);

}  // namespace tavola::catalogue
