// The section `retention` and its consequences for the rest of a design: an expiring entity has a time of expiry, and
// soft-deleted items are found only on request. Both are written into the model as if they stood in the file, so that
// every reader of the model treats them alike.
#include <algorithm>

#include "design/language/language.h"
#include "design/language/reading.h"
#include "design/model/dependencies.h"

namespace tavola::design {
namespace {

using yaml::Node;
using Form = Pattern::Form;
using StepKind = Step::Kind;
using TypeKind = AttributeType::Kind;

constexpr std::string_view kUsualTtl = "expiresAt";

Retention::Kind read_kind(const Node& node) {
  if (node.find("archive") != nullptr) return Retention::Kind::Archive;
  if (node.find("delete") != nullptr) return Retention::Kind::SoftDelete;
  return node.find("expire") != nullptr ? Retention::Kind::Expire : Retention::Kind::Keep;
}

// ---- Expiry ----

// Returns the time of expiry as a formula over the field `by`: milliseconds, or seconds if the field counts
// them.
std::string expiry_rule(const Attribute& by, std::chrono::milliseconds after) {
  const std::string seconds = std::to_string(std::chrono::floor<std::chrono::seconds>(after).count());
  if (by.type.kind == TypeKind::TimestampS) return by.name + " + " + seconds;
  if (by.type.kind == TypeKind::TimestampMs) return by.name + " + " + seconds + "s";
  return "ms(" + by.name + ") + " + seconds + "s";
}

Attribute& ttl_field(const Design& design, Entity& entity, const Retention& retention) {
  const auto found = std::ranges::find(entity.fields, design.table.ttl, &Attribute::name);
  if (found != entity.fields.end()) return *found;
  Attribute& added = entity.fields.emplace_back();
  added.name = design.table.ttl;
  added.type.kind = TypeKind::TimestampS;
  added.notes.doc = "The time of expiry.";
  added.at = retention.at;
  added.type_at = retention.at;
  added.value_at = retention.at;
  return added;
}

void derive_expiry(const Design& design, Entity& entity, const Retention& retention) {
  const Attribute* by = entity.find_field(retention.by);
  if (by == nullptr || !by->type.is_timestamp() || !retention.after) return;
  if (by->name == design.table.ttl) return;  // the writer of the item sets the expiry
  const std::string rule = expiry_rule(*by, *retention.after);
  Attribute& field = ttl_field(design, entity, retention);
  if (field.is_computed() || field.type.kind != TypeKind::TimestampS) return;
  std::expected<Rule, expr::RuleProblem> parsed = Rule::parse(rule, Rule::Form::Value, Vocabulary(&entity));
  if (parsed) field.derive = *std::move(parsed);
}

// ---- Soft deletion ----

bool mentions(const std::optional<Rule>& rule, const std::string& field) {
  return rule && fields_read(*rule).contains(field);
}

// Returns `NOT exists(deletedAt)` joined to the given rule.
std::optional<Rule> not_deleted(const Entity& entity, const std::string& attribute,
                                const std::optional<Rule>& said) {
  const std::string mark = "NOT exists(" + attribute + ")";
  std::expected<Rule, expr::RuleProblem> rule = Rule::parse(
      said ? "(" + said->text() + ") AND " + mark : mark, Rule::Form::Condition, Vocabulary(&entity));
  return rule ? std::optional(*std::move(rule)) : said;
}

void hide_from(Pattern& pattern, const Entity& entity, const std::string& attribute) {
  if (pattern.form != Form::Get && pattern.form != Form::Query && pattern.form != Form::Scan) return;
  const IndexEntry* entry = entity.find_index(pattern.via.text);
  if (mentions(pattern.filter, attribute)) return;
  if (entry != nullptr && mentions(entry->when, attribute)) return;  // deleted items are not in the index
  if (!pattern.filter) pattern.filter_at = pattern.at;
  pattern.filter = not_deleted(entity, attribute, pattern.filter);
}

bool names(const Step& step, const std::string& attribute) {
  const auto in_requirement = [&](const Requirement& one) {
    return fields_read(one.that).contains(attribute);
  };
  const auto is_removed = [&](const Word& word) { return word.text == attribute; };
  return std::ranges::any_of(step.require, in_requirement) || assigns(step.set, attribute) ||
         std::ranges::any_of(step.remove, is_removed);
}

void hide_from(Step& step, const Entity& entity, const std::string& attribute) {
  const bool needs_it = step.kind == StepKind::Update || step.kind == StepKind::Transition ||
                        (step.kind == StepKind::Check && step.exists.value_or(true));
  if (!needs_it || names(step, attribute)) return;
  std::optional<Rule> rule = not_deleted(entity, attribute, std::nullopt);
  if (!rule) return;
  std::string refusal = step.otherwise.empty() ? "NOT_FOUND" : step.otherwise;
  step.require.insert(step.require.begin(),
                      {.that = *std::move(rule), .otherwise = std::move(refusal), .at = step.at});
}

}  // namespace

void read_retention(const Node& root, Design& design) {
  for (const auto& [key, node] : entries_at(root, "retention")) {
    Retention& retention = design.retention.emplace_back();
    retention.entity = key.text;
    retention.kind = read_kind(node);
    retention.keep = text_at(node, "keep");
    retention.archive_to = text_at(node, "archive");
    retention.after = parse_duration(text_at(node, "after"));
    retention.by = text_at(node, "by");
    retention.by_at = word_at(node, "by").at;
    retention.attribute = text_at(node, "attribute");
    retention.attribute_at = word_at(node, "attribute").at;
    retention.why = text_at(node, "why");
    retention.at = key.span;
  }
  const bool expires = std::ranges::any_of(
      design.retention, [](const Retention& one) { return one.kind == Retention::Kind::Expire; });
  if (expires && design.table.ttl.empty()) design.table.ttl = kUsualTtl;
  for (const Retention& retention : design.retention) {
    const auto entity = std::ranges::find(design.entities, retention.entity, &Entity::name);
    if (entity == design.entities.end() || retention.kind != Retention::Kind::Expire) continue;
    derive_expiry(design, *entity, retention);
  }
}

void hide_deleted(Design& design) {
  for (const Retention& retention : design.retention) {
    const Entity* entity = design.find_entity(retention.entity);
    if (entity == nullptr || retention.kind != Retention::Kind::SoftDelete) continue;
    if (entity->find_field(retention.attribute) == nullptr) continue;
    for (Pattern& pattern : design.patterns) {
      if (pattern.entity.text == entity->name) hide_from(pattern, *entity, retention.attribute);
    }
    for (Operation& operation : design.operations) {
      for (Step& step : operation.steps) {
        if (step.entity.text == entity->name) hide_from(step, *entity, retention.attribute);
      }
    }
  }
}

}  // namespace tavola::design
