#include "cli/served_designs.h"

#include <algorithm>

#include "base/random.h"
#include "cli/design_file.h"
#include "store/files.h"

namespace tavola::cli {
namespace {

constexpr std::size_t kSecretBytes = 32;

// Roles are of the design that governs the table: next to it, another design of the table would be a way around them.
Result<void> check_one_decides(const std::vector<design::Design>& designs, const design::Design& design) {
  const auto same = std::ranges::find_if(
      designs, [&](const design::Design& other) { return other.table.name == design.table.name; });
  if (same == designs.end() || (same->roles.empty() && design.roles.empty())) return {};
  const std::string& with_roles = design.roles.empty() ? same->file : design.file;
  return fail(Error::validation(design.file + " and " + same->file + " are both designs of the table " +
                                design.table.name + ", and " + with_roles +
                                " has roles. One design decides who may use a table: serve only one of "
                                "them, or put what both have into one file"));
}

}  // namespace

Result<std::vector<design::Design>> load_designs(const std::vector<std::string>& files) {
  std::vector<design::Design> designs;
  for (const std::string& file : files) {
    TAVOLA_TRY(design::Design design, runnable_design(file));
    const auto same = std::ranges::find(designs, design.name, &design::Design::name);
    if (same != designs.end()) {
      return fail(Error::validation(file + " and " + same->file + " are both called " + design.name +
                                    "; designs that are served together need different names"));
    }
    TAVOLA_CHECK(check_one_decides(designs, design));
    designs.push_back(std::move(design));
  }
  return designs;
}

std::string new_secret() {
  std::string secret;
  while (secret.size() < kSecretBytes) {
    const std::uint64_t bits = Random::system().next();
    for (unsigned shift = 0; shift < 64; shift += 8) secret += static_cast<char>(bits >> shift);
  }
  return secret;
}

Result<std::string> page_secret(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "page-secret";
  std::error_code ignored;  // what cannot be looked at cannot be written either, and that is told
  if (std::filesystem::exists(path, ignored)) {
    TAVOLA_TRY(std::string secret, store::read_small_file(path));
    if (secret.size() == kSecretBytes) return secret;
    // No secret of ours: whatever was sealed with it is refused from now on.
  }
  std::string secret = new_secret();
  TAVOLA_CHECK(store::replace_file(path, secret));
  return secret;
}

Result<void> prepare_tables(const api::Service& service, Database& database, Log& log) {
  for (const design::Design& design : service.designs()) {
    TAVOLA_TRY(const std::vector<std::string> differences, service.runner(design, database).prepare_table());
    for (const std::string& difference : differences) {
      log.warning("the table is not as its design says",
                  {{"design", design.name}, {"table", design.table.name}, {"difference", difference}});
    }
  }
  return {};
}

}  // namespace tavola::cli
