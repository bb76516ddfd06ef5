#include "engine/read/key_range.h"

#include <algorithm>

#include "engine/checks/key_checks.h"
#include "engine/checks/messages.h"
#include "engine/records/keys.h"
#include "value/key_codec.h"

namespace tavola::engine {
namespace {

using expr::KeyOperator;
using expr::KeyTerm;

const KeyTerm* find_term(const expr::KeyCondition& condition, std::string_view attribute) {
  const auto it = std::ranges::find(condition.terms, attribute, &KeyTerm::attribute);
  return it == condition.terms.end() ? nullptr : &*it;
}

Error missing_condition(std::string_view attribute) {
  return Error::validation("Query condition missed key schema element: " + std::string(attribute));
}

Error condition_not_supported() { return Error::validation("Query key condition not supported"); }

Error too_many_conditions(const KeyShape& key, const expr::KeyCondition& condition) {
  return Error::validation("The number of query conditions (" + std::to_string(condition.terms.size()) +
                           ") exceeds the number of key attributes defined in the schema (" +
                           std::to_string(key.hash.size() + key.range.size()) + ")");
}

Result<void> check_operands(const KeyAttribute& attribute, const KeyTerm& term, KeyType role) {
  for (const ValueView& operand : {term.first, term.second}) {
    if (operand.type() != attribute.type) {
      return fail(invalid_parameter("Condition parameter type does not match schema type"));
    }
    TAVOLA_CHECK(check_key_value(attribute, operand, role));
  }
  return {};
}

// All hash attributes must be given by equality.
Result<std::vector<ValueView>> hash_values(const KeyShape& key, const expr::KeyCondition& condition) {
  std::vector<ValueView> values;
  for (const KeyAttribute& attribute : key.hash) {
    const KeyTerm* term = find_term(condition, attribute.name);
    if (term == nullptr) {
      return fail(missing_condition(attribute.name));
    }
    TAVOLA_CHECK(check_operands(attribute, *term, KeyType::Hash));
    if (term->op != KeyOperator::Eq) {
      return fail(condition_not_supported());
    }
    values.push_back(term->first);
  }
  return values;
}

// Range attributes are given from left to right, by equality except for the last one.
Result<std::vector<const KeyTerm*>> range_terms(const KeyShape& key, const expr::KeyCondition& condition) {
  std::vector<const KeyTerm*> terms;
  const std::size_t expected = condition.terms.size() - key.hash.size();
  for (const KeyAttribute& attribute : key.range) {
    if (terms.size() == expected) {
      break;
    }
    const KeyTerm* term = find_term(condition, attribute.name);
    if (term == nullptr) {
      return fail(missing_condition(attribute.name));
    }
    TAVOLA_CHECK(check_operands(attribute, *term, KeyType::Range));
    if (!terms.empty() && terms.back()->op != KeyOperator::Eq) {
      return fail(condition_not_supported());
    }
    terms.push_back(term);
  }
  // A term on an attribute that is not a key of this table or index. AWS's message was captured with a sort key.
  if (terms.size() != expected) {
    return fail(key.range.empty() ? condition_not_supported() : too_many_conditions(key, condition));
  }
  return terms;
}

std::string joined(std::string base, ValueView part) {
  append_key_part(base, part);
  return base;
}

// Every part is self-terminating, so the keys that begin with base+part are exactly those whose next part equals it.
store::KeyRange range_of(const std::string& base, const KeyTerm& term) {
  switch (term.op) {
    case KeyOperator::Eq: {
      const std::string equal = joined(base, term.first);
      return {equal, prefix_successor(equal)};
    }
    case KeyOperator::Lt:
      return {base, joined(base, term.first)};
    case KeyOperator::Le:
      return {base, prefix_successor(joined(base, term.first))};
    case KeyOperator::Gt:
      return {prefix_successor(joined(base, term.first)), prefix_successor(base)};
    case KeyOperator::Ge:
      return {joined(base, term.first), prefix_successor(base)};
    case KeyOperator::Between:
      return {joined(base, term.first), prefix_successor(joined(base, term.second))};
    case KeyOperator::BeginsWith: {
      std::string prefix = base;
      append_key_prefix(prefix, term.first.ordered_bytes());
      return {prefix, prefix_successor(prefix)};
    }
  }
  return {base, prefix_successor(base)};
}

}  // namespace

Result<KeySelection> select_entries(const TableSchema& table, const IndexSchema* index,
                                    const expr::KeyCondition& condition) {
  const KeyShape& key = index != nullptr ? index->key : table.key;
  if (key.size() == 1 && condition.terms.size() > 1) {
    return fail(condition_not_supported());
  }
  TAVOLA_TRY(const std::vector<ValueView> hash, hash_values(key, condition));
  TAVOLA_TRY(const std::vector<const KeyTerm*> terms, range_terms(key, condition));
  KeySelection selection;
  selection.partition = partition_prefix(table.id, index != nullptr ? index->id : kTableItself, hash);
  selection.range = {selection.partition, prefix_successor(selection.partition)};
  selection.has_range_condition = !terms.empty();
  std::string base = selection.partition;
  for (const KeyTerm* term : terms) {
    selection.range = range_of(base, *term);
    base = joined(std::move(base), term->first);  // only matters after an equality
  }
  return selection;
}

}  // namespace tavola::engine
