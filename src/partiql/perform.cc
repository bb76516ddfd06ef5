#include "partiql/perform.h"

#include <algorithm>

#include "base/overloaded.h"
#include "database/constraints.h"
#include "expr/language/path.h"
#include "partiql/messages.h"

namespace tavola::partiql {
namespace {

std::optional<ValueView> follow(const ItemView& item, const Path& path) {
  ast::Path bound;
  for (const Step& step : path.steps) {
    const auto kind = step.is_index ? ast::PathElement::Kind::Index : ast::PathElement::Kind::Name;
    bound.elements.push_back({kind, step.index, step.name});
  }
  return expr::follow(item, bound, {});
}

// Returns the action in AWS's policies.
std::string_view action_of(const Statement& statement) {
  return std::visit(Overloaded{
                        [](const Select&) { return "PartiQLSelect"; },
                        [](const Exists&) { return "PartiQLSelect"; },
                        [](const Insert&) { return "PartiQLInsert"; },
                        [](const Update&) { return "PartiQLUpdate"; },
                        [](const Delete&) { return "PartiQLDelete"; },
                    },
                    statement);
}

std::string with_action(const std::string& message, std::string_view action) {
  constexpr std::string_view kBefore = "is not authorized to perform: dynamodb:";
  const std::size_t at = message.find(kBefore);
  if (at == std::string::npos) return message;
  const std::size_t begin = at + kBefore.size();
  const std::size_t end = std::min(message.find(' ', begin), message.size());
  return message.substr(0, begin) + std::string(action) + message.substr(end);
}

}  // namespace

Result<TableDescription> describe(Database& database, const Prepared& prepared) {
  Result<DescribeTableResponse> described = database.describe_table({.table_name = prepared.table});
  if (described) return std::move(described->table);
  if (described.error().code() == ErrorCode::ResourceNotFound) return fail(messages::no_table());
  return fail(error_of_statement(described.error(), prepared.statement));
}

PackedItem as_columns(PackedItem item, const std::vector<Column>& columns) {
  if (columns.empty()) return item;
  ItemWriter writer;
  for (const Column& column : columns) {
    const std::optional<ValueView> value = follow(item.view(), column.path);
    if (!value) continue;
    writer.name(column.name);
    writer.value(*value);
  }
  return std::move(writer).finish();
}

Result<WriteItemResponse> perform(Database& database, const TransactWrite& write) {
  return std::visit(Overloaded{
                        [&](const PutItemRequest& put) { return database.put_item(put); },
                        [&](const UpdateItemRequest& update) { return database.update_item(update); },
                        [&](const DeleteItemRequest& remove) { return database.delete_item(remove); },
                        [](const ConditionCheck&) -> Result<WriteItemResponse> {
                          return fail(messages::exists_outside_transaction());
                        },
                    },
                    write);
}

Error error_of_statement(const Error& error, const Statement& statement) {
  if (error.code() == ErrorCode::AccessDenied) {
    return {ErrorCode::AccessDenied, with_action(error.message(), action_of(statement))};
  }
  const bool is_condition =
      error.code() == ErrorCode::ConditionalCheckFailed && error.message() == kConditionFailed;
  if (is_condition && std::holds_alternative<Insert>(statement)) return messages::duplicate_item();
  return messages::without_parameter_name(error);
}

Result<void> check_statement_size(std::string_view statement, std::string_view member) {
  if (statement.empty()) return fail(broken_constraint("", member, "have length greater than or equal to 1"));
  const auto is_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  const auto characters = static_cast<std::size_t>(std::ranges::count_if(statement, is_character));
  if (characters <= kStatementCharsMax) return {};
  return fail(broken_constraint(shortened(statement, 256), member, "have length less than or equal to 8192"));
}

}  // namespace tavola::partiql
