#include "design/items/entailed_items.h"

#include <algorithm>
#include <map>
#include <string>

#include "design/items/masked.h"
#include "design/model/arguments.h"
#include "design/model/dependencies.h"
#include "design/model/vocabulary.h"

namespace tavola::design {
namespace {

bool differ(const Item& before, const Item& after, std::string_view field) {
  const auto old_value = before.find(field);
  const auto new_value = after.find(field);
  if (old_value == before.end() || new_value == after.end())
    return (old_value == before.end()) != (new_value == after.end());
  return old_value->second != new_value->second;
}

// "SHOP#s1|PRODUCT#p1"
std::string key_text(const Table& table, const Item& key) {
  const auto part = [&key](const KeyAttribute& attribute) {
    const Value& value = key.at(attribute.name);
    return value.is_string()   ? value.string()
           : value.is_number() ? value.number().to_string()
                               : to_json(value);
  };
  return part(table.hash) + (table.range ? "|" + part(*table.range) : "");
}

// One change of one item.
class Entailment {
 public:
  Entailment(const Design& design, const FieldChange& change, const Ambient& ambient, const FindRelated& find)
      : design_(design), change_(change), ambient_(ambient), find_(find) {}

  Result<EntailedItems> run() {
    std::vector<const Consequence*> following;
    for (const Consequence& consequence : design_.consequences) {
      if (!is_of(consequence, change_.entity) || !is_touched(consequence)) continue;
      Result<bool> follows = read_and_decide(consequence);
      if (!follows) return fail(not_entailed(design_, consequence, follows.error()));
      if (*follows) following.push_back(&consequence);
    }
    if (found_.is_waiting) return std::move(found_);
    for (const Consequence* const consequence : following) {
      Result<Item> fields = fields_of(*consequence);
      if (!fields) return fail(not_entailed(design_, *consequence, fields.error()));
      found_.items.push_back(
          {consequence, design_.find_entity(consequence->entity.text), *std::move(fields)});
    }
    return std::move(found_);
  }

 private:
  using Others = std::map<std::string, Item, std::less<>>;

  const Item& fields() const { return change_.after != nullptr ? *change_.after : *change_.before; }

  bool is_touched(const Consequence& consequence) const {
    if (change_.before == nullptr) return consequence.on_create;
    if (change_.after == nullptr) return consequence.on_delete;
    if (!consequence.on_update) return false;
    FieldNames names = deciding_fields(consequence);
    if (names.empty()) {
      for (std::string& name : field_names(change_.entity)) names.insert(std::move(name));
    }
    return std::ranges::any_of(
        names, [this](const std::string& name) { return differ(*change_.before, *change_.after, name); });
  }

  // Reads the other items as soon as they can matter. Returns whether the consequence follows.
  Result<bool> read_and_decide(const Consequence& consequence) {
    const bool reads_first = decides_by_reads(consequence);
    if (!reads_first) {
      TAVOLA_TRY(const bool holds_now, holds(consequence));
      if (!holds_now) return false;
    }
    for (const ReadFirst& read : consequence.reads) TAVOLA_CHECK(read_one(consequence, read));
    if (found_.is_waiting || !reads_first) return !found_.is_waiting;
    return holds(consequence);
  }

  // An item that cannot be identified is missing.
  Result<void> read_one(const Consequence& consequence, const ReadFirst& read) {
    const Entity& entity = *design_.find_entity(read.entity.text);
    Item& related = related_[&consequence][read.name];
    Item key_fields;
    for (const Assignment& one : read.key) {
      TAVOLA_TRY(const std::optional<Value> value, one.value.value(inputs(consequence, one.value)));
      if (value) key_fields[one.field] = *value;
    }
    const Result<Item> key = key_of(design_, entity, key_fields);
    if (!key) return {};
    const std::optional<Item>* const stored = find_(entity, *key);
    if (stored == nullptr) {
      found_.is_waiting = true;
    } else if (*stored) {
      related = decode(design_, **stored).fields;
    }
    return {};
  }

  // A rule that fails on what is deleted does not keep it from being deleted.
  Result<bool> holds(const Consequence& consequence) {
    if (!consequence.when) return true;
    Result<bool> result = consequence.when->holds(inputs(consequence, *consequence.when));
    if (!result && change_.after == nullptr) return false;
    return result;
  }

  Result<Item> fields_of(const Consequence& consequence) {
    const Entity& entity = *design_.find_entity(consequence.entity.text);
    Item made;
    for (const Assignment& one : consequence.set) {
      TAVOLA_TRY(const std::optional<Value> value, one.value.value(inputs(consequence, one.value)));
      if (value) TAVOLA_CHECK(assign_computed(entity, one, *value, made));
    }
    return complete(entity, std::move(made), Occasion::Creation, ambient_);
  }

  expr::RuleInputs inputs(const Consequence& consequence, const Rule& rule) {
    others_ = related_[&consequence];
    const bool is_whole = uses_whole_image(rule);
    for (const std::vector<std::string>& path : rule.paths()) {
      const bool is_image = path.front() == kBeforeName || path.front() == kAfterName;
      const Item* const image = path.front() == kBeforeName ? change_.before : change_.after;
      if (path.front() == kChangeName) others_.try_emplace(path.front(), change_fields());
      if (!is_image) continue;
      Item seen = image == nullptr ? Item() : is_whole ? masked(change_.entity.fields, *image) : *image;
      others_.try_emplace(path.front(), std::move(seen));
    }
    return ambient_.with({.fields = &fields(), .others = &others_});
  }

  Item change_fields() const {
    Item item{{"entity", change_.entity.name},
              {"kind", change_.before == nullptr  ? "create"
                       : change_.after == nullptr ? "delete"
                                                  : "update"}};
    if (const Result<Item> key = key_of(design_, change_.entity, fields()))
      item["key"] = key_text(design_.table, *key);
    return item;
  }

  const Design& design_;
  const FieldChange& change_;
  const Ambient& ambient_;
  const FindRelated& find_;
  std::map<const Consequence*, Others> related_;
  Others others_;
  EntailedItems found_;
};

}  // namespace

Result<EntailedItems> entailed_by(const Design& design, const FieldChange& change, const Ambient& ambient,
                                  const FindRelated& find) {
  return Entailment(design, change, ambient, find).run();
}

Error not_entailed(const Design& design, const Consequence& consequence, const Error& why) {
  constexpr std::string_view kPrefix = "Tavola: ";
  std::string_view reason = why.message();
  if (reason.starts_with(kPrefix)) reason.remove_prefix(kPrefix.size());
  std::string message = std::string(kPrefix) + "the consequence " + consequence.name + " (a new " +
                        consequence.entity.text + ") cannot be written: " + std::string(reason);
  if (!message.ends_with(']'))
    message += " [" + design.file + ":" + std::to_string(consequence.at.begin.line) + "]";
  return {why.code(), std::move(message)};
}

}  // namespace tavola::design
