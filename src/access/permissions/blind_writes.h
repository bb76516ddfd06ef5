// Errors for a caller who may write an item but not read it.
#pragma once

#include <tavola/error.h>

namespace tavola::access {

// Returns the error without the design's message about the write, which may quote stored values ("Letter.seal may not
// change (was "red")"). The position of the broken rule in the design is kept, and so are conflicts, which quote
// nothing.
Error without_stored_values(const Error& error);

}  // namespace tavola::access
