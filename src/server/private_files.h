// Files that only the server's own user should be able to read: secrets and the data.
#pragma once

#include "server/log/log.h"
#include "server/serve.h"

namespace tavola::server {

// Warns about every file with a secret that was given to `tavola serve`, and about its data directory, when other users of
// this machine can read them. A directory that the server made itself has no other readers.
void warn_about_readers(const ServeOptions& options, Log& log);

}  // namespace tavola::server
