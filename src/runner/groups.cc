#include "runner/groups.h"

#include "design/roles/groups.h"

namespace tavola::runner {
namespace {

Result<std::vector<Item>> find_all(const Runner& runner, const design::Pattern& pattern,
                                   const std::string& about) {
  std::vector<Item> all;
  Question question{.parameters = {{pattern.parameters.front().name, Value(about)}}, .limit = {}, .page = {}};
  do {
    Result<Found> found = runner.ask(pattern, question);
    // No key can contain this name, so the table has no groups for it.
    if (!found && found.error().code() == ErrorCode::Validation) return std::vector<Item>();
    if (!found) return fail(found.error());
    for (Found::One& one : found->entities) all.push_back(std::move(one.fields));
    question.page = found->next;
  } while (!question.page.empty());
  return all;
}

// Returns whether the table could know more groups of the person than the token or key did.
bool may_know_more(const Runner& runner, const design::Identity& who, const Error& refused) {
  return runner.design().groups && who.is_somebody() && refused.detail<design::Forbidden>() != nullptr;
}

}  // namespace

Result<design::Identity> with_groups(const Runner& runner, const design::Identity& who) {
  return design::with_groups(runner.design(), who,
                             [&](const design::Pattern& pattern, const std::string& about) {
                               return find_all(runner, pattern, about);
                             });
}

Result<Item> may_run(const Runner& runner, const design::Identity& who, std::string_view name,
                     const Item& parameters) {
  Result<Item> decided = design::may_run(runner.design(), who, name, parameters);
  if (decided || !may_know_more(runner, who, decided.error())) return decided;
  TAVOLA_TRY(const design::Identity known, with_groups(runner, who));
  return design::may_run(runner.design(), known, name, parameters);
}

Result<void> may_read(const Runner& runner, const design::Identity& who,
                      std::span<const Found::One> entities) {
  std::optional<design::Identity> known;
  for (const Found::One& one : entities) {
    const auto decide = [&] {
      return design::may_use(runner.design(), known ? *known : who, design::ItemAct::Read, *one.entity,
                             one.fields);
    };
    Result<void> decided = decide();
    if (!decided && !known && may_know_more(runner, who, decided.error())) {
      TAVOLA_TRY(known, with_groups(runner, who));
      decided = decide();
    }
    TAVOLA_CHECK(decided);
  }
  return {};
}

}  // namespace tavola::runner
