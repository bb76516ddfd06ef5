// All messages of this room to a user, in AWS's words. The logic names the fault; the words are here. Sources: messages
// recorded from AWS in public conformance suites (dynalite, Alternator, dynamodb-conformance); testdata/*.cases pins
// them as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/expression.h>
#include <tavola/packed.h>

namespace tavola::expr {

// The parameter that a text came from: its name starts the message. A rule comes from a design, is parsed in a wider
// dialect, and has its own messages (parser_rule.cc).
enum class ExpressionKind : std::uint8_t { Condition, Filter, KeyCondition, Projection, Update, Rule };

namespace messages {

// "Invalid UpdateExpression: <detail>".
Error invalid(ExpressionKind kind, std::string_view detail);

// Text and structure of an expression.
std::string empty_expression();
std::string expression_too_long(std::size_t bytes);
std::string syntax_error(std::string_view token, std::string_view near);
std::string redundant_parentheses();
std::string too_many_operators(std::size_t count);
std::string reserved_word(std::string_view word);
std::string index_out_of_range(std::string_view index);
std::string unknown_function(std::string_view name);
std::string function_not_in_condition(std::string_view name);
std::string function_not_in_update(std::string_view name);
std::string function_misused(std::string_view name);
std::string section_repeated(std::string_view section);

// Names, values and their meaning.
std::string undefined_name(std::string_view placeholder);
std::string undefined_value(std::string_view placeholder);
std::string path_too_deep(std::size_t levels);
std::string paths_overlap(std::string_view one, std::string_view two);
std::string paths_conflict(std::string_view one, std::string_view two);
std::string operand_count(std::string_view function, std::size_t count);
std::string operands_not_distinct(std::string_view op, std::string_view path);
std::string path_required(std::string_view function);
std::string operand_type(std::string_view function, std::string_view type);
std::string any_operand_type();  // AWS's name for the type of a path, which is known only with the item
std::string section_operand_type(std::string_view section, Type type);
std::string unknown_type_name(std::string_view name);
std::string too_many_in_operands(std::size_t count);
std::string between_types_differ(ValueView low, ValueView high);
std::string between_bounds_reversed(ValueView low, ValueView high);

// Key conditions, after parsing: these messages do not start with the parameter's name.
Error key_condition_operator(std::string_view op);
Error key_condition_nested_operation();
Error key_condition_nested_attribute();
Error key_condition_first_operand(std::string_view op);
Error key_condition_many_attributes();
Error key_condition_no_attribute();
Error key_condition_repeated();

// Applying an update to an item.
Error missing_attribute();
Error operand_data_type();
Error path_invalid_for_update();
Error legacy_type_mismatch();

// ExpressionAttributeNames and ExpressionAttributeValues as a whole. `keys` is "#a, #b".
Error unused_names(std::string_view keys);
Error unused_values(std::string_view keys);
Error name_key_too_long(std::size_t bytes);
Error value_key_too_long();
Error malformed_name_key(std::string_view key);
Error empty_name(std::string_view key);
Error malformed_value_key(std::string_view key);

// Legacy parameters.
Error legacy_argument_count(ComparisonOperator op);
Error legacy_mixed_types();
Error legacy_operand_type(ComparisonOperator op, Type type);
Error legacy_between_reversed();
Error legacy_value_and_list(std::string_view attribute);
Error legacy_exists_and_operator(std::string_view attribute);
Error legacy_operator_without_value(ComparisonOperator op, std::string_view attribute);
Error legacy_list_without_operator(std::string_view attribute);
Error legacy_exists_without_value(std::string_view exists, std::string_view attribute);
Error legacy_not_exists_with_value(std::string_view attribute);
Error legacy_not_indexable();
Error legacy_duplicate_attribute(std::string_view attribute);
Error legacy_update_without_value();
Error legacy_delete_type(Type type);
Error legacy_add_type(Type type);

}  // namespace messages
}  // namespace tavola::expr
