#include "engine/governed/governor.h"

#include <algorithm>

#include "base/assert.h"
#include "design/load.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

// The rule in a message: "Tavola: Product.unitPrice must be ≥ 0 (was -1) [shop.yaml:41]" is broken at shop.yaml:41.
std::string place_of(const std::string& message) {
  const std::size_t at = message.rfind('[');
  return at == std::string::npos ? message : message.substr(at);
}

// For a table of this name. Fails with Validation and the first error.
Result<design::Design> design_of(design::Loaded loaded, const std::string& file,
                                 const std::string& table_name) {
  if (loaded.design) {
    loaded.design->table.name = table_name;
    return *std::move(loaded.design);
  }
  const auto first =
      std::ranges::find(loaded.diagnostics, design::Severity::Error, &design::Diagnostic::severity);
  TAVOLA_ASSERT(first != loaded.diagnostics.end());
  return fail(Error::validation("the design has errors: " + file + ":" +
                                std::to_string(first->span.begin.line) + ": " + first->message +
                                ". `tavola design check` lists all of them."));
}

}  // namespace

const GovernedBy& governed_by_of(const TableDescription& table) {
  TAVOLA_ASSERT(table.governed_by.has_value());
  return *table.governed_by;
}

Result<std::string> encode_design(const std::string& text, const std::string& file) {
  TAVOLA_TRY(const PackedItem packed, pack({{"file", file}, {"text", text}}));
  return packed.bytes();
}

Result<design::Design> load_design(std::string_view text, const std::string& file,
                                   const std::string& table_name) {
  return design_of(design::load(text, file), file, table_name);
}

void BrokenRules::add(const Error& error, std::string sample_key) {
  constexpr std::size_t kRulesMax = 1000;  // a design has fewer places
  const MutexLock lock(mutex_);
  std::string place = place_of(error.message());
  if (rules_.size() >= kRulesMax && !rules_.contains(place)) return;
  BrokenRule& rule = rules_[std::move(place)];
  if (rule.rule.empty()) rule.rule = error.message();
  ++rule.writes;
  rule.sample_key = std::move(sample_key);
}

std::vector<BrokenRule> BrokenRules::list() const {
  const MutexLock lock(mutex_);
  std::vector<BrokenRule> rules;
  rules.reserve(rules_.size());
  for (const auto& [place, rule] : rules_) rules.push_back(rule);
  return rules;
}

Result<std::shared_ptr<const Governor>> load_governor(const store::Snapshot& snapshot,
                                                      const TableSchema& schema,
                                                      std::shared_ptr<BrokenRules> broken) {
  TAVOLA_TRY(const std::optional<std::string> stored, snapshot.get(design_key(schema.id)));
  const std::string& table = schema.description.table_name;
  if (!stored) {
    return fail(Error::corrupt("The design of table '" + table +
                               "' is missing. Restore the data directory from a backup or checkpoint."));
  }
  TAVOLA_CHECK(check_packed(*stored));
  const ItemView record(*stored);
  const auto text = record.find("text");
  const auto file = record.find("file");
  if (!text || !file || text->type() != Type::String || file->type() != Type::String) {
    return fail(Error::corrupt("The design of table '" + table +
                               "' is damaged. Restore the data directory from a backup or checkpoint."));
  }
  const std::string file_name(file->string());
  TAVOLA_TRY(design::Design design,
             design_of(design::load_stored(text->string(), file_name), file_name, table));
  auto governor = std::make_shared<Governor>(std::move(design));
  const GovernedBy& governed = governed_by_of(schema.description);
  const bool is_lenient = governed.adopting && governed.enforcement == Enforcement::Strict;
  governor->enforcement = is_lenient ? Enforcement::Warn : governed.enforcement;
  governor->broken = std::move(broken);
  return governor;
}

}  // namespace tavola::engine
