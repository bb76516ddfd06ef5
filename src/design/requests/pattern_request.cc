#include "design/requests/pattern_request.h"

#include <algorithm>

#include "design/items/entity_item.h"
#include "design/model/arguments.h"
#include "design/model/placeholder_text.h"
#include "value/limits.h"

namespace tavola::design {
namespace {

// The greatest character: no text with the same beginning sorts after it.
constexpr std::string_view kGreatestCharacter = "\xF4\x8F\xBF\xBF";

Error missing(const Template& of) {
  const std::vector<std::string> fields = of.fields();
  const std::string name = fields.empty() ? of.text() : fields.back();
  return {ErrorCode::Validation, name + " is required", std::make_shared<BadParameter>(name)};
}

Result<Value> rendered(const Pattern& pattern, const Template& of, const Item& parameters, Type type) {
  TAVOLA_TRY(std::optional<Value> value, of.render(parameters, pattern.forms(), type));
  if (!value) return fail(missing(of));
  const bool is_hash = pattern.hash && &of == &*pattern.hash;
  TAVOLA_CHECK(check_key_length(of, parameters, *value,
                                is_hash ? limits::kPartitionKeyBytesMax : limits::kSortKeyBytesMax));
  return *std::move(value);
}

bool is_before(const Value& a, const Value& b) {
  if (a.is_string() && b.is_string()) return a.string() < b.string();
  return a.is_number() && b.is_number() && a.number() < b.number();
}

// DynamoDB refuses such a range, too, with an error about keys.
Error reversed(const Template& first, const Template& second) {
  const auto name = [](const Template& of) { return of.is_literal() ? of.text() : of.fields().back(); };
  std::string message = name(second) + " must not come before " + name(first);
  if (second.is_literal()) return Error::validation(std::move(message));
  return bad_part(name(second), std::move(message));
}

std::string_view comparator(RangeCondition::Operator op) {
  switch (op) {
    case RangeCondition::Operator::Less:
      return " < ";
    case RangeCondition::Operator::LessEqual:
      return " <= ";
    case RangeCondition::Operator::Greater:
      return " > ";
    case RangeCondition::Operator::GreaterEqual:
      return " >= ";
    default:
      return " = ";
  }
}

struct Keys {
  const KeyAttribute* hash = nullptr;
  const KeyAttribute* range = nullptr;
};

Keys keys_of(const Design& design, const Pattern& pattern) {
  if (const Index* index = design.find_index(pattern.via.text)) {
    return {&index->hash, index->range ? &*index->range : nullptr};
  }
  return {&design.table.hash, design.table.range ? &*design.table.range : nullptr};
}

Result<std::string> range_condition(const Pattern& pattern, const KeyAttribute& key, const Item& parameters,
                                    expr::ExpressionParts& parts) {
  using Operator = RangeCondition::Operator;
  if (!pattern.range) return std::string();
  const RangeCondition& range = *pattern.range;
  TAVOLA_TRY(const Value first, rendered(pattern, range.first, parameters, key.type));
  const std::string name = parts.name(key.name);
  if (range.op == Operator::BeginsWith) return "begins_with(" + name + ", " + parts.value(first) + ")";
  if (range.op != Operator::Between && range.op != Operator::Through) {
    return name + std::string(comparator(range.op)) + parts.value(first);
  }
  const Template& last = range.second ? *range.second : range.first;
  TAVOLA_TRY(Value second, rendered(pattern, last, parameters, key.type));
  if (range.op == Operator::Through && second.is_string()) {
    second = Value(second.string() + std::string(kGreatestCharacter));
  }
  // Two statements: the order in which + computes its operands is not defined.
  const std::string from = parts.value(first);
  return name + " BETWEEN " + from + " AND " + parts.value(second);
}

Result<std::string> filter(const Pattern& pattern, const Item& parameters, const Ambient& ambient,
                           expr::ExpressionParts& parts) {
  if (!pattern.filter) return std::string();
  return pattern.filter->lower(ambient.with({.parameters = &parameters}), parts);
}

// DynamoDB's GetItem has no filter: with one it is a query for one key.
Result<ReadRequest> get_filtered(const Design& design, const Pattern& pattern, const Item& key,
                                 const Item& parameters, const Ambient& ambient) {
  expr::ExpressionParts parts;
  QueryRequest request{.table_name = design.table.name, .consistent_read = pattern.consistent};
  for (const auto& [name, value] : key) {
    request.key_condition_expression += (request.key_condition_expression.empty() ? "" : " AND ");
    request.key_condition_expression += parts.name(name) + " = ";
    request.key_condition_expression += parts.value(value);
  }
  TAVOLA_TRY(request.filter_expression, filter(pattern, parameters, ambient, parts));
  request.names = parts.names();
  TAVOLA_TRY(request.values, pack(parts.values()));
  return ReadRequest(std::move(request));
}

Result<ReadRequest> get(const Design& design, const Pattern& pattern, const Item& parameters,
                        const Ambient& ambient) {
  TAVOLA_TRY(const Item key, key_of(design, *design.find_entity(pattern.entity.text), parameters));
  if (pattern.filter) return get_filtered(design, pattern, key, parameters, ambient);
  GetItemRequest request{.table_name = design.table.name, .consistent_read = pattern.consistent};
  TAVOLA_TRY(request.key, pack(key));
  return ReadRequest(std::move(request));
}

Result<ReadRequest> query(const Design& design, const Pattern& pattern, const Item& parameters,
                          const Ambient& ambient) {
  const Keys keys = keys_of(design, pattern);
  expr::ExpressionParts parts;
  QueryRequest request{.table_name = design.table.name,
                       .index_name = design.find_index(pattern.via.text) != nullptr ? pattern.via.text : "",
                       .scan_index_forward = !pattern.backwards,
                       .consistent_read = pattern.consistent};
  if (!pattern.hash) return fail(Error::internal("a query without a partition key"));
  TAVOLA_TRY(const Value hash, rendered(pattern, *pattern.hash, parameters, keys.hash->type));
  request.key_condition_expression = parts.name(keys.hash->name) + " = ";
  request.key_condition_expression += parts.value(hash);
  if (pattern.range) {
    TAVOLA_TRY(const std::string range, range_condition(pattern, *keys.range, parameters, parts));
    request.key_condition_expression += " AND " + range;
  }
  TAVOLA_TRY(request.filter_expression, filter(pattern, parameters, ambient, parts));
  request.names = parts.names();
  TAVOLA_TRY(request.values, pack(parts.values()));
  return ReadRequest(std::move(request));
}

Result<ReadRequest> scan(const Design& design, const Pattern& pattern, const Item& parameters,
                         const Ambient& ambient) {
  expr::ExpressionParts parts;
  ScanRequest request{.table_name = design.table.name,
                      .index_name = design.find_index(pattern.via.text) != nullptr ? pattern.via.text : "",
                      .consistent_read = pattern.consistent};
  TAVOLA_TRY(request.filter_expression, filter(pattern, parameters, ambient, parts));
  request.names = parts.names();
  TAVOLA_TRY(request.values, pack(parts.values()));
  return ReadRequest(std::move(request));
}

// `within` are the unions and the aggregate that the pattern is a part of; one that includes itself is not followed.
void add_parts(const Design& design, const Pattern& pattern, std::vector<const Pattern*>& within,
               std::vector<const Pattern*>& parts) {
  const bool is_aggregate = pattern.form == Pattern::Form::Aggregate;
  if (pattern.form != Pattern::Form::Union && !is_aggregate) {
    parts.push_back(&pattern);
    return;
  }
  if (std::ranges::find(within, &pattern) != within.end() || (is_aggregate && !within.empty())) return;
  within.push_back(&pattern);
  for (const Word& word : is_aggregate ? std::vector<Word>{pattern.over} : pattern.parts) {
    if (const Pattern* part = design.find_pattern(word.text)) add_parts(design, *part, within, parts);
  }
  within.pop_back();
}

}  // namespace

Result<ReadRequest> read_request(const Design& design, const Pattern& pattern, const Item& parameters,
                                 const Ambient& ambient) {
  switch (pattern.form) {
    case Pattern::Form::Get:
      return get(design, pattern, parameters, ambient);
    case Pattern::Form::Query:
      return query(design, pattern, parameters, ambient);
    case Pattern::Form::Scan:
      return scan(design, pattern, parameters, ambient);
    default:
      return fail(Error::validation("the pattern " + pattern.name + " cannot be run as a request"));
  }
}

Result<void> check_range(const Design& design, const Pattern& pattern, const Item& parameters) {
  using Operator = RangeCondition::Operator;
  const KeyAttribute* const key = keys_of(design, pattern).range;
  if (pattern.form != Pattern::Form::Query || !pattern.range || key == nullptr) return {};
  const RangeCondition& range = *pattern.range;
  if (!range.second) return {};
  TAVOLA_TRY(const Value first, rendered(pattern, range.first, parameters, key->type));
  TAVOLA_TRY(Value second, rendered(pattern, *range.second, parameters, key->type));
  if (range.op == Operator::Through && second.is_string())
    second = Value(second.string() + std::string(kGreatestCharacter));
  if (is_before(second, first)) return fail(reversed(range.first, *range.second));
  return {};
}

const Entity* found_by(const Design& design, const Pattern& pattern) {
  if (pattern.form == Pattern::Form::Aggregate) return pattern.row.get();
  const Entity* const entity = design.find_entity(pattern.entity.text);
  if (entity == nullptr || pattern.follow.empty()) return entity;
  const Attribute* const reference = entity->find_field(pattern.follow.text);
  return reference == nullptr ? nullptr : design.find_entity(reference->ref);
}

const Entity* aggregated_entity(const Design& design, const Pattern& pattern) {
  const Entity* entity = nullptr;
  if (pattern.form == Pattern::Form::Aggregate || pattern.planned) return nullptr;
  for (const Pattern* part : parts_of(design, pattern)) {
    const bool is_read = part->form == Pattern::Form::Get || part->form == Pattern::Form::Query ||
                         part->form == Pattern::Form::Scan;
    const Entity* const found = is_read ? found_by(design, *part) : nullptr;
    if (found == nullptr || (entity != nullptr && found != entity)) return nullptr;
    entity = found;
  }
  return entity;
}

std::vector<const Pattern*> parts_of(const Design& design, const Pattern& pattern) {
  std::vector<const Pattern*> parts;
  std::vector<const Pattern*> within;
  add_parts(design, pattern, within, parts);
  return parts;
}

}  // namespace tavola::design
