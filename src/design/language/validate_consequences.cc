#include <algorithm>

#include "design/language/validate.h"
#include "design/language/validate_references.h"
#include "design/model/dependencies.h"

namespace tavola::design {
namespace {

// Returns whether the entity's items are copies, which change with their sources alone.
bool is_copied(const Design& design, const Entity& entity) {
  return std::ranges::any_of(design.copies, [&](const Copy& copy) {
    return copy.to.text == entity.name &&
           (copy.kind == Copy::Kind::Mirror || copy.kind == Copy::Kind::Fanout);
  });
}

class ConsequenceCheck {
 public:
  ConsequenceCheck(const Design& design, const Consequence& consequence, Problems& problems)
      : design_(design), consequence_(consequence), problems_(problems), all_read_(problems.empty()) {}

  void check() {
    if (consequence_.of.empty()) refuse(consequence_.at, "no entity has it", "Name one or more under `of`.");
    for (const Word& name : consequence_.of) {
      const Entity* const entity = require_entity(design_, name, problems_);
      if (entity != nullptr) check_changed(*entity, name.at);
    }
    check_reads();
    if (consequence_.when) check_paths(*consequence_.when, consequence_.at);
    const Entity* const made = require_entity(design_, consequence_.entity, problems_);
    if (made != nullptr) check_made(*made);
  }

 private:
  void refuse(const Span& at, const std::string& message, std::string advice) {
    problems_.error("consequence-form", at, "`" + consequence_.name + "`: " + message, std::move(advice));
  }

  void check_changed(const Entity& entity, const Span& at) {
    if (is_copied(design_, entity)) {
      refuse(at, "a `" + entity.name + "` is a copy, which changes with its source",
             "Name the entity that it is copied from.");
    }
    for (const std::string_view name : {kBeforeName, kAfterName, kChangeName}) {
      if (has_field(entity, name)) {
        refuse(at,
               "`" + entity.name + "` has a field `" + std::string(name) + "`, a name that rules use here",
               "Give the field another name.");
      }
    }
  }

  void check_reads() {
    for (const ReadFirst& read : consequence_.reads) {
      const Entity* const entity = require_entity(design_, read.entity, problems_);
      const Vocabulary names = names_in(design_, without_reads());
      if (names.is_name(read.name)) {
        problems_.error("duplicate-name", read.at, "`" + read.name + "` means something else here, too",
                        "Give the item another name.");
      }
      if (entity == nullptr) continue;
      for (const Assignment& one : read.key) check_assignment(one, *entity);
      for (const std::string& field : entity->key_fields()) {
        if (!is_given(read.key, field)) refuse_missing(*entity, field, read.at);
      }
    }
  }

  Consequence without_reads() const {
    Consequence one = consequence_;
    one.reads.clear();
    return one;
  }

  // Checks shop.name and before.name: a field of that item.
  void check_paths(const Rule& rule, const Span& at) {
    const Vocabulary names = names_in(design_, consequence_);
    for (const std::vector<std::string>& path : rule.paths()) {
      if (path.size() < 2) continue;
      const bool is_image = path.front() == kBeforeName || path.front() == kAfterName;
      const Entity* const other = names.find_other(path.front());
      if (other != nullptr && !is_image) require_field(*other, {path[1], at}, problems_);
      for (const Word& name : consequence_.of) {
        const Entity* const changed = is_image ? design_.find_entity(name.text) : nullptr;
        if (changed != nullptr) require_field(*changed, {path[1], at}, problems_);
      }
    }
  }

  void check_assignment(const Assignment& one, const Entity& entity) {
    require_field(entity, {one.field, one.at}, problems_);
    require_suitable(entity, one, problems_);
    check_paths(one.value, one.at);
  }

  void refuse_missing(const Entity& entity, const std::string& field, const Span& at) {
    refuse(at, "a `" + entity.name + "` needs `" + field + "`, which is not given",
           "Add a value for `" + field + "`.");
  }

  static bool is_given(const std::vector<Assignment>& assignments, std::string_view field) {
    return std::ranges::find(assignments, field, &Assignment::field) != assignments.end();
  }

  void check_made(const Entity& made) {
    for (const Assignment& one : consequence_.set) {
      check_assignment(one, made);
      const Attribute* const field = made.find_field(one.field);
      if (field != nullptr && field->is_computed())
        refuse(one.at, "`" + one.field + "` is computed, and cannot be set",
               "Set the fields it is computed from.");
    }
    const std::vector<std::string> keys = made.key_fields();
    for (const Attribute& field : made.fields) {
      if (!all_read_) break;  // a value may be there, and wrong
      const bool is_needed = field.required || std::ranges::find(keys, field.name) != keys.end();
      const bool is_made =
          field.is_computed() || field.otherwise || field.when || field.generate != Attribute::Generate::No;
      if (is_needed && !is_made && !is_given(consequence_.set, field.name))
        refuse_missing(made, field.name, consequence_.entity.at);
    }
    if (is_copied(design_, made)) {
      refuse(consequence_.entity.at, "a `" + made.name + "` is a copy, which changes with its source",
             "Put another entity.");
    }
    check_chain(made);
  }

  // A consequence of a consequence could have another, without end.
  void check_chain(const Entity& made) {
    std::vector<std::string> written{made.name};
    for (const Copy& copy : design_.copies) {
      if (copy.from.text == made.name && copy.kind != Copy::Kind::Snapshot) written.push_back(copy.to.text);
    }
    for (const Consequence& other : design_.consequences) {
      for (const Word& name : other.of) {
        if (std::ranges::find(written, name.text) == written.end()) continue;
        refuse(consequence_.entity.at,
               "it writes a `" + name.text + "`, whose changes have the consequence `" + other.name + "`",
               "Consequences have none themselves: leave `" + name.text + "` out of `" + other.name + "`.");
      }
    }
  }

  const Design& design_;
  const Consequence& consequence_;
  Problems& problems_;
  const bool all_read_;
};

}  // namespace

void validate_consequences(const Design& design, Problems& problems) {
  for (const Consequence& consequence : design.consequences)
    ConsequenceCheck(design, consequence, problems).check();
}

}  // namespace tavola::design
