// Builds a Conversion from a revision, and refuses differences that the revision leaves out.
#include <algorithm>

#include "design/language/reading.h"
#include "design/model/field_value.h"
#include "design/model/vocabulary.h"
#include "design/revisions/convert.h"

namespace tavola::design {
namespace {

// "Url.type"
struct FieldName {
  std::string entity;
  std::string field;
};

std::optional<FieldName> field_named(const std::string& text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos) return std::nullopt;
  return FieldName{.entity = text.substr(0, dot), .field = text.substr(dot + 1)};
}

FieldNames kept_in_step(const Design& design) {
  FieldNames names;
  for (const Copy& copy : design.copies) {
    if (copy.kind != Copy::Kind::Snapshot) names.insert("the copy " + copy.name);
  }
  for (const Entity& entity : design.entities) {
    for (const Attribute& field : entity.fields) {
      if (field.unique) names.insert("the unique " + entity.name + "." + field.name);
    }
  }
  return names;
}

}  // namespace

class RevisionReader {
 public:
  RevisionReader(const Design& older, const Design& newer) : conversion_(older, newer) {}

  Result<Conversion> read() && {
    const Revision* const revision = find_revision();
    if (revision == nullptr) {
      return fail(Error::validation("the design " + newer().name + " has no revision from \"" +
                                    older().revision + "\" to \"" + newer().revision +
                                    "\". Add it under `revisions`."));
    }
    for (const Entity& entity : older().entities) {
      if (const Entity* const other = newer().find_entity(entity.name)) {
        conversion_.entities_.emplace(entity.name, EntityChanges{.older = &entity, .newer = other});
      }
    }
    for (const Change& change : revision->changes) TAVOLA_CHECK(apply(change));
    TAVOLA_CHECK(check_entities());
    TAVOLA_CHECK(check_kept_in_step());
    return std::move(conversion_);
  }

 private:
  using EntityChanges = Conversion::EntityChanges;
  const Design& older() const { return *conversion_.older_; }
  const Design& newer() const { return *conversion_.newer_; }

  const Revision* find_revision() const {
    for (const Revision& revision : newer().revisions) {
      if (revision.from == older().revision && revision.to == newer().revision) return &revision;
    }
    return nullptr;
  }

  std::unexpected<Error> wrong(const Change& change, const std::string& why) const {
    return fail(Error::validation(newer().file + ":" + std::to_string(change.said.span.begin.line) + ": " +
                                  change.kind + ": " + why));
  }

  // Returns the changes of the entity that "Url.type" begins with, and the field.
  Result<std::pair<EntityChanges*, std::string>> place(const Change& change, const std::string& text) {
    const auto name = field_named(text);
    const auto found = name ? conversion_.entities_.find(name->entity) : conversion_.entities_.end();
    if (!name || found == conversion_.entities_.end())
      return wrong(change, text + " is not a field of an entity of both revisions");
    return std::pair(&found->second, name->field);
  }

  Result<void> apply(const Change& change) {
    if (change.kind == "rename") return apply_rename(change);
    if (change.kind == "drop") return apply_drop(change);
    if (change.kind == "retype") return apply_retype(change);
    if (change.kind == "set") return apply_set(change);
    if (change.kind == "drop_entity") {
      for (std::string& name : texts_at(change.said, "drop_entity"))
        conversion_.gone_.insert(std::move(name));
    }
    return {};  // the designs themselves show the other changes
  }

  Result<void> apply_rename(const Change& change) {
    const std::string text = text_at(change.said, "rename");
    const std::string to = text_at(change.said, "to");
    TAVOLA_TRY(const auto target, place(change, text));
    const auto& [changes, field] = target;
    if (!has_field(*changes->older, field))
      return wrong(change, "revision " + older().revision + " has no " + text);
    if (!has_field(*changes->newer, to)) return wrong(change, changes->newer->name + " has no " + to);
    changes->renamed.emplace(field, to);
    return {};
  }

  Result<void> apply_drop(const Change& change) {
    for (const std::string& text : texts_at(change.said, "drop")) {
      TAVOLA_TRY(const auto target, place(change, text));
      const auto& [changes, field] = target;
      const Attribute* const dropped = changes->older->find_field(field);
      if (dropped == nullptr) return wrong(change, "revision " + older().revision + " has no " + text);
      changes->dropped.insert(field);
      // A condition gives the older field its value; any other text is a sentence for people.
      const std::string says = text_at(change.said, "replaced_by");
      if (says.empty() || dropped->type.kind != AttributeType::Kind::Boolean) continue;
      auto rule = Rule::parse(says, Rule::Form::Condition, Vocabulary(changes->newer));
      if (rule) changes->replaced.push_back({.field = field, .says = *std::move(rule)});
    }
    return {};
  }

  Result<void> apply_retype(const Change& change) {
    const std::string text = text_at(change.said, "retype");
    TAVOLA_TRY(const auto target, place(change, text));
    const auto& [changes, field] = target;
    if (changes->newer->find_field(field) == nullptr) return wrong(change, text + " is not a field");
    changes->retyped.insert(field);
    if (change.said.find("recompute") != nullptr) changes->recomputed.insert(field);
    return {};
  }

  Result<void> apply_set(const Change& change) {
    const std::string text = text_at(change.said, "set");
    TAVOLA_TRY(const auto target, place(change, text));
    const auto& [changes, field] = target;
    const Attribute* const attribute = changes->newer->find_field(field);
    if (attribute == nullptr) return wrong(change, changes->newer->name + " has no " + field);
    const bool says_to = change.said.find("to") != nullptr;
    Result<Value> value = from_text(*attribute, text_at(change.said, says_to ? "to" : "value"));
    if (!value) return wrong(change, value.error().message());
    EntityChanges::Set set{.field = field, .value = *std::move(value), .when = {}};
    if (const std::string when = text_at(change.said, "when"); !when.empty()) {
      auto rule = Rule::parse(when, Rule::Form::Condition, Vocabulary(changes->older));
      if (!rule) return wrong(change, "when: " + rule.error().message);
      set.when = *std::move(rule);
    }
    changes->sets.push_back(std::move(set));
    return {};
  }

  // ---- Differences that the revision leaves out

  Result<void> check_entities() const {
    for (const Entity& entity : older().entities) {
      const auto found = conversion_.entities_.find(entity.name);
      if (found != conversion_.entities_.end()) {
        TAVOLA_CHECK(check_fields(found->second));
      } else if (!conversion_.gone_.contains(entity.name)) {
        return unsaid(entity.name, "drop_entity");
      }
    }
    return {};
  }

  std::unexpected<Error> unsaid(const std::string& what, const std::string& kind) const {
    return fail(Error::validation("the revision from \"" + older().revision + "\" to \"" + newer().revision +
                                  "\" does not cover " + what + ". Add it under `revisions`: {" + kind +
                                  ": " + what + "}."));
  }

  Result<void> check_fields(const EntityChanges& changes) const {
    const std::string prefix = changes.older->name + ".";
    for (const Attribute& field : changes.older->fields) {
      if (changes.dropped.contains(field.name)) continue;
      const std::string& name = changes.newer_name(field.name);
      const Attribute* const other = changes.newer->find_field(name);
      if (other == nullptr) return unsaid(prefix + field.name, "drop");
      if (other->type != field.type && !changes.retyped.contains(name))
        return unsaid(prefix + field.name, "retype");
    }
    FieldNames keys;
    for (const std::string& name : changes.older->key_fields()) keys.insert(changes.newer_name(name));
    const std::vector<std::string> others = changes.newer->key_fields();
    if (keys == FieldNames(others.begin(), others.end())) return {};
    return fail(Error::validation("the keys of " + changes.older->name +
                                  " have other fields in the newer revision: an item would not be found "
                                  "by its old key"));
  }

  Result<void> check_kept_in_step() const {
    const FieldNames before = kept_in_step(older());
    for (const std::string& name : kept_in_step(newer())) {
      if (before.contains(name)) continue;
      return fail(Error::validation(
          name + " is new in revision \"" + newer().revision +
          "\". It affects other items and cannot be moved item by item: move to a revision without it, "
          "then "
          "give the table the new design and repair it with `tavola design drift --repair`."));
    }
    return {};
  }

  Conversion conversion_;
};

Result<Conversion> Conversion::between(const Design& older, const Design& newer) {
  return RevisionReader(older, newer).read();
}

}  // namespace tavola::design
