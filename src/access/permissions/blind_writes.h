// What somebody is told who may write an item and not read it.
#pragma once

#include <tavola/error.h>

namespace tavola::access {

// The error without what the design of a governed table says of the write: that may quote what is stored ("Letter.seal may not
// change (was "red")"). Where the broken rule stands in the design is told all the same, and so are conflicts, which quote nothing.
Error without_stored_values(const Error& error);

}  // namespace tavola::access
