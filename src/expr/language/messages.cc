#include "expr/language/messages.h"

#include <initializer_list>

#include "base/encoding.h"
#include "expr/language/enum_names.h"

namespace tavola::expr::messages {

namespace {

constexpr std::string_view kInvalidParameter = "One or more parameter values were invalid: ";

std::string join(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

Error refuse(std::initializer_list<std::string_view> pieces) { return Error::validation(join(pieces)); }

std::string_view parameter_name(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::Condition:
      return "ConditionExpression";
    case ExpressionKind::Filter:
      return "FilterExpression";
    case ExpressionKind::KeyCondition:
      return "KeyConditionExpression";
    case ExpressionKind::Projection:
      return "ProjectionExpression";
    case ExpressionKind::Update:
      return "UpdateExpression";
    case ExpressionKind::Rule:
      break;
  }
  return "Expression";
}

// ADD and DELETE spell types out, everything else abbreviates them.
std::string_view long_type_name(Type type) {
  switch (type) {
    case Type::Null:
      return "NULL";
    case Type::Bool:
      return "BOOLEAN";
    case Type::Number:
      return "NUMBER";
    case Type::String:
      return "STRING";
    case Type::Binary:
      return "BINARY";
    case Type::List:
      return "LIST";
    case Type::Map:
      return "MAP";
    case Type::StringSet:
      return "STRING_SET";
    case Type::NumberSet:
      return "NUMBER_SET";
    case Type::BinarySet:
      return "BINARY_SET";
  }
  return "NULL";
}

// A bound of BETWEEN as Java prints it. Only S, N and B reach this.
std::string attribute_value(ValueView value) {
  std::string text;
  switch (value.type()) {
    case Type::String:
      text = value.string();
      break;
    case Type::Number:
      text = value.number().to_string();
      break;
    case Type::Binary:
      text = to_base64(value.binary());
      break;
    default:
      break;
  }
  return join({"AttributeValue: {", type_name(value.type()), ":", text, "}"});
}

}  // namespace

Error invalid(ExpressionKind kind, std::string_view detail) {
  return refuse({"Invalid ", parameter_name(kind), ": ", detail});
}

std::string empty_expression() { return "The expression can not be empty;"; }

std::string expression_too_long(std::size_t bytes) {
  return join(
      {"Expression size has exceeded the maximum allowed size; expression size: ", std::to_string(bytes)});
}

std::string syntax_error(std::string_view token, std::string_view near) {
  return join({"Syntax error; token: \"", token, "\", near: \"", near, "\""});
}

std::string redundant_parentheses() { return "The expression has redundant parentheses;"; }

std::string too_many_operators(std::size_t count) {
  return join({"The expression contains too many operators; operator count: ", std::to_string(count)});
}

std::string reserved_word(std::string_view word) {
  return join({"Attribute name is a reserved keyword; reserved keyword: ", word});
}

std::string index_out_of_range(std::string_view index) {
  return join({"List index is not within the allowable range; index: [", index, "]"});
}

std::string unknown_function(std::string_view name) {
  return join({"Invalid function name; function: ", name});
}

std::string function_not_in_condition(std::string_view name) {
  return join({"The function is not allowed in a condition expression; function: ", name});
}

std::string function_not_in_update(std::string_view name) {
  return join({"The function is not allowed in an update expression; function: ", name});
}

std::string function_misused(std::string_view name) {
  return join({"The function is not allowed to be used this way in an expression; function: ", name});
}

std::string section_repeated(std::string_view section) {
  return join({"The \"", section, "\" section can only be used once in an update expression;"});
}

std::string undefined_name(std::string_view placeholder) {
  return join({"An expression attribute name used in the document path is not defined; attribute name: ",
               placeholder});
}

std::string undefined_value(std::string_view placeholder) {
  return join(
      {"An expression attribute value used in expression is not defined; attribute value: ", placeholder});
}

std::string path_too_deep(std::size_t levels) {
  return join({"The document path has too many nesting levels; nesting levels: ", std::to_string(levels)});
}

std::string paths_overlap(std::string_view one, std::string_view two) {
  return join(
      {"Two document paths overlap with each other; must remove or rewrite one of these paths; path one: ",
       one, ", path two: ", two});
}

std::string paths_conflict(std::string_view one, std::string_view two) {
  return join(
      {"Two document paths conflict with each other; must remove or rewrite one of these paths; path one: ",
       one, ", path two: ", two});
}

std::string operand_count(std::string_view function, std::size_t count) {
  return join({"Incorrect number of operands for operator or function; operator or function: ", function,
               ", number of operands: ", std::to_string(count)});
}

std::string operands_not_distinct(std::string_view op, std::string_view path) {
  return join(
      {"The first operand must be distinct from the remaining operands for this operator or function; "
       "operator: ",
       op, ", first operand: ", path});
}

std::string path_required(std::string_view function) {
  return join({"Operator or function requires a document path; operator or function: ", function});
}

std::string operand_type(std::string_view function, std::string_view type) {
  return join({"Incorrect operand type for operator or function; operator or function: ", function,
               ", operand type: ", type});
}

std::string any_operand_type() { return "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"; }

std::string section_operand_type(std::string_view section, Type type) {
  return join({"Incorrect operand type for operator or function; operator: ", section,
               ", operand type: ", long_type_name(type), ", typeSet: ALLOWED_FOR_", section, "_OPERAND"});
}

std::string unknown_type_name(std::string_view name) {
  return join(
      {"Invalid attribute type name found; type: ", name, ", valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"});
}

std::string too_many_in_operands(std::size_t count) {
  return join(
      {"The IN operator is provided with too many operands; number of operands: ", std::to_string(count)});
}

std::string between_types_differ(ValueView low, ValueView high) {
  return join(
      {"The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: ",
       attribute_value(low), ", upper bound operand: ", attribute_value(high)});
}

std::string between_bounds_reversed(ValueView low, ValueView high) {
  return join(
      {"The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
       "lower bound operand: ",
       attribute_value(low), ", upper bound operand: ", attribute_value(high)});
}

Error key_condition_operator(std::string_view op) {
  return refuse({"Invalid operator used in KeyConditionExpression: ", op});
}

Error key_condition_nested_operation() {
  return refuse({"KeyConditionExpressions cannot contain nested operations"});
}

Error key_condition_nested_attribute() {
  return refuse({"KeyConditionExpressions cannot have conditions on nested attributes"});
}

Error key_condition_first_operand(std::string_view op) {
  return refuse({"Invalid condition in KeyConditionExpression: ", op,
                 " operator must have the key attribute as its first operand"});
}

Error key_condition_many_attributes() {
  return refuse(
      {"Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"});
}

Error key_condition_no_attribute() {
  return refuse({"Invalid condition in KeyConditionExpression: No key attribute specified"});
}

Error key_condition_repeated() {
  return refuse({"KeyConditionExpressions must only contain one condition per key"});
}

Error missing_attribute() {
  return refuse({"The provided expression refers to an attribute that does not exist in the item"});
}

Error operand_data_type() {
  return refuse({"An operand in the update expression has an incorrect data type"});
}

Error path_invalid_for_update() {
  return refuse({"The document path provided in the update expression is invalid for update"});
}

Error legacy_type_mismatch() { return refuse({"Type mismatch for attribute to update"}); }

Error unused_names(std::string_view keys) {
  return refuse({"Value provided in ExpressionAttributeNames unused in expressions: keys: {", keys, "}"});
}

Error unused_values(std::string_view keys) {
  return refuse({"Value provided in ExpressionAttributeValues unused in expressions: keys: {", keys, "}"});
}

Error name_key_too_long(std::size_t bytes) {
  return refuse(
      {"ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that is "
       "too "
       "long; size of key: ",
       std::to_string(bytes)});
}

// AWS's message does not contain the size.
Error value_key_too_long() {
  return refuse(
      {"ExpressionAttributeValues contains invalid key: The expression attribute map contains a key that is "
       "too "
       "long;"});
}

Error malformed_name_key(std::string_view key) {
  return refuse({"ExpressionAttributeNames contains invalid key: Syntax error; key: \"", key, "\""});
}

Error empty_name(std::string_view key) {
  return refuse({"ExpressionAttributeNames contains invalid value: Empty attribute name for key ", key});
}

Error malformed_value_key(std::string_view key) {
  return refuse({"ExpressionAttributeValues contains invalid key: Syntax error; key: \"", key, "\""});
}

Error legacy_argument_count(ComparisonOperator op) {
  return refuse(
      {kInvalidParameter, "Invalid number of argument(s) for the ", enum_name(op), " ComparisonOperator"});
}

Error legacy_mixed_types() {
  return refuse({kInvalidParameter, "AttributeValues inside AttributeValueList must be of same type"});
}

Error legacy_operand_type(ComparisonOperator op, Type type) {
  return refuse({kInvalidParameter, "ComparisonOperator ", enum_name(op), " is not valid for ",
                 type_name(type), " AttributeValue type"});
}

Error legacy_between_reversed() {
  return refuse(
      {"The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"});
}

Error legacy_value_and_list(std::string_view attribute) {
  return refuse(
      {kInvalidParameter, "Value and AttributeValueList cannot be used together for Attribute: ", attribute});
}

Error legacy_exists_and_operator(std::string_view attribute) {
  return refuse({kInvalidParameter,
                 "Exists and ComparisonOperator cannot be used together for Attribute: ", attribute});
}

Error legacy_operator_without_value(ComparisonOperator op, std::string_view attribute) {
  return refuse({kInvalidParameter, "Value or AttributeValueList must be used with ComparisonOperator: ",
                 enum_name(op), " for Attribute: ", attribute});
}

Error legacy_list_without_operator(std::string_view attribute) {
  return refuse({kInvalidParameter,
                 "AttributeValueList can only be used with a ComparisonOperator for Attribute: ", attribute});
}

Error legacy_exists_without_value(std::string_view exists, std::string_view attribute) {
  return refuse(
      {kInvalidParameter, "Value must be provided when Exists is ", exists, " for Attribute: ", attribute});
}

Error legacy_not_exists_with_value(std::string_view attribute) {
  return refuse({kInvalidParameter, "Value cannot be used when Exists is false for Attribute: ", attribute});
}

Error legacy_not_indexable() {
  return refuse({"Attempted conditional constraint is not an indexable operation"});
}

Error legacy_duplicate_attribute(std::string_view attribute) {
  return refuse({kInvalidParameter, "Duplicate value in attribute name: ", attribute});
}

Error legacy_update_without_value() {
  return refuse({kInvalidParameter, "Only DELETE action is allowed when no attribute value is specified"});
}

Error legacy_delete_type(Type type) {
  return refuse(
      {kInvalidParameter, "DELETE action with value is not supported for the type ", type_name(type)});
}

Error legacy_add_type(Type type) {
  return refuse({kInvalidParameter, "ADD action is not supported for the type ", type_name(type)});
}

}  // namespace tavola::expr::messages
