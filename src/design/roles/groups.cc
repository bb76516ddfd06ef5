#include "design/roles/groups.h"

#include <algorithm>
#include <functional>
#include <set>

#include "design/items/entity_item.h"

namespace tavola::design {
namespace {

using Texts = std::vector<std::string>;

// Adds a text, or all texts of a list or a set.
void add_texts(Texts& texts, const Value& value) {
  if (value.is_string()) texts.push_back(value.string());
  if (value.type() == Type::StringSet) {
    for (const std::string& text : value.string_set()) texts.push_back(text);
  }
  if (value.type() == Type::List) {
    for (const Value& one : value.list()) {
      if (one.is_string()) texts.push_back(one.string());
    }
  }
}

void add_texts_of(Texts& texts, const Item& fields, const std::string& field) {
  const auto found = fields.find(field);
  if (found != fields.end()) add_texts(texts, found->second);
}

// Keeps the first of each, in order.
void keep_first(Texts& texts) {
  std::set<std::string, std::less<>> seen;
  std::erase_if(texts, [&](const std::string& text) { return !seen.insert(text).second; });
}

// Collects the texts in the field of all items that the pattern finds.
Result<void> ask_for(const Design& design, const Groups::Source& source, const std::string& about,
                     const AskGroups& ask, Texts& texts) {
  const Pattern* const pattern = design.find_pattern(source.pattern.text);
  if (pattern == nullptr) return {};
  TAVOLA_TRY(const std::vector<Item> found, ask(*pattern, about));
  for (const Item& fields : found) add_texts_of(texts, fields, source.field.text);
  return {};
}

// Returns the attributes by which the pattern finds an item: the keys of its index, and those in its filter. The keys
// of the table never change.
Texts finding_attributes(const Design& design, const Pattern& pattern) {
  Texts names;
  if (const Index* const index = design.find_index(pattern.via.text)) {
    names.push_back(index->hash.name);
    if (index->range) names.push_back(index->range->name);
  }
  if (pattern.filter) {
    for (const std::vector<std::string>& path : pattern.filter->paths()) names.push_back(path.front());
  }
  return names;
}

const Value* find(const Item& item, const std::string& name) {
  const auto found = item.find(name);
  return found == item.end() ? nullptr : &found->second;
}

bool is_found_alike(const Design& design, const Pattern& pattern, const Item& before, const Item& after) {
  return std::ranges::all_of(finding_attributes(design, pattern), [&](const std::string& name) {
    const Value* const was = find(before, name);
    const Value* const is = find(after, name);
    return was == nullptr || is == nullptr ? was == is : *was == *is;
  });
}

// Returns the texts that the item gives after the change and did not give before.
Texts texts_given(const Design& design, const Groups::Source& source, const std::optional<Item>& before,
                  const Item& after) {
  Texts texts;
  const Pattern* const pattern = design.find_pattern(source.pattern.text);
  if (pattern == nullptr) return texts;
  const auto add_of = [&](const Item& item, Texts& into) {
    const Decoded decoded = decode(design, item);
    if (decoded.entity != nullptr && decoded.entity->name == pattern->entity.text)
      add_texts_of(into, decoded.fields, source.field.text);
  };
  add_of(after, texts);
  keep_first(texts);
  if (texts.empty() || !before || !is_found_alike(design, *pattern, *before, after)) return texts;
  Texts had;
  add_of(*before, had);
  std::erase_if(texts, [&](const std::string& text) { return std::ranges::find(had, text) != had.end(); });
  return texts;
}

// A granted right: a permission of a group, or the membership in one.
struct Gift {
  Right right;
  std::string group = {};  // the group that gets a member; empty: a group gets the permission
};

Result<std::vector<Gift>> gifts_in(const Design& design, const Granted& wanted, const AskGroups& ask) {
  std::vector<Gift> gifts;
  if (!design.groups) return gifts;
  for (const std::string& permission : wanted.permissions) {
    for (Right& right : rights_of_permission(design, permission)) gifts.push_back({std::move(right)});
  }
  for (const std::string& group : wanted.groups) {
    std::vector<Right> rights = rights_of_group(design, group);
    Texts permissions;
    TAVOLA_CHECK(ask_for(design, design.groups->permissions, group, ask, permissions));
    keep_first(permissions);
    for (const std::string& permission : permissions) {
      for (Right& right : rights_of_permission(design, permission)) rights.push_back(std::move(right));
    }
    for (Right& right : rights) gifts.push_back({std::move(right), group});
  }
  return gifts;
}

const Gift* first_not_held(const Design& design, const Identity& who, const std::vector<Gift>& gifts) {
  const auto found =
      std::ranges::find_if(gifts, [&](const Gift& gift) { return !has_right(design, who, gift.right); });
  return found == gifts.end() ? nullptr : &*found;
}

// "ben does not have the permission appoint, and cannot give it to a group"
Error not_held(const Design& design, const Identity& who, const Gift& gift) {
  const std::string& permission = gift.right.permission;
  const auto is_it = [&permission](const Word& word) { return word.text == permission; };
  const bool is_lifted = design.groups && std::ranges::any_of(design.groups->for_others, is_it);
  return forbidden(
      who,
      (who.is_somebody() ? who.sub : std::string("a person who is not logged in")) +
          " does not have the permission " + permission + (is_lifted ? " for everybody's items" : "") +
          (gift.group.empty() ? ", and cannot grant it to a group"
                              : ", and cannot make anybody a member of " + gift.group + ", which has it"));
}

}  // namespace

Result<Identity> with_groups(const Design& design, Identity who, const AskGroups& ask) {
  if (!design.groups || !who.is_somebody()) return who;
  TAVOLA_CHECK(ask_for(design, design.groups->member_of, who.sub, ask, who.groups));
  keep_first(who.groups);
  if (who.groups.size() > kGroupsMax) {
    return fail(Error(ErrorCode::AccessDenied, who.sub + " is in " + std::to_string(who.groups.size()) +
                                                   " groups; at most " + std::to_string(kGroupsMax) +
                                                   " are supported. Remove them from some."));
  }
  for (const std::string& group : who.groups) {
    TAVOLA_CHECK(ask_for(design, design.groups->permissions, group, ask, who.permissions));
  }
  keep_first(who.permissions);
  return who;
}

Granted granted(const Design& design, const std::optional<Item>& before, const std::optional<Item>& after) {
  if (!design.groups || !after) return {};
  return {texts_given(design, design.groups->permissions, before, *after),
          texts_given(design, design.groups->member_of, before, *after)};
}

Result<void> may_grant(const Design& design, Giver& giver, const Granted& wanted, const AskGroups& ask) {
  if (design.roles.empty() || wanted.empty()) return {};
  TAVOLA_TRY(const std::vector<Gift> gifts, gifts_in(design, wanted, ask));
  if (first_not_held(design, giver.who, gifts) == nullptr) return {};
  if (!giver.known) giver.known = with_groups(design, giver.who, ask);
  if (!*giver.known) return fail(giver.known->error());
  const Gift* const gift = first_not_held(design, **giver.known, gifts);
  if (gift == nullptr) return {};
  return fail(not_held(design, giver.who, *gift));
}

std::vector<std::string> all_permissions(const Design& design) {
  std::vector<std::string> names;
  names.reserve(design.patterns.size() + design.operations.size() + 2 * design.entities.size());
  for (const Pattern& pattern : design.patterns) names.push_back(pattern.name);
  for (const Operation& operation : design.operations) names.push_back(operation.name);
  for (const Entity& entity : design.entities) {
    names.push_back("read:" + entity.name);
    names.push_back("write:" + entity.name);
  }
  return names;
}

}  // namespace tavola::design
