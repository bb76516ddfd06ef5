#include "transfer/exports/job_pages.h"

#include "base/encoding.h"

namespace tavola::transfer {
namespace {

constexpr std::size_t kTokenBytes = 56;

}  // namespace

std::string page_token(std::string_view kind, std::string_view id) {
  std::string text = std::string(kind) + "/" + std::string(id);
  text.resize(std::max(kTokenBytes, text.size()), ' ');
  return to_hex(text);
}

Result<std::string> id_in_token(std::string_view kind, const std::string& token) {
  const std::string start = std::string(kind) + "/";
  const std::optional<std::string> text = from_hex(token);
  if (!text || !text->starts_with(start)) {
    return fail(Error::validation("Invalid Request: Provided nextToken is invalid: " + token));
  }
  std::string id = text->substr(start.size());
  id.erase(std::min(id.find(' '), id.size()));
  return id;
}

}  // namespace tavola::transfer
