#include "workshop/cost/estimate.h"

#include <algorithm>
#include <map>
#include <set>

#include "design/model/dependencies.h"
#include "design/requests/pattern_request.h"

namespace tavola::workshop {
namespace {

using design::Consequence;
using design::Copy;
using design::Design;
using design::Entity;
using design::Operation;
using design::Step;

std::int64_t blocks(std::size_t bytes, std::size_t block) {
  return static_cast<std::int64_t>(std::max<std::size_t>(1, (bytes + block - 1) / block));
}

// Counts the item and its entries in all indexes. An entry that moves is written twice; the estimate ignores
// that.
Units units_to_write(const Design& design, const Entity& entity) {
  Units units = write_units(item_bytes(design, entity));
  for (const design::Index& index : design.indexes) {
    if (entity.find_index(index.name) == nullptr) continue;
    units = units + write_units(entry_bytes(design, entity, index));
  }
  return units;
}

std::string_view verb(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::Put:
      return "put ";
    case Step::Kind::Update:
      return "update ";
    case Step::Kind::Delete:
      return "delete ";
    case Step::Kind::Check:
      return "check ";
    case Step::Kind::Transition:
      return "transition ";
  }
  return "";
}

bool is_kept_in_step(const Copy& copy, const Entity& from) {
  return copy.from.text == from.name && copy.kind != Copy::Kind::Snapshot &&
         copy.mode == Copy::Mode::Transaction;
}

design::FieldNames changed_by(const Entity& entity, const Step& step) {
  design::FieldNames fields;
  for (const design::Assignment& assignment : step.set) fields.insert(assignment.field);
  for (const design::Word& word : step.remove) fields.insert(word.text);
  if (const design::Transition* transition = entity.find_transition(step.transition.text)) {
    for (const design::Assignment& assignment : transition->set) fields.insert(assignment.field);
  }
  return fields;
}

class Estimator {
 public:
  Estimator(const Design& design, const Operation& operation) : design_(design), operation_(operation) {}

  OperationEstimate run() {
    if (!operation_.idempotent_by.empty()) {
      read("record of the operation", kOnceBytes, 1);
      write("record of the operation", kOnceBytes, write_units(kOnceBytes));
      are_new_since(0);
    }
    for (const design::ReadFirst& first : operation_.reads) {
      if (const Entity* entity = design_.find_entity(first.entity.text)) get(*entity, first.key);
    }
    for (const Step& step : operation_.steps) {
      if (const Entity* entity = design_.find_entity(step.entity.text)) add(step, *entity);
    }
    // An item that was read first must be unchanged: by a condition of its write, or by a check.
    for (const design::ReadFirst& first : operation_.reads) {
      const Entity* const entity = design_.find_entity(first.entity.text);
      if (entity == nullptr || copied_to_.contains(entity->name)) continue;
      if (!written_.insert(item_name(*entity, first.key)).second) continue;
      write("check " + entity->name, item_bytes(design_, *entity), write_units(item_bytes(design_, *entity)));
    }
    for (const auto& [name, entity] : related_) {
      if (written_.contains(name) || copied_to_.contains(entity->name)) continue;
      write("check " + entity->name, item_bytes(design_, *entity), write_units(item_bytes(design_, *entity)));
    }
    out_.is_transaction = out_.writes.size() > 1;
    for (Access& access : out_.writes) {
      if (out_.is_transaction) access.units = access.units * 2;
      out_.write_units = out_.write_units + access.units;
    }
    for (const Access& access : out_.reads) out_.read_units = out_.read_units + access.units;
    if (!std::ranges::all_of(out_.writes, &Access::is_new)) {
      for (const Access& access : out_.writes)
        out_.read_by_front = out_.read_by_front + workshop::read_units(access.bytes, Consistency::Strong);
    }
    return std::move(out_);
  }

 private:
  void read(std::string what, std::size_t bytes, std::int64_t times) {
    out_.reads.push_back({std::move(what), bytes, read_units(bytes, Consistency::Strong) * times});
  }
  void write(std::string what, std::size_t bytes, Units units) {
    out_.writes.push_back({std::move(what), bytes, units});
  }
  // All writes from this one on are of new items.
  void are_new_since(std::size_t first) {
    for (std::size_t i = first; i < out_.writes.size(); ++i) out_.writes[i].is_new = true;
  }

  // Returns the item of a step or a read, in the notation of designs: "Product shopId=:shopId
  // productId=:productId".
  static std::string item_name(const Entity& entity, const std::vector<design::Assignment>& key) {
    std::map<std::string, std::string> parts;
    for (const design::Assignment& assignment : key) parts[assignment.field] = assignment.value.text();
    std::string name = entity.name;
    for (const auto& [field, rule] : parts) name.append(" ").append(field).append("=").append(rule);
    return name;
  }

  // Counts each item once.
  void get(const Entity& entity, const std::vector<design::Assignment>& key) {
    if (!read_.insert(item_name(entity, key)).second) return;
    read("get " + entity.name, item_bytes(design_, entity), 1);
  }

  void add(const Step& step, const Entity& entity) {
    written_.insert(item_name(entity, step.key));
    const std::int64_t times = step.each.empty() ? 1 : kEachItems;
    const std::size_t bytes = item_bytes(design_, entity);
    if (!step.each.empty()) {
      read("query " + step.each.text, bytes * kEachItems, 1);
    } else if (needs_stored(step, entity)) {
      get(entity, step.key);
    }
    const Units units = step.kind == Step::Kind::Check ? write_units(bytes) : units_to_write(design_, entity);
    const bool creates = step.kind == Step::Kind::Put && step.exists == false;
    for (std::int64_t i = 0; i < times; ++i) {
      const std::size_t first = out_.writes.size();
      write(std::string(verb(step.kind)) + entity.name, bytes, units);
      if (creates) are_new_since(first);
      if (step.kind != Step::Kind::Check) add_consequences(step, entity);
    }
  }

  // Returns whether the stored item must be known, because other items depend on it.
  bool needs_stored(const Step& step, const Entity& entity) const {
    if (step.returns_existing) return true;
    if (step.kind == Step::Kind::Check || step.exists == false) return false;
    if (step.kind == Step::Kind::Put || step.kind == Step::Kind::Delete) {
      return std::ranges::any_of(design_.copies,
                                 [&](const Copy& copy) { return is_kept_in_step(copy, entity); }) ||
             std::ranges::any_of(design_.consequences,
                                 [&](const Consequence& one) { return is_of(one, entity); }) ||
             std::ranges::any_of(entity.fields, [](const auto& field) { return field.unique.has_value(); });
    }
    return !affected(step, entity).empty();
  }
  std::vector<design::Derived> affected(const Step& step, const Entity& entity) const {
    return design::affected_by(changed_by(entity, step), design::derived_of(design_, entity, {}));
  }
  bool affects(const Step& step, const Entity& entity, design::Derived::Kind kind,
               const std::string& name) const {
    if (step.kind != Step::Kind::Update && step.kind != Step::Kind::Transition) return true;
    return std::ranges::any_of(affected(step, entity), [&](const design::Derived& derived) {
      return derived.kind == kind && derived.name == name;
    });
  }

  void add_consequences(const Step& step, const Entity& entity) {
    for (const Copy& copy : design_.copies) {
      const Entity* const to = design_.find_entity(copy.to.text);
      if (to == nullptr || !is_kept_in_step(copy, entity)) continue;
      if (!affects(step, entity, design::Derived::Kind::Copy, copy.name)) continue;
      copied_to_.insert(to->name);
      const std::int64_t times = copy.kind == Copy::Kind::Fanout ? kFanoutItems : 1;
      for (std::int64_t i = 0; i < times; ++i) {
        write("copy " + copy.name + " to " + to->name, item_bytes(design_, *to),
              units_to_write(design_, *to));
      }
    }
    for (const design::Attribute& field : entity.fields) {
      if (!field.unique || !affects(step, entity, design::Derived::Kind::Unique, field.name)) continue;
      write("guard of " + field.name, kGuardBytes, write_units(kGuardBytes));
    }
    for (const Consequence& consequence : design_.consequences) {
      if (is_of(consequence, entity) && may_have(step, entity, consequence))
        add_consequence(step, consequence);
    }
  }

  static bool may_have(const Step& step, const Entity& entity, const Consequence& consequence) {
    if (step.kind == Step::Kind::Delete) return consequence.on_delete;
    if (step.kind == Step::Kind::Put)
      return (step.exists != true && consequence.on_create) ||
             (step.exists != false && consequence.on_update);
    if (!consequence.on_update) return false;
    const design::FieldNames deciding = design::deciding_fields(consequence);
    const design::FieldNames changed = changed_by(entity, step);
    return deciding.empty() ||
           std::ranges::any_of(changed, [&](const std::string& field) { return deciding.contains(field); });
  }

  void add_consequence(const Step& step, const Consequence& consequence) {
    for (const design::ReadFirst& first : consequence.reads) {
      const Entity* const related = design_.find_entity(first.entity.text);
      if (related == nullptr) continue;
      std::vector<design::Assignment> key = first.key;
      for (design::Assignment& part : key) {
        const auto said = std::ranges::find(step.key, part.value.text(), &design::Assignment::field);
        if (said != step.key.end()) part.value = said->value;
      }
      get(*related, key);
      related_[item_name(*related, key)] = related;
    }
    const Entity* const to = design_.find_entity(consequence.entity.text);
    if (to == nullptr) return;
    write("consequence " + consequence.name + ": put " + to->name, item_bytes(design_, *to),
          units_to_write(design_, *to));
  }

  const Design& design_;
  const Operation& operation_;
  std::set<std::string> read_;
  std::set<std::string> written_;
  std::map<std::string, const Entity*> related_;  // read for consequences, by item_name()
  std::set<std::string> copied_to_;               // targets of copies: probably items that were read
  OperationEstimate out_;
};

}  // namespace

std::string to_text(Units units) {
  return std::to_string(units.halves / 2) + (units.halves % 2 == 0 ? "" : ".5");
}

Units read_units(std::size_t bytes, Consistency consistency) {
  return {blocks(bytes, 4096) * (consistency == Consistency::Strong ? 2 : 1)};
}

Units write_units(std::size_t bytes) { return {blocks(bytes, 1024) * 2}; }

Units units_to_read(const Design& design, const design::Pattern& pattern, std::int64_t items) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, items));
  const Consistency consistency = pattern.consistent ? Consistency::Strong : Consistency::Eventual;
  const Units found = read_units(bytes_read(design, pattern) * count, consistency);
  if (pattern.follow.empty()) return found;
  return found + units_to_follow(design, pattern) * static_cast<std::int64_t>(count);
}

Units units_to_follow(const Design& design, const design::Pattern& pattern) {
  const Entity* const target = design::found_by(design, pattern);
  return read_units(target == nullptr ? 0 : item_bytes(design, *target),
                    pattern.consistent ? Consistency::Strong : Consistency::Eventual);
}

OperationEstimate estimate(const Design& design, const Operation& operation) {
  return Estimator(design, operation).run();
}

}  // namespace tavola::workshop
