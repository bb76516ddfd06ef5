#include "cli/tables/server_adoption.h"

#include <utility>

namespace tavola::cli {

Result<AdminPage> admin_page(const remote::Target& server, Result<remote::HttpAnswer> answer) {
  if (!answer) return fail(answer.error());
  auto root = json::parse(answer->body);
  if (root && answer->status == 200) return AdminPage{std::move(answer->body), *std::move(root)};
  const std::string why = root ? root->text_at("detail") : "";
  if (!why.empty()) return fail(Error::validation(why));
  return fail(Error(ErrorCode::Io, "the server at " + server.url + " answered " +
                                       std::to_string(answer->status) +
                                       "; is it a Tavola server? Its response: " + answer->body));
}

Result<CheckedTable> wait_for_adoption(const remote::Target& server, const std::string& path,
                                       AdminPage page) {
  return wait_for_check(server, path, "adoption", {.status = 200, .body = std::move(page.body)});
}

}  // namespace tavola::cli
