// The consequences of a request's changes (design/items/entailed_items.h), as further items that it writes.
#pragma once

#include "design/model/ambient.h"
#include "design/model/model.h"
#include "design/rules/request_images.h"
#include "design/rules/ruled_writes.h"

namespace tavola::design {

// Adds the new items that follow from the changes decided so far, to be governed as those that the client writes. Adds none while
// something was not read yet. An item that the request writes itself counts as the consequence if it differs in its key, its times and its
// random values at most: programs that do not know the design go on as before, and operations run on any database.
void add_entailed(const Design& design, const Ambient& ambient, RequestImages& images, RuledWrites& result);

}  // namespace tavola::design
