#include <algorithm>
#include <set>

#include "design/language/validate.h"
#include "design/language/validate_references.h"
#include "design/requests/pattern_request.h"

namespace tavola::design {
namespace {

using MeasureFunction = Measure::Function;

class AggregateCheck {
 public:
  AggregateCheck(const Design& design, const Pattern& pattern, Problems& problems)
      : design_(design), pattern_(pattern), problems_(problems) {}

  void check() {
    if (!check_over()) return;
    if (pattern_.limit && *pattern_.limit == 0)
      report(pattern_.at, "an aggregate has at least one row", "Write a limit from 1.");
    std::set<std::string_view> names;
    for (const Attribute& column : pattern_.row->fields) {
      if (!names.insert(column.name).second)
        problems_.error("duplicate-name", column.at, "two columns have the name `" + column.name + "`",
                        "Give one of them another name.");
    }
    if (!pattern_.order_by.empty() && !names.contains(pattern_.order_by.text))
      refuse_unknown("unknown-name", pattern_.order_by, "the column", names_of(pattern_.row->fields),
                     problems_);
    for (const Assignment& group : pattern_.by) check_projected(group.value, group.at);
    for (const Measure& measure : pattern_.measures) check_measure(measure);
    for (const Parameter& parameter : pattern_.parameters) check_default(parameter);
  }

 private:
  void report(const Span& at, std::string message, std::string advice) {
    problems_.error("aggregate-form", at, std::move(message), std::move(advice));
  }

  bool check_over() {
    const Pattern* const over = design_.find_pattern(pattern_.over.text);
    if (over == nullptr) {
      refuse_unknown("unknown-pattern", pattern_.over, "the pattern", names_of(design_.patterns), problems_);
      return false;
    }
    entity_ = aggregated_entity(design_, *over);
    if (entity_ != nullptr) return pattern_.row != nullptr;
    report(pattern_.over.at, "`" + over->name + "` does not return the items of one entity",
           "Aggregate a get, query or scan, or a union of those of one entity.");
    return false;
  }

  void check_measure(const Measure& measure) {
    for (const std::optional<Rule>* rule : {&measure.of, &measure.per}) {
      if (!*rule) continue;
      check_projected(**rule, measure.at);
      const bool is_any = measure.function == MeasureFunction::Count ||
                          measure.function == MeasureFunction::Min ||
                          measure.function == MeasureFunction::Max;
      const Attribute* const field = is_any ? nullptr : entity_->find_field((*rule)->text());
      if (field != nullptr && stored_type(field->type) != Type::Number &&
          field->type.kind != AttributeType::Kind::Any) {
        report(measure.at, "`" + field->name + "` is not a number", "Sum up and average numbers only.");
      }
    }
  }

  // An index may have only some of the fields.
  void check_projected(const Rule& rule, const Span& at) {
    for (const Pattern* const part : parts_of(design_, pattern_)) {
      const Index* const index = part->follow.empty() ? design_.find_index(part->via.text) : nullptr;
      if (index == nullptr || index->projection.type == ProjectionType::All) continue;
      const std::vector<std::string> keys = entity_->key_fields();
      const std::vector<std::string>& projected = index->projection.attributes;
      for (const std::vector<std::string>& path : rule.paths()) {
        const std::string& name = path.front();
        const bool is_there = std::ranges::find(keys, name) != keys.end() ||
                              std::ranges::find(projected, name) != projected.end() ||
                              name == index->hash.name || (index->range && name == index->range->name);
        if (is_there) continue;
        report(at, "`" + index->name + "` does not project `" + name + "`",
               "Add it to the index's `project`, or aggregate a pattern of the table.");
        return;
      }
    }
  }

  void check_default(const Parameter& parameter) {
    if (!parameter.otherwise) return;
    for (const std::string& name : parameter.otherwise->parameters()) {
      const auto known = std::ranges::find(pattern_.parameters, name, &Parameter::name);
      if (known != pattern_.parameters.end()) continue;
      refuse_unknown("unknown-name", {name, parameter.at}, "the parameter", names_of(pattern_.parameters),
                     problems_);
    }
  }

  const Design& design_;
  const Pattern& pattern_;
  Problems& problems_;
  const Entity* entity_ = nullptr;
};

}  // namespace

void check_aggregate(const Design& design, const Pattern& pattern, Problems& problems) {
  AggregateCheck(design, pattern, problems).check();
}

}  // namespace tavola::design
