#include "runner/groups.h"

#include <algorithm>

namespace tavola::runner {
namespace {

void add(std::vector<std::string>& texts, const std::string& text) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

// A text, or all texts of a list or a set.
void add_texts(std::vector<std::string>& texts, const Value& value) {
  if (value.is_string()) add(texts, value.string());
  if (value.type() == Type::StringSet) {
    for (const std::string& text : value.string_set()) add(texts, text);
  }
  if (value.type() == Type::List) {
    for (const Value& one : value.list()) {
      if (one.is_string()) add(texts, one.string());
    }
  }
}

// Of everything that the pattern finds for its one parameter, the texts in the field.
Result<void> ask_for(const Runner& runner, const design::Groups::Source& source, const std::string& about,
                     std::vector<std::string>& texts) {
  const design::Pattern* const pattern = runner.design().find_pattern(source.pattern.text);
  if (pattern == nullptr) return {};
  Question question{
      .parameters = {{pattern->parameters.front().name, Value(about)}}, .limit = {}, .page = {}};
  do {
    const Result<Found> found = runner.ask(*pattern, question);
    // A name that no key can hold: the table knows nothing of it.
    if (!found && found.error().code() == ErrorCode::Validation) return {};
    if (!found) return fail(found.error());
    for (const Found::One& one : found->entities) {
      const auto field = one.fields.find(source.field.text);
      if (field != one.fields.end()) add_texts(texts, field->second);
    }
    question.page = found->next;
  } while (!question.page.empty());
  return {};
}

// Somebody of whom the table could know more than the token or key did.
bool may_know_more(const Runner& runner, const design::Identity& who, const Error& refused) {
  return runner.design().groups && who.is_somebody() && refused.detail<design::Forbidden>() != nullptr;
}

}  // namespace

Result<design::Identity> with_groups(const Runner& runner, design::Identity who) {
  const auto& groups = runner.design().groups;
  if (!groups || !who.is_somebody()) return who;
  TAVOLA_CHECK(ask_for(runner, groups->member_of, who.sub, who.groups));
  for (const std::string& group : who.groups) {
    TAVOLA_CHECK(ask_for(runner, groups->permissions, group, who.permissions));
  }
  return who;
}

Result<Item> may_run(const Runner& runner, const design::Identity& who, std::string_view name,
                     const Item& parameters) {
  Result<Item> decided = design::may_run(runner.design(), who, name, parameters);
  if (decided || !may_know_more(runner, who, decided.error())) return decided;
  TAVOLA_TRY(const design::Identity known, with_groups(runner, who));
  return design::may_run(runner.design(), known, name, parameters);
}

Result<void> may_use(const Runner& runner, const design::Identity& who, design::ItemAct act,
                     const design::Entity& entity, const Item& fields) {
  Result<void> decided = design::may_use(runner.design(), who, act, entity, fields);
  if (decided || !may_know_more(runner, who, decided.error())) return decided;
  TAVOLA_TRY(const design::Identity known, with_groups(runner, who));
  return design::may_use(runner.design(), known, act, entity, fields);
}

}  // namespace tavola::runner
