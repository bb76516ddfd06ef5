#include "engine/checks/compiled_request.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "database/constraints.h"
#include "engine/checks/member_checks.h"

namespace tavola::engine {
namespace {

struct Parameter {
  std::string_view name;
  bool given;
  bool takes_values = true;  // whether an expression may contain ":v"
};
using Parameters = std::initializer_list<Parameter>;

std::string list_given(Parameters parameters) {
  std::string list = "{";
  for (const Parameter& parameter : parameters) {
    if (parameter.given) {
      list += (list.size() > 1 ? ", " : "") + std::string(parameter.name);
    }
  }
  return list + "}";
}

bool any_given(Parameters parameters) { return std::ranges::any_of(parameters, &Parameter::given); }

bool any_given_with_values(Parameters expressions) {
  return std::ranges::any_of(expressions, [](const Parameter& e) { return e.given && e.takes_values; });
}

Error values_without_expression(std::string_view why = "") {
  return Error::validation("ExpressionAttributeValues can only be specified when using expressions" +
                           std::string(why));
}

// Expressions and legacy parameters exclude each other; names and values require expressions.
Result<void> check_mixture(Parameters older, Parameters expressions, const AttributeNames& names,
                           const PackedItem& values) {
  if (any_given(older) && any_given(expressions)) {
    return fail(
        Error::validation("Can not use both expression and non-expression parameters in the same request: "
                          "Non-expression parameters: " +
                          list_given(older) + " Expression parameters: " + list_given(expressions)));
  }
  if (!names.empty() && !any_given(expressions)) {
    return fail(Error::validation("ExpressionAttributeNames can only be specified when using expressions"));
  }
  if (!values.empty() && !any_given_with_values(expressions)) {
    return fail(values_without_expression());
  }
  return {};
}

Result<void> check_conditional_operator(const std::optional<ConditionalOperator>& op,
                                        std::size_t conditions) {
  if (!op) {
    return {};
  }
  if (conditions == 0) {
    return fail(Error::validation("ConditionalOperator cannot be used without Filter or Expected"));
  }
  if (conditions == 1) {
    return fail(Error::validation(
        "ConditionalOperator can only be used when Filter or Expected has two or more elements"));
  }
  return {};
}

template <class Request>
Result<expr::Condition> compile_condition(expr::Compiler& compiler, const Request& request) {
  TAVOLA_CHECK(check_conditional_operator(request.conditional_operator,
                                          request.expected ? request.expected->size() : 0));
  if (request.expected) {
    return compiler.expected(*request.expected,
                             request.conditional_operator.value_or(ConditionalOperator::And));
  }
  if (!request.condition_expression.empty()) {
    return compiler.condition(request.condition_expression);
  }
  return expr::Condition();
}

// For PutItem and DeleteItem, which take the same parameters.
template <class Request>
Result<WriteParameters> compile_conditional_write(const Request& request) {
  TAVOLA_CHECK(check_members(request));
  TAVOLA_CHECK(check_mixture({{"Expected", request.expected.has_value()},
                              {"ConditionalOperator", request.conditional_operator.has_value()}},
                             {{"ConditionExpression", !request.condition_expression.empty()}}, request.names,
                             request.values));
  expr::Compiler compiler(request.names, request.values.view());
  TAVOLA_CHECK(compiler.check_placeholders());
  WriteParameters parameters;
  TAVOLA_TRY(parameters.condition, compile_condition(compiler, request));
  TAVOLA_CHECK(compiler.check_all_used());
  if (request.return_values != ReturnValues::None && request.return_values != ReturnValues::AllOld) {
    return fail(Error::validation("ReturnValues can only be ALL_OLD or NONE"));
  }
  return parameters;
}

Result<expr::Projection> compile_projection(expr::Compiler& compiler, const std::string& expression,
                                            const std::optional<std::vector<std::string>>& attributes) {
  if (attributes) {
    if (attributes->empty()) {
      return fail(broken_constraint("[]", "attributesToGet", "have length greater than or equal to 1"));
    }
    return compiler.attributes_to_get(*attributes);
  }
  if (!expression.empty()) {
    return compiler.projection(expression);
  }
  return expr::Projection();
}

// For GetItem, and one table of BatchGetItem.
template <class Request>
Result<expr::Projection> compile_get(const Request& request) {
  TAVOLA_CHECK(check_mixture({{"AttributesToGet", request.attributes_to_get.has_value()}},
                             {{"ProjectionExpression", !request.projection_expression.empty(), false}},
                             request.names, PackedItem()));
  expr::Compiler compiler(request.names, ItemView());
  TAVOLA_CHECK(compiler.check_placeholders());
  TAVOLA_TRY(expr::Projection projection,
             compile_projection(compiler, request.projection_expression, request.attributes_to_get));
  TAVOLA_CHECK(compiler.check_all_used());
  return projection;
}

Result<expr::Condition> compile_filter(expr::Compiler& compiler, const std::string& expression,
                                       const std::optional<LegacyConditions>& conditions,
                                       const std::optional<ConditionalOperator>& op) {
  TAVOLA_CHECK(check_conditional_operator(op, conditions ? conditions->size() : 0));
  if (conditions) {
    return compiler.filter(*conditions, op.value_or(ConditionalOperator::And));
  }
  if (!expression.empty()) {
    return compiler.condition(expression, expr::ConditionRole::Filter);
  }
  return expr::Condition();
}

}  // namespace

Result<WriteParameters> compile_parameters(const PutItemRequest& request) {
  return compile_conditional_write(request);
}

Result<WriteParameters> compile_parameters(const DeleteItemRequest& request) {
  return compile_conditional_write(request);
}

Result<WriteParameters> compile_parameters(const UpdateItemRequest& request) {
  TAVOLA_CHECK(check_members(request));
  TAVOLA_CHECK(check_mixture({{"AttributeUpdates", request.attribute_updates.has_value()},
                              {"Expected", request.expected.has_value()},
                              {"ConditionalOperator", request.conditional_operator.has_value()}},
                             {{"UpdateExpression", !request.update_expression.empty()},
                              {"ConditionExpression", !request.condition_expression.empty()}},
                             request.names, request.values));
  expr::Compiler compiler(request.names, request.values.view());
  TAVOLA_CHECK(compiler.check_placeholders());
  WriteParameters parameters;
  if (request.attribute_updates) {
    TAVOLA_TRY(parameters.update, compiler.attribute_updates(*request.attribute_updates));
  } else if (!request.update_expression.empty()) {
    TAVOLA_TRY(parameters.update, compiler.update(request.update_expression));
  }
  TAVOLA_TRY(parameters.condition, compile_condition(compiler, request));
  TAVOLA_CHECK(compiler.check_all_used());
  return parameters;
}

Result<expr::Projection> compile_parameters(const GetItemRequest& request) {
  TAVOLA_CHECK(check_members(request));
  return compile_get(request);
}

Result<std::vector<expr::Projection>> compile_parameters(const BatchGetItemRequest& request) {
  const auto uses_older = [](const KeysToGet& table) { return table.attributes_to_get.has_value(); };
  const auto uses_expression = [](const KeysToGet& table) { return !table.projection_expression.empty(); };
  // The rule holds for the whole request, not only for each of its tables.
  TAVOLA_CHECK(check_mixture(
      {{"AttributesToGet", std::ranges::any_of(request.tables, uses_older)}},
      {{"ProjectionExpression", std::ranges::any_of(request.tables, uses_expression), false}}, {}, {}));
  std::vector<expr::Projection> projections;
  for (const KeysToGet& table : request.tables) {
    TAVOLA_TRY(expr::Projection projection, compile_get(table));
    projections.push_back(std::move(projection));
  }
  return projections;
}

Result<ReadParameters> compile_parameters(const QueryRequest& request) {
  const bool key_is_expression = !request.key_condition_expression.empty();
  // KeyConditions may accompany a FilterExpression or a ProjectionExpression, unlike the other legacy parameters.
  TAVOLA_CHECK(check_mixture({{"AttributesToGet", request.attributes_to_get.has_value()},
                              {"QueryFilter", request.query_filter.has_value()},
                              {"ConditionalOperator", request.conditional_operator.has_value()},
                              {"KeyConditions", request.key_conditions.has_value() && key_is_expression}},
                             {{"ProjectionExpression", !request.projection_expression.empty(), false},
                              {"FilterExpression", !request.filter_expression.empty()},
                              {"KeyConditionExpression", key_is_expression}},
                             request.names, request.values));
  if (!request.key_conditions && !key_is_expression) {
    return fail(Error::validation(
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."));
  }
  expr::Compiler compiler(request.names, request.values.view());
  TAVOLA_CHECK(compiler.check_placeholders());
  ReadParameters parameters;
  parameters.older = request.query_filter.has_value();
  expr::KeyExpression key;
  if (key_is_expression) {
    TAVOLA_TRY(key, compiler.key_expression(request.key_condition_expression));
  }
  TAVOLA_TRY(parameters.filter, compile_filter(compiler, request.filter_expression, request.query_filter,
                                               request.conditional_operator));
  TAVOLA_TRY(parameters.projection,
             compile_projection(compiler, request.projection_expression, request.attributes_to_get));
  TAVOLA_CHECK(compiler.check_all_used());
  TAVOLA_TRY(parameters.key,
             key_is_expression ? key.terms() : compiler.key_conditions(*request.key_conditions));
  return parameters;
}

Result<ReadParameters> compile_parameters(const ScanRequest& request) {
  TAVOLA_CHECK(check_mixture({{"AttributesToGet", request.attributes_to_get.has_value()},
                              {"ScanFilter", request.scan_filter.has_value()},
                              {"ConditionalOperator", request.conditional_operator.has_value()}},
                             {{"ProjectionExpression", !request.projection_expression.empty(), false},
                              {"FilterExpression", !request.filter_expression.empty()}},
                             request.names, {}));
  // AWS gives the reason only in Scan (ExtendDB's tests of AWS; paritysuite/dynamodb-conformance of PutItem and
  // DeleteItem).
  if (!request.values.empty() && request.filter_expression.empty()) {
    return fail(values_without_expression(": FilterExpression is null"));
  }
  expr::Compiler compiler(request.names, request.values.view());
  TAVOLA_CHECK(compiler.check_placeholders());
  ReadParameters parameters;
  parameters.older = request.scan_filter.has_value();
  TAVOLA_TRY(parameters.filter, compile_filter(compiler, request.filter_expression, request.scan_filter,
                                               request.conditional_operator));
  TAVOLA_TRY(parameters.projection,
             compile_projection(compiler, request.projection_expression, request.attributes_to_get));
  TAVOLA_CHECK(compiler.check_all_used());
  return parameters;
}

}  // namespace tavola::engine
