#include "transfer/formats/item_reader.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/test_files.h"
#include "transfer/formats/item_text.h"
#include "transfer/formats/test_text.h"
#include "transfer/formats/workbench_reader.h"
#include "value/test_generators.h"

namespace tavola::transfer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const ReadOptions kLines{.format = Format::Lines};
ReadOptions csv(std::vector<AttributeDefinition> definitions = {}, CsvOptions options = {}) {
  return {.format = Format::Csv, .csv = std::move(options), .definitions = std::move(definitions)};
}

// ---- Lines ----

RC_GTEST_PROP(LineReader, WrittenItemsComeBack, ()) {
  std::string text;
  std::vector<PackedItem> items;
  const std::size_t count = (*arbitrary_dice()).below(5);
  for (std::size_t i = 0; i < count; ++i) {
    items.push_back(pack(*arbitrary_item()).value());
    append_line(text, items.back().view());
  }
  const auto reader = read_items(source_of(text), kLines).value();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto record = reader->next().value();
    RC_ASSERT(record.has_value());
    RC_ASSERT(record->line == i + 1);
    RC_ASSERT(record->item.value() == items[i]);
  }
  RC_ASSERT(!reader->next().value());
  RC_ASSERT(reader->text_bytes() == text.size());
}

TEST(LineReader, ReadsWrappedAndBareItems) {
  EXPECT_THAT(read_text("\xEF\xBB\xBF{\"Item\":{\"a\":{\"S\":\"x\"}}}\r\n"
                        "\n   \n"
                        "{\"a\":{\"N\":\"1.0\"}}\n"
                        "{\"Item\":{\"S\":\"the key\"}}\n"
                        "{\"Item\":{}}\n"
                        "{\"Item\":{\"M\":{\"M\":{\"S\":{\"S\":\"x\"}}}}}",
                        kLines),
              ElementsAre(R"(1: {"a":{"S":"x"}})", R"(4: {"a":{"N":"1"}})", R"(5: {"Item":{"S":"the key"}})",
                          "6: {}", R"(7: {"M":{"M":{"S":{"S":"x"}}}})"));
}

TEST(LineReader, TellsWhatIsWrongAndGoesOn) {
  const std::vector<std::string> seen = read_text(
      "{\"Item\":\n[]\n{\"a\":{\"S\":1}}\n{\"a\":{\"N\":\"x\"}}\n{\"a\":\"plain\"}\n{\"a\":{\"S\":\"good\"}}"
      "\n"
      "{\"a\":{\"SS\":[\"x\",\"x\"]}}\n\xFF\n",
      kLines);
  ASSERT_EQ(seen.size(), 8U);
  EXPECT_THAT(seen[0], HasSubstr("1: the line is not an item in DynamoDB JSON"));
  EXPECT_THAT(seen[1], HasSubstr("2: the line is not an item in DynamoDB JSON"));
  EXPECT_THAT(seen[2], HasSubstr("3: a value is not in DynamoDB JSON"));
  EXPECT_THAT(seen[3], HasSubstr("4: The parameter cannot be converted to a numeric value: x"));
  EXPECT_THAT(seen[4], HasSubstr("5: a value is not in DynamoDB JSON"));
  EXPECT_EQ(seen[5], R"(6: {"a":{"S":"good"}})");
  EXPECT_THAT(seen[6], HasSubstr("7: One or more parameter values were invalid"));
  EXPECT_THAT(seen[7], HasSubstr("8: the line is not an item in DynamoDB JSON"));
}

TEST(LineReader, ALineThatIsTooLongTakesNoMemory) {
  std::string text = "{\"a\":{\"S\":\"1\"}}\n";
  text += std::string(3 * kRecordBytesMax, 'x') + "\n{\"a\":{\"S\":\"3\"}}\n";
  EXPECT_THAT(
      read_text(text, kLines),
      ElementsAre(R"(1: {"a":{"S":"1"}})", "2: the line is longer than any item; each line must be one item",
                  R"(3: {"a":{"S":"3"}})"));
}

TEST(LineReader, Skips) {
  const std::string text = "{\"a\":{\"S\":\"1\"}}\n\nno item\n{\"a\":{\"S\":\"3\"}}\n";
  const auto reader = read_items(source_of(text), kLines).value();
  ASSERT_TRUE(reader->skip(2));
  EXPECT_EQ(reader->next().value()->line, 4U);
  ASSERT_TRUE(reader->skip(5));
  EXPECT_FALSE(reader->next().value());
}

// ---- CSV ----

TEST(CsvReader, Cases) {
  struct Case {
    const char* text;
    std::vector<std::string> seen;
  };
  const Case cases[] = {
      {"", {}},
      {"id\n", {}},
      {"id,v\n1,a\n2,b", {R"(2: {"id":{"N":"1"},"v":{"S":"a"}})", R"(3: {"id":{"N":"2"},"v":{"S":"b"}})"}},
      {"\xEF\xBB\xBFid,v\r\n1,a\r\n\r\n  \r\n2,b\r\n",
       {R"(2: {"id":{"N":"1"},"v":{"S":"a"}})", R"(5: {"id":{"N":"2"},"v":{"S":"b"}})"}},
      {"id,v\n1,\"a,\"\"b\"\"\nc\"\n2,d\n",
       {R"(2: {"id":{"N":"1"},"v":{"S":"a,\"b\"\nc"}})", R"(4: {"id":{"N":"2"},"v":{"S":"d"}})"}},
      {"id,v\n1,\n2,\"\"\n", {R"(2: {"id":{"N":"1"}})", R"(3: {"id":{"N":"2"},"v":{"S":""}})"}},
      {"id,b\n1,AAE=\n2,?\n",
       {R"(2: {"b":{"B":"AAE="},"id":{"N":"1"}})", "3: the key b has the type B and must be base64"}},
      {"id,v\n1\n2,b\n",
       {"2: the line has 1 fields, and the header 2; check the delimiter, and that fields which "
        "contain it are in quotes",
        R"(3: {"id":{"N":"2"},"v":{"S":"b"}})"}},
      {"id,v\n1,a \"b\"\n2,b\n",
       {"2: a field contains a double quote; write it twice, and the field in double quotes: \"a "
        "\"\"b\"\"\"",
        R"(3: {"id":{"N":"2"},"v":{"S":"b"}})"}},
      {"id,v\n1,\"a\" b\n2,b\n",
       {"2: a field contains a double quote; write it twice, and the field in double quotes: \"a "
        "\"\"b\"\"\"",
        R"(3: {"id":{"N":"2"},"v":{"S":"b"}})"}},
      {"id,v\n1,\"a\n", {"2: a double quote is not closed before the end of the file"}},
      {"id,v\nx,a\n", {"2: the key id: The parameter cannot be converted to a numeric value: x"}},
      {"id,id\n1,2\n", {"file: the header has the column id twice"}},
      {"id,\n1,2\n", {"file: the header has a column without a name, or with one that is not UTF-8"}},
      {"id,a\"\n1,2\n",
       {"file: its header: a field contains a double quote; write it twice, and the field in double "
        "quotes: \"a \"\"b\"\"\""}},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(read_text(one.text, csv({{"id", Type::Number}, {"b", Type::Binary}})), one.seen) << one.text;
  }
}

TEST(CsvReader, TakesAnotherDelimiterAndAHeaderFromOutside) {
  EXPECT_THAT(read_text("1;a,b\n", csv({}, {.delimiter = ";", .header = {"x", "y"}})),
              ElementsAre(R"(1: {"x":{"S":"1"},"y":{"S":"a,b"}})"));
  EXPECT_THAT(read_text("x\ty\n1\ta b\n", csv({}, {.delimiter = "\t"})),
              ElementsAre(R"(2: {"x":{"S":"1"},"y":{"S":"a b"}})"));
}

// Texts come back from CSV, and keys of all three types.
RC_GTEST_PROP(CsvReader, WrittenItemsComeBack, ()) {
  Dice dice = *arbitrary_dice();
  const char delimiter = ",;:|\t "[dice.below(6)];
  std::vector<std::string> columns{"N", "B"};
  for (std::size_t i = dice.below(4); i > 0; --i) {
    const std::string name = *arbitrary_text();
    if (!name.empty() && std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
  }
  std::string text;
  append_csv_header(text, columns, delimiter);
  std::vector<PackedItem> items;
  for (std::size_t i = dice.below(4); i > 0; --i) {
    Item item{{"N", *arbitrary_number()}, {"B", Binary{*arbitrary_bytes()}}};
    for (std::size_t c = 2; c < columns.size(); ++c) {
      if (dice.coin()) item.insert_or_assign(columns[c], Value(*arbitrary_text()));
    }
    items.push_back(pack(item).value());
    append_csv_record(text, items.back().view(), columns, delimiter);
  }
  const auto reader = read_items(source_of(text), csv({{"N", Type::Number}, {"B", Type::Binary}},
                                                      {.delimiter = std::string(1, delimiter)}))
                          .value();
  for (const PackedItem& item : items) RC_ASSERT(reader->next().value()->item.value() == item);
  RC_ASSERT(!reader->next().value());
}

TEST(CsvReader, ARecordThatIsTooLongTakesNoMemory) {
  const std::string text = "id,v\n1,\"" + std::string(2 * kRecordBytesMax, 'x') + "\"\n";
  const std::vector<std::string> seen = read_text(text, csv());
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front(), "2: the record is longer than any item; perhaps a double quote is not closed");
}

TEST(CsvReader, ALineOfDelimitersTakesNoMemory) {
  const std::string delimiters(kRecordBytesMax, ',');
  EXPECT_THAT(read_text("id,v\n" + delimiters + "\n1,a\n", csv()),
              ElementsAre("2: the record has more than 10,000 fields; check the delimiter",
                          R"(3: {"id":{"S":"1"},"v":{"S":"a"}})"));
  std::string header = "a";
  for (int i = 0; i < 1'000'000; ++i) header += ',' + std::to_string(i);
  EXPECT_THAT(read_text(header + "\n", csv()),
              ElementsAre("file: its header: the record has more than 10,000 fields; check the delimiter"));
}

// ---- Models ----

TEST(WorkbenchReader, ReadsTheSamplesOfATable) {
  const std::string model =
      text_of_file(std::string(TAVOLA_SOURCE_DIR) + "/src/workshop/testdata/models/library-facets.json");
  const std::vector<std::string> seen =
      read_text(model, {.format = Format::Workbench, .table_name = "anything"});
  ASSERT_FALSE(seen.empty());
  for (const std::string& line : seen) EXPECT_THAT(line, HasSubstr(R"({"S":)"));
  EXPECT_THAT(read_text("{\"a\": 1}", {.format = Format::Workbench, .table_name = "t"}),
              ElementsAre("file: this is not a model of NoSQL Workbench: it has no DataModel"));
  EXPECT_THAT(read_text(R"({"DataModel": [{"TableName": "a"}, {"TableName": "b"}]})",
                        {.format = Format::Workbench, .table_name = "t"}),
              ElementsAre("file: the model has no table t; it has a, b"));
  const Result<CreateTableRequest> table = table_of_workbench(model, "mine");
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_EQ(table->table_name, "mine");
  EXPECT_FALSE(table->key_schema.empty());
}

}  // namespace
}  // namespace tavola::transfer
