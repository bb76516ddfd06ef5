// Lints about values that are made of sensitive ones.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "design/lint/lints.h"
#include "design/model/secrets.h"
#include "design/model/vocabulary.h"

namespace tavola::design {
namespace {

// Returns whether the rule shows nothing of the values that it uses.
bool is_digest(const Rule& rule) {
  return rule.text().starts_with("sha256(") || rule.text().starts_with("md5(");
}

const Attribute* secret_field(const Entity* entity, std::string_view name) {
  const Attribute* const field = entity == nullptr ? nullptr : entity->find_field(name);
  return field != nullptr && holds_secret(*field) ? field : nullptr;
}

// Returns the sensitive field of the entity that the rule uses; null if there is none.
const Attribute* secret_in(const Rule& rule, const Entity& entity) {
  if (is_digest(rule)) return nullptr;
  for (const std::vector<std::string>& path : rule.paths()) {
    if (const Attribute* const field = secret_field(&entity, path.front())) return field;
  }
  return nullptr;
}

// Returns the sensitive field that the value uses of the changed item or of one that is read.
const Attribute* secret_in(const Rule& rule, const Consequence& consequence, const Design& design) {
  if (is_digest(rule)) return nullptr;
  for (const std::vector<std::string>& path : rule.paths()) {
    const bool is_image = path.front() == kBeforeName || path.front() == kAfterName;
    const auto read = std::ranges::find(consequence.reads, path.front(), &ReadFirst::name);
    const bool is_read = read != consequence.reads.end();
    if ((is_image || is_read) && path.size() == 1) continue;  // as a whole it is masked
    if (is_read) {
      if (const Attribute* const field = secret_field(design.find_entity(read->entity.text), path[1]))
        return field;
      continue;
    }
    for (const Word& of : consequence.of) {
      const std::string& name = is_image ? path[1] : path.front();
      if (const Attribute* const field = secret_field(design.find_entity(of.text), name)) return field;
    }
  }
  return nullptr;
}

// A field with a value that is made of a sensitive one.
struct Made {
  const Entity* entity;
  std::string_view name;
  const Attribute* of;  // null: of none
  const Span& at;
  const Notes* by;  // the copy or consequence; null: the field itself
};

void lint_made(Lints& lints, const Made& made) {
  const Attribute* const field = made.entity == nullptr ? nullptr : made.entity->find_field(made.name);
  if (field == nullptr || made.of == nullptr || holds_secret(*field)) return;
  const std::string message = "`" + field->name + "` of " + made.entity->name +
                              " is made of the sensitive `" + made.of->name + "` and is not sensitive itself";
  lints.add("sensitive-copy", made.at,
            {&field->notes, &made.entity->notes, made.by == nullptr ? &field->notes : made.by}, message,
            "Write `sensitive: true` for it, or store a digest: `sha256(" + made.of->name + ")`.");
}

void lint_fields(Lints& lints, const Entity& entity) {
  for (const Attribute& field : entity.fields) {
    const Attribute* of = field.derive ? secret_in(*field.derive, entity) : nullptr;
    if (field.value) {
      for (const std::string& name : field.value->fields()) {
        if (of == nullptr) of = secret_field(&entity, name);
      }
    }
    lint_made(lints, {&entity, field.name, of, field.at, nullptr});
  }
}

}  // namespace

void lint_secrets(Lints& lints) {
  const Design& design = lints.design();
  for (const Entity& entity : design.entities) lint_fields(lints, entity);
  for (const Copy& copy : design.copies) {
    const Entity& from = *design.find_entity(copy.from.text);
    for (const Assignment& carried : copy.carry) {
      lint_made(lints, {design.find_entity(copy.to.text), carried.field, secret_in(carried.value, from),
                        copy.at, &copy.notes});
    }
  }
  for (const Consequence& consequence : design.consequences) {
    for (const Assignment& set : consequence.set) {
      lint_made(lints, {design.find_entity(consequence.entity.text), set.field,
                        secret_in(set.value, consequence, design), consequence.at, &consequence.notes});
    }
  }
}

}  // namespace tavola::design
