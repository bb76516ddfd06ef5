#include "lens/why_not.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/joined.h"
#include "design/items/entity_item.h"
#include "design/model/arguments.h"
#include "design/model/plain_json.h"
#include "design/requests/pattern_request.h"
#include "json/writer.h"
#include "lens/index_lens.h"
#include "lens/key_readers.h"
#include "lens/named_parts.h"
#include "lens/reading.h"
#include "lens/shown_item.h"

namespace tavola::lens {
namespace {

using design::Decoded;
using design::Design;
using design::Pattern;
using design::RangeCondition;
using Operator = RangeCondition::Operator;

struct Check {
  std::string_view what;
  bool holds = false;
  std::string text;
};

bool is_less(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return a.number() < b.number();
  return a.is_string() && b.is_string() && a.string() < b.string();
}

bool begins_with(const Value& value, const Value& beginning) {
  return value.is_string() && beginning.is_string() && value.string().starts_with(beginning.string());
}

bool is_in_range(Operator op, const Value& first, const Value& second, const Value& value) {
  switch (op) {
    case Operator::Equal:
      return value == first;
    case Operator::Less:
      return is_less(value, first);
    case Operator::LessEqual:
      return !is_less(first, value);
    case Operator::Greater:
      return is_less(first, value);
    case Operator::GreaterEqual:
      return !is_less(value, first);
    case Operator::BeginsWith:
      return begins_with(value, first);
    case Operator::Between:
      return !is_less(value, first) && !is_less(second, value);
    case Operator::Through:
      return !is_less(value, first) && (!is_less(second, value) || begins_with(value, second));
  }
  return false;
}

// Checks one item against one request of a pattern.
class PartChecks {
 public:
  struct Parts {
    const Subject& subject;
    const Pattern& pattern;
    const Item& parameters;
    const std::optional<Item>& item;
    const Decoded& decoded;
  };
  explicit PartChecks(const Parts& parts) : parts_(parts) {}

  Result<std::vector<Check>> run() && {
    add("item", parts_.item.has_value(),
        parts_.item ? "There is such an item." : "There is no item with this key.");
    if (!parts_.item) return std::move(checks_);
    check_entity();
    if (parts_.pattern.form == Pattern::Form::Get) {
      TAVOLA_CHECK(check_key());
    } else {
      check_index();
      if (parts_.pattern.hash) TAVOLA_CHECK(check_partition());
      if (const auto& range = parts_.pattern.range) TAVOLA_CHECK(check_range(*range, *parts_.item));
    }
    if (const auto& filter = parts_.pattern.filter) check_filter(*filter, *parts_.item);
    return std::move(checks_);
  }

 private:
  void add(std::string_view what, bool holds, std::string text) {
    checks_.push_back({what, holds, std::move(text)});
  }

  void check_entity() {
    const std::string& wanted = parts_.pattern.entity.text;
    if (parts_.decoded.entity == nullptr) {
      return add("entity", false,
                 parts_.pattern.name + " returns " + wanted +
                     ", and the design does not know this item: " + parts_.decoded.why_none + ".");
    }
    const bool same = parts_.decoded.entity->name == wanted;
    add("entity", same,
        parts_.pattern.name + " returns " + wanted +
            (same ? "." : "; this is of " + parts_.decoded.entity->name + "."));
  }

  Result<void> check_key() {
    const design::Entity& entity = *parts_.subject.design.find_entity(parts_.pattern.entity.text);
    TAVOLA_TRY(const Item wanted, design::key_of(parts_.subject.design, entity, parts_.parameters));
    const Item key = key_of_item(parts_.subject.design, *parts_.item);
    add("partition", wanted == key,
        wanted == key ? "It asks for this key." : "It asks for the key " + to_json(wanted) + ".");
    return {};
  }

  std::string index_name() const {
    const design::Index* const index = parts_.subject.design.find_index(parts_.pattern.via.text);
    return index == nullptr ? std::string() : index->name;
  }

  void check_index() {
    const design::Index* const index = parts_.subject.design.find_index(index_name());
    if (index == nullptr) return;
    const bool has_keys = parts_.item->contains(index->hash.name) &&
                          (!index->range || parts_.item->contains(index->range->name));
    if (has_keys) return add("index", true, "The item is in " + index->name + ".");
    std::string why;
    if (parts_.decoded.entity != nullptr)
      why = why_not_indexed(*parts_.decoded.entity, *index, parts_.decoded.fields);
    add("index", false, "The item is not in " + index->name + (why.empty() ? "." : ": " + why + "."));
  }

  Result<Value> rendered(const design::Template& from, Type type) const {
    TAVOLA_TRY(const auto value, from.render(parts_.parameters, parts_.pattern.forms(), type));
    if (!value) return fail(Error::validation(joined(from.fields()) + " is required"));
    return *value;
  }

  // Returns the text that begins each remark about a key: "PK is "SHOP#s1"".
  std::string is_text(const std::string& attribute) const {
    const auto found = parts_.item->find(attribute);
    return attribute +
           (found == parts_.item->end() ? " is absent" : " is " + design::to_plain_json(found->second));
  }

  Result<void> check_partition() {
    const design::KeyAttribute& key = hash_of(parts_.subject.design, index_name());
    TAVOLA_TRY(const Value wanted, rendered(*parts_.pattern.hash, key.type));
    const auto found = parts_.item->find(key.name);
    const bool same = found != parts_.item->end() && found->second == wanted;
    add("partition", same,
        is_text(key.name) + (same ? ", as asked." : "; asked for is " + design::to_plain_json(wanted) + "."));
    return {};
  }

  Result<void> check_range(const RangeCondition& range, const Item& item) {
    const design::KeyAttribute* const key = range_of(parts_.subject.design, index_name());
    if (key == nullptr) return {};
    TAVOLA_TRY(const Value first, rendered(range.first, key->type));
    Value second = first;
    if (range.second) {
      TAVOLA_TRY(second, rendered(*range.second, key->type));
    }
    const auto found = item.find(key->name);
    const bool fits = found != item.end() && is_in_range(range.op, first, second, found->second);
    add("range", fits, is_text(key->name) + "; asked for is " + in_words(range.op, first, second) + ".");
    return {};
  }

  static std::string in_words(Operator op, const Value& first, const Value& second) {
    std::string one = design::to_plain_json(first);
    switch (op) {
      case Operator::Less:
        return "less than " + one;
      case Operator::LessEqual:
        return "at most " + one;
      case Operator::Greater:
        return "more than " + one;
      case Operator::GreaterEqual:
        return "at least " + one;
      case Operator::BeginsWith:
        return "what begins with " + one;
      case Operator::Between:
        return "between " + one + " and " + design::to_plain_json(second);
      case Operator::Through:
        return "from " + one + " through " + design::to_plain_json(second);
      default:
        return one;
    }
  }

  void check_filter(const design::Rule& filter, const Item& item) {
    const Item& fields = parts_.decoded.entity == nullptr ? item : parts_.decoded.fields;
    const Result<bool> holds = filter.holds(
        {.fields = &fields, .parameters = &parts_.parameters, .now = parts_.subject.clock.now()});
    std::string text = "The filter is " + filter.text();
    if (!holds) {
      text += "; it cannot be computed: " + holds.error().message();
    } else if (!*holds && parts_.decoded.entity != nullptr) {
      text += ": " + values_in_words(*parts_.decoded.entity, filter.paths(), fields);
    }
    add("filter", holds && *holds, text + ".");
  }

  const Parts& parts_;
  std::vector<Check> checks_;
};

void write_part(json::Writer& json, const Pattern& pattern, const std::vector<Check>& checks) {
  json.begin_object();
  json.name("pattern").text(pattern.name);
  json.name("found").boolean(std::ranges::all_of(checks, &Check::holds));
  json.name("checks").begin_list();
  for (const Check& check : checks) {
    json.begin_object();
    json.name("what").text(check.what);
    json.name("holds").boolean(check.holds);
    json.name("text").text(check.text);
    json.end_object();
  }
  json.end_list();
  json.end_object();
}

}  // namespace

Result<std::string> why_not(const Subject& subject, const Question& question) {
  TAVOLA_TRY(const Item key, question.needed_item("key"));
  TAVOLA_TRY(const Pattern* const pattern, pattern_of_question(subject.design, question));
  TAVOLA_TRY(const Item given, question.parameters("parameters"));
  const design::Ambient ambient{subject.clock.now(), &subject.random, subject.caller.get()};
  TAVOLA_TRY(const Item parameters, design::check_parameters(pattern->parameters, given, ambient));
  TAVOLA_TRY(const std::optional<Item> item, read_item(subject, key));
  const Decoded decoded = item ? design::decode(subject.design, *item) : Decoded();
  std::string parts;
  json::Writer list(parts);
  bool found = false;
  list.begin_list();
  for (const Pattern* part : design::parts_of(subject.design, *pattern)) {
    const PartChecks::Parts of{subject, *part, parameters, item, decoded};
    TAVOLA_TRY(const std::vector<Check> checks, PartChecks(of).run());
    found = found || std::ranges::all_of(checks, &Check::holds);
    write_part(list, *part, checks);
  }
  list.end_list();
  std::string answer;
  json::Writer json(answer);
  json.begin_object();
  json.name("found").boolean(found);
  json.name("item");
  if (item) {
    json.begin_object();
    write_item_members(json, subject, decoded, *item);
    json.end_object();
  } else {
    json.raw() += "null";
  }
  json.name("parts").raw() += parts;
  json.end_object();
  return answer;
}

}  // namespace tavola::lens
