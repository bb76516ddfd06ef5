#include "cli/command/open_database.h"

#include <filesystem>

namespace tavola::cli {

Result<std::unique_ptr<Database>> open_database(const WhichDatabase& which) {
  if (!which.endpoint.empty()) {
    remote::Target endpoint = remote::from_environment(which.endpoint);
    endpoint.mark = which.mark;
    return remote::connect(std::move(endpoint));
  }
  std::error_code ignored;  // tavola::open reports it
  if (!which.create && !std::filesystem::exists(which.data, ignored)) {
    return fail(Error(ErrorCode::Io, "there is no data in " + which.data +
                                         "; name the directory with --data, or a server with --endpoint"));
  }
  return tavola::open(which.data, {.durability = which.durability});
}

}  // namespace tavola::cli
