// Runs testdata/*.cases: a statement and its plan, or its refusal (testdata/README.md).
#include <algorithm>

#include <gtest/gtest.h>

#include <tavola/value.h>

#include "base/overloaded.h"
#include "database/enum_names.h"
#include "expr/test_case_file.h"
#include "expr/test_case_literal.h"
#include "partiql/plan.h"

namespace tavola::partiql {
namespace {

TableDescription songs() {
  TableDescription table;
  table.table_name = "songs";
  table.attribute_definitions = {
      {"artist"}, {"song"}, {"year", Type::Number}, {"plays", Type::Number}, {"tag"}, {"rank", Type::Number}};
  table.key_schema = {{"artist"}, {"song", KeyType::Range}};
  table.global_indexes = {
      {.name = "byYear",
       .key_schema = {{"year"}, {"plays", KeyType::Range}},
       .projection = {.type = ProjectionType::Include, .attributes = {"label"}}},
      {.name = "byTag", .key_schema = {{"tag"}}},
      {.name = "byBoth", .key_schema = {{"tag"}, {"year"}}},
  };
  table.local_indexes = {{.name = "byPlays", .key_schema = {{"artist"}, {"plays", KeyType::Range}}},
                         {.name = "byRank",
                          .key_schema = {{"artist"}, {"rank", KeyType::Range}},
                          .projection = {.type = ProjectionType::Include, .attributes = {"label"}}}};
  return table;
}

TableDescription users() {
  TableDescription table;
  table.table_name = "users";
  table.attribute_definitions = {{"id", Type::Number}};
  table.key_schema = {{"id"}};
  return table;
}

std::string literal(const Value& value) {
  if (value.is_number()) return value.number().to_string();
  return value.is_string() ? "\"" + value.string() + "\"" : to_json(value);
}

// An expression with its names and values instead of their placeholders.
std::string readable(std::string text, const AttributeNames& names, const PackedItem& values) {
  std::vector<std::pair<std::string, std::string>> placeholders(names.begin(), names.end());
  for (const auto& [name, value] : values.unpack()) placeholders.emplace_back(name, literal(value));
  std::ranges::sort(placeholders,
                    [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  for (const auto& [placeholder, meaning] : placeholders) {
    EXPECT_TRUE(text.contains(placeholder)) << placeholder << " is not used in " << text;
    for (std::size_t at = text.find(placeholder); at != std::string::npos;
         at = text.find(placeholder, at + meaning.size())) {
      text.replace(at, placeholder.size(), meaning);
    }
  }
  return text;
}

class Words {
 public:
  void add(std::string_view word, const std::string& text) {
    if (!text.empty()) text_.append(text_.empty() ? "" : " ").append(word).append(text);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string text_of(const ReadPlan& plan) {
  Words words;
  std::visit(
      [&]<class Request>(const Request& request) {
        constexpr bool kQuery = std::is_same_v<Request, QueryRequest>;
        words.add("", kQuery ? "query" : "scan");
        words.add("index ", request.index_name);
        if constexpr (kQuery) {
          if (!request.scan_index_forward) words.add("", "backward");
          words.add("key ", request.key_condition_expression);
        }
        words.add("filter ", request.filter_expression);
        words.add("project ", request.projection_expression);
        if (request.consistent_read) words.add("", "consistent");
      },
      plan.request);
  std::string text =
      std::visit([&](const auto& request) { return readable(words.text(), request.names, request.values); },
                 plan.request);
  if (plan.remaining.text.empty()) return text;
  return text + " then " + readable(plan.remaining.text, plan.remaining.names, plan.remaining.values);
}

std::string text_of(const TransactWrite& write) {
  Words words;
  std::visit(
      [&]<class Request>(const Request& request) {
        if constexpr (std::is_same_v<Request, PutItemRequest>) {
          words.add("put ", to_json(request.item.unpack()));
        } else {
          constexpr bool kDelete = std::is_same_v<Request, DeleteItemRequest>;
          constexpr bool kCheck = std::is_same_v<Request, ConditionCheck>;
          words.add(kDelete ? "delete " : kCheck ? "check " : "update ", to_json(request.key.unpack()));
        }
        if constexpr (std::is_same_v<Request, UpdateItemRequest>) words.add("", request.update_expression);
        words.add("if ", request.condition_expression);
        if constexpr (requires { request.return_values; }) {
          if (request.return_values != ReturnValues::None) {
            words.add("returns ", std::string(enum_name(request.return_values)));
          }
        }
      },
      write);
  return std::visit(
      [&](const auto& request) { return readable(words.text(), request.names, request.values); }, write);
}

struct Setting {
  std::string mode = "statement";
  std::vector<Value> parameters{};
};

Result<std::string> planned(const std::string& statement, const Setting& setting) {
  TAVOLA_TRY(Prepared prepared, prepare(statement, setting.parameters));
  const TableDescription table = prepared.table == "users" ? users() : songs();
  if (!is_read(prepared.statement)) {
    TAVOLA_TRY(const TransactWrite write, plan_write(prepared, table, {}));
    return text_of(write);
  }
  if (setting.mode == "get") {
    TAVOLA_TRY(const GetItemRequest get, plan_get(prepared, table, {}, Error::validation("no key")));
    return readable("get " + to_json(get.key.unpack()) + " " + get.projection_expression, get.names, {});
  }
  TAVOLA_TRY(const SelectPlan plan,
             plan_select(prepared, table, {.consistent = setting.mode == "consistent"}));
  std::string text;
  for (const ReadPlan& read : plan.reads) text.append(text.empty() ? "" : "; ").append(text_of(read));
  const std::vector<Column> columns = plan.reads.empty() ? std::vector<Column>() : plan.reads.front().columns;
  for (const Column& column : columns) text.append(" | ").append(column.name);
  return text.empty() ? "nothing" : text;
}

TEST(PartiqlCases, EachStatementIsPlannedAsTold) {
  std::size_t cases = 0;
  for (const auto& file : expr::case_files(TAVOLA_SOURCE_DIR "/src/partiql/testdata", ".cases")) {
    Setting setting;
    for (const expr::CaseLine& line : expr::read_case_file(file)) {
      SCOPED_TRACE(line.where);
      if (line.text.starts_with("mode ")) {
        setting.mode = expr::trimmed(line.text.substr(5));
        continue;
      }
      if (line.text.starts_with("let parameters ")) {
        expr::CaseLiteral given(std::string_view(line.text).substr(15));
        setting.parameters = given.value().list();
        ASSERT_TRUE(given.ok());
        continue;
      }
      const std::size_t arrow = line.text.find(" ==> ");
      ASSERT_NE(arrow, std::string::npos) << "a case has ==>";
      const Result<std::string> plan = planned(line.text.substr(0, arrow), setting);
      const std::string outcome = plan ? expr::trimmed(*plan) : "error " + plan.error().message();
      EXPECT_EQ(outcome, line.text.substr(arrow + 5));
      ++cases;
    }
  }
  EXPECT_GT(cases, 100U);
}

}  // namespace
}  // namespace tavola::partiql
