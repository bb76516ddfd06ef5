#include <algorithm>
#include <cctype>
#include <set>

#include "base/joined.h"
#include "design/language/validate.h"
#include "design/language/validate_references.h"
#include "design/model/key_templates.h"

namespace tavola::design {
namespace {

using Form = Pattern::Form;

bool begin_alike(std::string_view a, std::string_view b) { return a.starts_with(b) || b.starts_with(a); }

bool continues_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Returns the position of the word in the text, not as a part of another word.
std::size_t find_word(std::string_view text, std::string_view word) {
  std::size_t at = text.find(word);
  for (; at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !continues_word(text[at - 1]);
    if (begins && (end == text.size() || !continues_word(text[end]))) return at;
  }
  return 0;
}

class PatternCheck {
 public:
  PatternCheck(const Design& design, const Pattern& pattern, Problems& problems)
      : design_(design), pattern_(pattern), problems_(problems) {}

  void check() {
    switch (pattern_.form) {
      case Form::None:
        return;
      case Form::Union:
        return check_union();
      case Form::Aggregate:
        return check_aggregate(design_, pattern_, problems_);
      case Form::Transition:
        return check_transition();
      default:
        break;
    }
    entity_ = require_entity(design_, pattern_.entity, problems_);
    if (entity_ == nullptr) return;
    if (pattern_.form == Form::Query) check_query();
    if (pattern_.form == Form::Get && (pattern_.hash || pattern_.range)) {
      problems_.error("pattern-form", pattern_.at, "a get uses the key of the entity",
                      "Leave out hash and range, or make it a query.");
    }
    if (pattern_.limit && *pattern_.limit == 0)
      problems_.error("pattern-form", pattern_.at, "a page has at least one item", "Write a limit from 1.");
    if (pattern_.filter) check_filter(*pattern_.filter);
    if (!pattern_.follow.empty()) check_follow();
  }

 private:
  void check_union() {
    for (const Word& part : pattern_.parts) {
      const Pattern* const found = design_.find_pattern(part.text);
      if (found == nullptr) {
        refuse_unknown("unknown-pattern", part, "the pattern", names_of(design_.patterns), problems_);
      } else if (found->form == Form::Aggregate) {
        problems_.error("pattern-form", part.at, "`" + part.text + "` is an aggregate",
                        "A union returns items: leave it out, or aggregate the union.");
      }
    }
    std::set<std::string_view> seen;
    if (asks(pattern_, seen)) {
      problems_.error("circular", pattern_.at, "`" + pattern_.name + "` includes itself",
                      "Leave it out of the union.");
    }
  }

  // Returns whether the pattern reaches itself again.
  bool asks(const Pattern& from, std::set<std::string_view>& seen) {
    return std::ranges::any_of(from.parts, [&](const Word& part) {
      if (part.text == pattern_.name) return true;
      const Pattern* next = design_.find_pattern(part.text);
      return next != nullptr && seen.insert(next->name).second && asks(*next, seen);
    });
  }

  void check_transition() {
    const Entity* entity = require_entity(design_, pattern_.entity, problems_);
    if (entity == nullptr) return;
    const std::size_t dot = pattern_.transition.find('.');
    const std::string name = dot == std::string::npos ? "" : pattern_.transition.substr(dot + 1);
    if (entity->find_lifecycle(name) == nullptr && entity->find_transition(name) == nullptr) {
      refuse_unknown("unknown-lifecycle", {name, pattern_.at}, "the lifecycle", names_of(entity->lifecycles),
                     problems_);
    }
  }

  void check_query() {
    const bool of_table = pattern_.via.text == "table";
    index_ = design_.find_index(pattern_.via.text);
    if (!of_table && index_ == nullptr) {
      std::vector<std::string> known = names_of(design_.indexes);
      known.emplace_back("table");
      return refuse_unknown("unknown-index", pattern_.via, "the index", known, problems_);
    }
    if (pattern_.consistent && index_ != nullptr && !index_->local) {
      problems_.error("pattern-form", pattern_.at, "a global index has no consistent reads",
                      "Leave out `consistent`, or query the table.");
    }
    if (!pattern_.hash) {
      if (pattern_.hash_at == Span{}) {
        problems_.error("missing-key", pattern_.at, "`" + pattern_.name + "` has no `hash`",
                        "Add `hash`: a query has one partition key.");
      }
      return;
    }
    if (!of_table && entity_->find_index(pattern_.via.text) == nullptr) {
      problems_.error("never-matches", pattern_.via.at,
                      "`" + entity_->name + "` is not in the index `" + pattern_.via.text + "`",
                      "Query another index, or add this one to the entity's `index`.");
      return;
    }
    const KeyTemplates own = keys_in(design_, *entity_, pattern_.via.text);
    check_hash(*pattern_.hash, own.hash);
    check_range(own.range);
  }

  void check_hash(const Template& hash, const std::vector<Template>& templates) {
    // The fields of a field's template are unknown here: any text may stand for them.
    const bool fits = templates.empty() || std::ranges::any_of(templates, [&](const Template& one) {
                        return hash.overlaps(one, pattern_.forms(), entity_->forms());
                      });
    if (!fits && !RangeCondition::parse(hash.text())) {  // a condition: between-on-hash reports it
      problems_.error("never-matches", pattern_.hash_at,
                      "no `" + entity_->name + "` has a partition key like " + hash.text(),
                      "Its partition key is " + templates.front().text() + ".");
    }
  }

  void check_range(const std::vector<Template>& templates) {
    if (!pattern_.range) return;
    const bool has_range = index_ != nullptr ? index_->range.has_value() : design_.table.range.has_value();
    if (!has_range) {
      problems_.error("unknown-key-attribute", pattern_.range_at,
                      "`" + pattern_.via.text + "` has no sort key", "Leave out `range`.");
      return;
    }
    using Operator = RangeCondition::Operator;
    const Operator op = pattern_.range->op;
    if (op != Operator::Equal && op != Operator::BeginsWith) return;
    const bool fits = templates.empty() || std::ranges::any_of(templates, [&](const Template& one) {
                        return begin_alike(one.prefix(), pattern_.range->first.prefix());
                      });
    if (!fits) {
      problems_.error("never-matches", pattern_.range_at,
                      "no `" + entity_->name + "` has a sort key that begins with " +
                          std::string(pattern_.range->first.prefix()),
                      "Its sort key is " + templates.front().text() + ".");
    }
  }

  bool is_key(std::string_view attribute) const {
    const KeyAttribute& hash = index_ != nullptr ? index_->hash : design_.table.hash;
    const std::optional<KeyAttribute>& range = index_ != nullptr ? index_->range : design_.table.range;
    return hash.name == attribute || (range && range->name == attribute);
  }

  bool is_projected(std::string_view attribute) const {
    if (index_ == nullptr || index_->projection.type == ProjectionType::All) return true;
    const Table& table = design_.table;
    if (table.hash.name == attribute || (table.range && table.range->name == attribute)) return true;
    return std::ranges::find(index_->projection.attributes, attribute) != index_->projection.attributes.end();
  }

  void check_filter(const Rule& filter) {
    require_lowered(filter, pattern_.filter_at, problems_);
    for (const std::vector<std::string>& path : filter.paths()) {
      const std::string& name = path.front();
      const Attribute* field = entity_->find_field(name);
      if (field == nullptr || !field->stored) {
        not_seen({filter.text(), name}, "`" + name + "` is not an attribute: only a key holds it",
                 "Use it in `hash` or `range`, or make it an attribute.");
      } else if (pattern_.form == Form::Query && is_key(name)) {
        not_seen({filter.text(), name}, "`" + name + "` is a key here, and DynamoDB does not filter by keys",
                 "Use it in `hash` or `range`.");
      } else if (!is_projected(name)) {
        not_seen({filter.text(), name}, "`" + pattern_.via.text + "` does not project `" + name + "`",
                 "Add it to the index's `project`, or filter by something else.");
      }
    }
  }

  // The reference must identify an item: at most one field of the target's key is not a field of this entity.
  void check_follow() {
    if (pattern_.form == Form::Get) {
      problems_.error("follow-form", pattern_.follow.at, "a get follows no reference",
                      "Use a query or a scan, or another get with the key of the item.");
      return;
    }
    if (!require_field(*entity_, pattern_.follow, problems_)) return;
    const Attribute* const field = entity_->find_field(pattern_.follow.text);
    const Entity* const target = field == nullptr ? nullptr : design_.find_entity(field->ref);
    if (target == nullptr) {
      if (field != nullptr && !field->ref.empty()) return;  // reported with the field
      problems_.error("follow-form", pattern_.follow.at, "`" + pattern_.follow.text + "` names no item",
                      "Add `ref: Entity` to the field, or follow a field that has one.");
      return;
    }
    std::vector<std::string> needed{pattern_.follow.text};
    std::size_t unknown = 0;
    for (const std::string& name : target->key_fields()) {
      if (entity_->find_field(name) == nullptr) {
        ++unknown;
      } else {
        needed.push_back(name);
      }
    }
    if (unknown > 1) {
      problems_.error("follow-form", pattern_.follow.at,
                      "`" + pattern_.follow.text + "` alone does not identify a `" + target->name + "`",
                      "Its key has the fields " + joined(target->key_fields()) + "; `" + entity_->name +
                          "` needs all but one of them.");
    }
    const std::vector<std::string> in_key = entity_->key_fields();
    for (const std::string& name : needed) {
      if (is_projected(name) || std::ranges::find(in_key, name) != in_key.end()) continue;
      problems_.error("follow-form", pattern_.follow.at,
                      "`" + pattern_.via.text + "` does not project `" + name + "`",
                      "Add it to the index's `project`, or query the table.");
      return;
    }
  }

  // The position of `word` in the text of the filter.
  struct Mention {
    const std::string& text;
    const std::string& word;
  };

  void not_seen(const Mention& field, std::string message, std::string advice) {
    const std::size_t offset = find_word(field.text, field.word);
    problems_.error("filter-not-projected",
                    span_within(pattern_.filter_at, field.text, offset, field.word.size()),
                    std::move(message), std::move(advice));
  }

  const Design& design_;
  const Pattern& pattern_;
  Problems& problems_;
  const Entity* entity_ = nullptr;
  const Index* index_ = nullptr;
};

}  // namespace

void validate_patterns(const Design& design, Problems& problems) {
  for (const Pattern& pattern : design.patterns) {
    // A planned pattern may refer to parts that do not exist yet.
    if (!pattern.planned) PatternCheck(design, pattern, problems).check();
  }
}

}  // namespace tavola::design
