#include "partiql/prepare.h"

#include <algorithm>

#include "base/overloaded.h"
#include "database/names.h"
#include "expr/evaluate/compile.h"
#include "expr/language/messages.h"
#include "partiql/lower.h"
#include "partiql/messages.h"
#include "partiql/parse.h"
#include "value/limits.h"

namespace tavola::partiql {
namespace {

// A table may be given by its ARN, as in other requests: "arn:aws:dynamodb:eu-west-1:123456789012:table/Music".
std::string_view table_named(std::string_view given) {
  constexpr std::string_view kTable = ":table/";
  const std::size_t at = given.find(kTable);
  if (!given.starts_with("arn:") || at == std::string_view::npos) return given;
  return given.substr(at + kTable.size());
}

// Returns "k[0]" for m.k[0].
std::string column_name(const Path& path) {
  std::string indexes;
  for (auto step = path.steps.rbegin(); step != path.steps.rend(); ++step) {
    if (!step->is_index) return step->name + indexes;
    indexes.insert(0, "[" + std::to_string(step->index) + "]");
  }
  return indexes;
}

Result<void> add_columns(const Select& select, Prepared& prepared) {
  for (const Expr& column : select.columns) {
    const Path& path = std::get<Path>(column.form);
    // Columns are extracted here: no projection of the engine checks their paths.
    if (path.steps.size() > limits::kNestingLevelsMax) {
      return fail(messages::refused(expr::messages::path_too_deep(path.steps.size())));
    }
    prepared.columns.push_back({column_name(path), path});
    const std::string& attribute = path.steps.front().name;
    if (std::ranges::find(prepared.attributes, attribute) == prepared.attributes.end()) {
      prepared.attributes.push_back(attribute);
    }
    const auto name = [](const Column& one) { return one.name; };
    if (std::ranges::count(prepared.columns, prepared.columns.back().name, name) > 1) {
      return fail(
          messages::refused("Duplicate identifiers in select clause: " + prepared.columns.back().name));
    }
  }
  std::ranges::sort(prepared.columns, {}, &Column::name);
  return {};
}

Result<void> check_expressions(const Prepared& prepared) {
  RequestTexts texts(prepared.slots);
  const std::string condition = prepared.where ? texts.condition(*prepared.where) : std::string();
  const std::string update = prepared.changes.empty() ? std::string() : texts.update(prepared.changes);
  const AttributeNames names = texts.names();
  TAVOLA_TRY(const PackedItem values, texts.values());
  expr::Compiler compiler(names, values.view());
  TAVOLA_CHECK(compiler.check_placeholders());
  if (!update.empty()) TAVOLA_CHECK(compiler.update(update));
  if (!condition.empty()) TAVOLA_CHECK(compiler.condition(condition));
  return {};
}

}  // namespace

Result<Prepared> prepare(std::string_view statement, Parameters parameters) {
  TAVOLA_TRY(Statement parsed, parse(statement));
  Prepared prepared{.statement = std::move(parsed)};
  const Source& source = source_of(prepared.statement);
  prepared.table = table_named(source.table);
  prepared.index = source.index;
  if (!is_name(prepared.table)) return fail(messages::bad_table_name());

  StatementLowerer lowerer(prepared.slots, parameters);
  const auto lower_where = [&](const std::optional<Expr>& where) -> Result<void> {
    if (!where) return {};
    TAVOLA_TRY(prepared.where, lowerer.condition(*where));
    return {};
  };
  const Overloaded lower{
      [&](const Select& select) -> Result<void> {
        TAVOLA_CHECK(add_columns(select, prepared));
        return lower_where(select.where);
      },
      [&](const Exists& exists) { return lower_where(exists.select.where); },
      [&](const Delete& remove) { return lower_where(remove.where); },
      [&](const Update& update) -> Result<void> {
        for (const Change& change : update.changes) {
          TAVOLA_TRY(ast::Action action, lowerer.change(change));
          prepared.changes.push_back(std::move(action));
        }
        return lower_where(update.where);
      },
      [&](const Insert& insert) -> Result<void> {
        TAVOLA_TRY(prepared.item, item_of(insert.item, parameters));
        return {};
      },
  };
  TAVOLA_CHECK(std::visit(lower, prepared.statement));
  if (const Result<void> checked = check_expressions(prepared); !checked) {
    return fail(messages::without_parameter_name(checked.error()));
  }
  return prepared;
}

}  // namespace tavola::partiql
