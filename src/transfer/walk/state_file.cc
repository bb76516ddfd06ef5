#include "transfer/walk/state_file.h"

#include "base/files.h"
#include "wire/codec/json.h"

namespace tavola::transfer {

Result<std::optional<std::string>> read_if_there(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::optional<std::string>();
  TAVOLA_TRY(std::string text, read_file(path));
  return std::optional(std::move(text));
}

Result<void> read_members(std::string_view json, const std::function<void(const wire::Fields&)>& read) {
  const auto document = wire::JsonDocument::parse(json);
  if (!document || document->root().type() != wire::JsonType::Object) {
    return fail(Error::corrupt("it is not a JSON object"));
  }
  wire::Problems problems;
  read(wire::Fields(document->root(), problems));
  if (const Result<void> good = problems.check(); !good) return fail(Error::corrupt(good.error().message()));
  return {};
}

std::string text_of(const wire::Fields& in, std::string_view name) {
  return in.text(name).value_or(std::string());
}

std::uint64_t count_of(const wire::Fields& in, std::string_view name) {
  return static_cast<std::uint64_t>(in.integer(name, wire::kLong, {.least = 0}).value_or(0));
}

}  // namespace tavola::transfer
