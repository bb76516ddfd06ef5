#include "server/admin/admin_body.h"

#include <string>
#include <utility>

namespace tavola::server {

Result<json::Node> read_admin_body(std::string_view body, std::string_view example) {
  const auto wrong = [&](const std::string& why) {
    return fail(Error::validation("the body must be a JSON object, such as " + std::string(example) + why));
  };
  std::expected<json::Node, json::Problem> root = json::parse(body);
  if (!root) return wrong("; " + root.error().what + " " + json::position_of(body, root.error().at));
  if (!root->is_object()) return wrong("");
  return *std::move(root);
}

}  // namespace tavola::server
