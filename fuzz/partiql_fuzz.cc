// Statements of any text: reading ends, a refusal has a reason, and the requests planned for a table are accepted by
// the expression engine, with every placeholder used.
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/assert.h"
#include "expr/evaluate/compile.h"
#include "partiql/plan.h"

namespace {

using namespace tavola;

const TableDescription& sample_table() {
  static const TableDescription table = [] {
    TableDescription made;
    made.table_name = "songs";
    made.attribute_definitions = {{"a"}, {"b", Type::Number}, {"c"}};
    made.key_schema = {{"a"}, {"b", KeyType::Range}};
    made.global_indexes = {{.name = "byC", .key_schema = {{"c"}}}};
    return made;
  }();
  return table;
}

// A statement that passed its check must compile; only additions of the plan may make it too long.
void check(const Result<void>& compiled) {
  TAVOLA_ASSERT(compiled.has_value() || compiled.error().message().contains("exceeded the maximum"));
}

template <class Request>
Result<void> compile(const Request& request) {
  expr::Compiler compiler(request.names, request.values.view());
  TAVOLA_CHECK(compiler.check_placeholders());
  if constexpr (requires { request.key_condition_expression; }) {
    TAVOLA_CHECK(compiler.key_condition(request.key_condition_expression));
  }
  if constexpr (requires { request.filter_expression; }) {
    if (!request.filter_expression.empty()) TAVOLA_CHECK(compiler.condition(request.filter_expression));
    if (!request.projection_expression.empty())
      TAVOLA_CHECK(compiler.projection(request.projection_expression));
  }
  if constexpr (requires { request.update_expression; })
    TAVOLA_CHECK(compiler.update(request.update_expression));
  if constexpr (requires { request.condition_expression; }) {
    if (!request.condition_expression.empty()) TAVOLA_CHECK(compiler.condition(request.condition_expression));
  }
  return compiler.check_all_used();
}

void plan_read(partiql::Prepared& prepared) {
  const auto plan = partiql::plan_select(prepared, sample_table(), {});
  if (!plan) return;
  TAVOLA_ASSERT(plan->reads.size() <= partiql::kKeyReadsMax);
  for (const partiql::ReadPlan& read : plan->reads) {
    check(std::visit([](const auto& request) { return compile(request); }, read.request));
    if (read.remaining.text.empty()) continue;
    expr::Compiler compiler(read.remaining.names, read.remaining.values.view());
    const auto condition = compiler.condition(read.remaining.text);
    if (condition) condition->holds(ItemView());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;  // the maximum length of a statement
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const std::vector<Value> parameters{"x", 1, *StringSet::of({"x"}), Map{{"a", "x"}, {"b", 1}}};
  auto prepared = partiql::prepare(text, parameters);
  if (!prepared) {
    TAVOLA_ASSERT(!prepared.error().message().empty());
    return 0;
  }
  if (partiql::is_read(prepared->statement)) {
    plan_read(*prepared);
    (void)partiql::plan_get(*prepared, sample_table(), {}, Error::validation("no key"));
    return 0;
  }
  const auto write = partiql::plan_write(*prepared, sample_table(), {});
  if (write) check(std::visit([](const auto& request) { return compile(request); }, *write));
  return 0;
}
