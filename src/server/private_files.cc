#include "server/private_files.h"

#include <string>
#include <sys/stat.h>

namespace tavola::server {
namespace {

// Whether somebody else has one of these permissions. A path that does not exist has none.
bool others_have(const std::string& path, mode_t permissions) {
  struct stat status{};
  return !path.empty() && stat(path.c_str(), &status) == 0 && (status.st_mode & permissions) != 0;
}

}  // namespace

void warn_about_readers(const ServeOptions& options, Log& log) {
  for (const std::string& file :
       {options.credentials, options.tokens.secret_file, options.tls_key, options.metrics_token_file}) {
    if (!others_have(file, S_IRGRP | S_IROTH)) continue;
    log.warning("a file with secrets can be read by other users",
                {{"file", file}, {"what_to_do", "chmod 600 " + file}});
  }
  const std::string data =
      options.in_memory || !options.store.empty() ? std::string() : options.data.string();
  // A user who may enter the directory can open its files by name, and the names of RocksDB's files are known.
  if (others_have(data, S_IRWXG | S_IRWXO)) {
    log.warning("the data can be read by other users",
                {{"directory", data}, {"what_to_do", "chmod 700 " + data}});
  }
}

}  // namespace tavola::server
