// Lints about uses: patterns, indexes, operations, lifecycles.
#include <algorithm>
#include <set>

#include "design/lint/lints.h"
#include "design/model/dependencies.h"

namespace tavola::design {
namespace {

// A pattern excludes soft-deleted items unless its filter or its index names the mark.
void lint_soft_delete(Lints& lints, const Pattern& pattern) {
  const Retention* retention = lints.design().find_retention(pattern.entity.text);
  if (retention == nullptr || retention->kind != Retention::Kind::SoftDelete) return;
  const std::string& attribute = retention->attribute;
  const auto leaves_out = [&attribute](const std::optional<Rule>& rule) {
    return rule && (rule->text().contains("NOT exists(" + attribute + ")") ||
                    rule->text().contains("attribute_not_exists(" + attribute + ")"));
  };
  const Entity* entity = lints.design().find_entity(pattern.entity.text);
  const IndexEntry* entry = entity == nullptr ? nullptr : entity->find_index(pattern.via.text);
  if (leaves_out(pattern.filter) || (entry != nullptr && leaves_out(entry->when))) return;
  lints.add(
      "soft-delete-listed", pattern.at, {&pattern.notes},
      pattern.name + " also finds a soft-deleted " + pattern.entity.text,
      "Add `NOT exists(" + attribute + ")` beside the condition on `" + attribute + "`, or accept the lint.");
}

std::string where_keys(const Index& index) {
  return index.hash.name + (index.range ? ", " + index.range->name : "");
}

// Entities by their uses.
struct Uses {
  std::set<std::string> read;
  std::set<std::string> written;
};

Uses uses_of(const Design& design) {
  Uses uses;
  for (const Pattern& pattern : design.patterns) {
    if (!pattern.entity.empty()) uses.read.insert(pattern.entity.text);
    if (pattern.form == Pattern::Form::Transition) {
      uses.read.insert(pattern.transition.substr(0, pattern.transition.find('.')));
    }
  }
  for (const Operation& operation : design.operations) {
    for (const ReadFirst& read : operation.reads) uses.read.insert(read.entity.text);
    for (const Step& step : operation.steps) {
      if (step.kind == Step::Kind::Check) {
        uses.read.insert(step.entity.text);
      } else {
        uses.written.insert(step.entity.text);
      }
    }
  }
  for (const Consequence& consequence : design.consequences) {
    for (const ReadFirst& read : consequence.reads) uses.read.insert(read.entity.text);
    uses.written.insert(consequence.entity.text);
  }
  // A copy is written with its source, and reads its source.
  for (const Copy& copy : design.copies) {
    uses.read.insert(copy.from.text);
    if (uses.written.contains(copy.from.text)) uses.written.insert(copy.to.text);
  }
  return uses;
}

// Returns whether a pattern finds items that have been in the state for long.
bool is_watched(const Design& design, const Lifecycle& lifecycle, const State& state) {
  using Operator = RangeCondition::Operator;
  return std::ranges::any_of(design.patterns, [&](const Pattern& pattern) {
    if (!lifecycle.attribute.empty()) {
      return pattern.filter && pattern.filter->text().find(state.name) != std::string::npos;
    }
    if (pattern.via.text != lifecycle.index || !pattern.range || !state.key) return false;
    const RangeCondition& range = *pattern.range;
    const bool is_bounded = range.op == Operator::Between || range.op == Operator::Through ||
                            range.op == Operator::Less || range.op == Operator::LessEqual;
    const Template& upper = range.second ? *range.second : range.first;
    return is_bounded && !upper.is_literal() && upper.prefix() == state.key->prefix();
  });
}

}  // namespace

void lint_patterns(Lints& lints) {
  for (const Pattern& pattern : lints.design().patterns) {
    if (pattern.form == Pattern::Form::None) {
      lints.add("unserved-pattern", pattern.at, {&pattern.notes}, "no request serves " + pattern.name,
                "Give it get, query, scan or union, or move it to planned.");
    }
    if (pattern.form == Pattern::Form::Scan) {
      lints.add("scan", pattern.at, {&pattern.notes}, pattern.name + " reads the whole table",
                "Add an index that holds exactly these items (an entry with `when`), and query it.");
    }
    if (pattern.form == Pattern::Form::Query || pattern.form == Pattern::Form::Scan) {
      lint_soft_delete(lints, pattern);
    }
  }
}

void lint_indexes(Lints& lints) {
  const Design& design = lints.design();
  for (auto index = design.indexes.begin(); index != design.indexes.end(); ++index) {
    const auto other = std::find_if(design.indexes.begin(), index,
                                    [&](const Index& one) { return where_keys(one) == where_keys(*index); });
    if (other != index) {
      lints.add("duplicate-index", index->at, {&index->notes},
                "the indexes " + other->name + " and " + index->name + " have the same keys",
                "Keep one of them.");
    }
    const auto uses = [&](const Pattern& pattern) { return pattern.via.text == index->name; };
    if (!design.patterns.empty() && std::ranges::none_of(design.patterns, uses)) {
      lints.add("unused-index", index->at, {&index->notes}, "no pattern uses the index " + index->name,
                "Add the pattern that needs it, or remove it.");
    }
  }
}

void lint_operations(Lints& lints) {
  const Design& design = lints.design();
  if (design.operations.empty()) return;  // the design does not describe writes at all
  const Uses uses = uses_of(design);
  for (const Entity& entity : design.entities) {
    const bool read = uses.read.contains(entity.name);
    const bool written = uses.written.contains(entity.name);
    if (written && !read) {
      lints.add("write-without-read", entity.at, {&entity.notes},
                "operations write " + entity.name + ", and no pattern reads it",
                "Add a pattern that reads it, or stop writing it.");
    } else if (read && !written) {
      lints.add("read-without-write", entity.at, {&entity.notes},
                entity.name + " is read, and no operation writes it", "Add the operation that writes it.");
    }
  }
}

void lint_lifecycles(Lints& lints) {
  for (const Entity& entity : lints.design().entities) {
    for (const Lifecycle& lifecycle : entity.lifecycles) {
      for (const State& state : lifecycle.states) {
        const bool is_left = std::ranges::any_of(lifecycle.transitions, [&](const Transition& transition) {
          return std::ranges::any_of(transition.from,
                                     [&](const Word& from) { return from.text == state.name; });
        });
        if (!is_left && !state.terminal) {
          lints.add("dead-end", state.at, {&state.notes, &lifecycle.notes, &entity.notes},
                    "no transition leaves the state " + state.name + " of " + lifecycle.name,
                    "Add a transition from it, or mark it `terminal: true`.");
        }
        if (state.stuck_after && !is_watched(lints.design(), lifecycle, state)) {
          lints.add("stuck-unwatched", state.at, {&state.notes, &lifecycle.notes, &entity.notes},
                    "no pattern finds the items stuck in " + state.name,
                    "Add a query with an upper bound on the time in the key of " + state.name + ".");
        }
      }
    }
  }
}

}  // namespace tavola::design
