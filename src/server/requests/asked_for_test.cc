#include "server/requests/asked_for.h"

#include <gtest/gtest.h>

#include "design/load.h"
#include "engine/engine.h"
#include "server/requests/masked_body.h"
#include "server/requests/rows.h"
#include "store/store.h"
#include "wire/codec/operations.h"
#include "wire/service.h"

namespace tavola::server {
namespace {

constexpr std::string_view kLibrary = R"(
design: 1
name: library
table: { name: library, hash: PK, range: SK }
indexes:
  byYear: { hash: year, range: SK, project: all }
entities:
  Book:
    key: { PK: AUTHOR#<author>, SK: BOOK#<title> }
    index: { byYear: { hash: <year>, range: BOOK#<title> } }
    attributes:
      author: { type: string, required: true }
      title: { type: string, required: true }
      year: { type: string }
      reader: { type: string, sensitive: true }
patterns:
  book: { get: Book }
  booksOf: { query: Book, via: table, hash: AUTHOR#<author>, range: begins_with BOOK# }
  booksOfYear: { query: Book, via: byYear, hash: <year> }
)";

class AskedForTest : public ::testing::Test {
 protected:
  AskedForTest() {
    design::Loaded loaded = design::load(std::string(kLibrary), "library.yaml");
    designs_ = std::make_unique<ServedDesigns>(
        DesignService::Parts{.designs = std::vector<design::Design>{*std::move(loaded.design)}});
    traffic_ = std::make_unique<TrafficDatabase>(engine_, designs_->designs());
    const auto* const create = wire::find_operation("CreateTable");
    for (const std::string name : {"library", "plain"}) {
      const wire::Answer answer = wire::run(
          *create, engine_, {},
          R"({"TableName":")" + name +
              R"(","AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],)"
              R"("KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}],"BillingMode":"PAY_PER_REQUEST"})");
      EXPECT_EQ(answer.status, 200) << answer.body;
    }
    recorder_.start();
  }

  RecordedRequest recorded(std::string_view operation, std::string_view body, std::string_view target = {}) {
    recorder_.record({.operation = operation}, {.target = target, .body = body});
    return *recorder_.find(recorder_.last());
  }
  // "library byYear [booksOfYear] scan": tables, index, patterns.
  std::string asked(std::string_view operation, std::string_view body, std::string_view target = {}) {
    const AskedFor found = reader().read(recorded(operation, body, target));
    std::string text;
    for (const std::string& table : found.tables) text += table + " ";
    if (!found.index.empty()) text += found.index + " ";
    if (found.patterns) {
      text += "[";
      for (const std::string& name : *found.patterns) text += (text.ends_with("[") ? "" : ",") + name;
      text += "]";
    }
    return text + (found.is_scan ? " scan" : "");
  }
  AskedReader reader() { return AskedReader({engine_, true, traffic_.get(), designs_.get()}); }
  MaskedBody masked(std::string_view operation, std::string_view body) {
    const AskedFor found = reader().read(recorded(operation, body));
    return mask_body(body, reader().designs_of(found));
  }

  engine::Engine engine_{store::open_memory()};
  std::unique_ptr<ServedDesigns> designs_;
  std::unique_ptr<TrafficDatabase> traffic_;
  RequestRecorder recorder_;
};

TEST_F(AskedForTest, ReadsAreExplainedByPatterns) {
  EXPECT_EQ(asked("GetItem", R"({"TableName":"library","Key":{"PK":{"S":"AUTHOR#a"},"SK":{"S":"BOOK#b"}}})"),
            "library [book]");
  EXPECT_EQ(asked("GetItem", R"({"TableName":"library","Key":{"PK":{"S":"OTHER#a"},"SK":{"S":"BOOK#b"}}})"),
            "library []");
  const std::string query =
      R"J({"TableName":"library","KeyConditionExpression":"PK = :p AND begins_with(SK, :s)","ExpressionAttributeValues":{":p":{"S":"AUTHOR#a"},":s":{"S":"BOOK#"}}})J";
  EXPECT_EQ(asked("Query", query), "library [booksOf]");
  EXPECT_EQ(
      asked(
          "Query",
          R"({"TableName":"library","IndexName":"byYear","KeyConditionExpression":"#y = :y","ExpressionAttributeNames":{"#y":"year"},"ExpressionAttributeValues":{":y":{"S":"1999"}}})"),
      "library byYear [booksOfYear]");
  EXPECT_EQ(asked("Scan", R"({"TableName":"library","IndexName":"byYear"})"), "library byYear [] scan");
  // The counts are as before: an explanation is not a request.
  EXPECT_EQ(traffic_->counts("library")->patterns.at("booksOf"), 0U);
}

TEST_F(AskedForTest, ATableWithoutADesignHasNoPatterns) {
  EXPECT_EQ(asked("GetItem", R"({"TableName":"plain","Key":{"PK":{"S":"a"},"SK":{"S":"b"}}})"), "plain ");
  EXPECT_EQ(asked("Scan", R"({"TableName":"plain"})"), "plain  scan");
}

TEST_F(AskedForTest, BatchesTransactionsAndStatements) {
  EXPECT_EQ(
      asked(
          "BatchGetItem",
          R"({"RequestItems":{"library":{"Keys":[{"PK":{"S":"AUTHOR#a"},"SK":{"S":"BOOK#b"}},{"PK":{"S":"AUTHOR#a"},"SK":{"S":"BOOK#c"}}]},"plain":{"Keys":[{"PK":{"S":"a"},"SK":{"S":"b"}}]}}})"),
      "library plain [book]");
  EXPECT_EQ(
      asked(
          "TransactGetItems",
          R"({"TransactItems":[{"Get":{"TableName":"library","Key":{"PK":{"S":"AUTHOR#a"},"SK":{"S":"BOOK#b"}}}}]})"),
      "library [book]");
  EXPECT_EQ(
      asked("ExecuteStatement",
            R"J({"Statement":"SELECT * FROM library WHERE PK = 'AUTHOR#a' AND begins_with(SK, 'BOOK#')"})J"),
      "library [booksOf]");
  EXPECT_EQ(asked("ExecuteStatement", R"({"Statement":"SELECT * FROM library WHERE title = 'x'"})"),
            "library [] scan");
  EXPECT_EQ(
      asked(
          "ExecuteTransaction",
          R"({"TransactStatements":[{"Statement":"INSERT INTO plain VALUE {'PK': 'a', 'SK': 'b'}"},{"Statement":"UPDATE library SET x = 1 WHERE PK = 'a' AND SK = 'b'"}]})"),
      "plain library ");
}

TEST_F(AskedForTest, WritesNameTheirTablesAndWriteNothing) {
  const std::string put = R"({"TableName":"plain","Item":{"PK":{"S":"a"},"SK":{"S":"b"}}})";
  EXPECT_EQ(asked("PutItem", put), "plain ");
  EXPECT_EQ(asked("BatchWriteItem", R"({"RequestItems":{"plain":[{"DeleteRequest":{"Key":{}}}]}})"),
            "plain ");
  EXPECT_EQ(asked("ExecuteStatement", R"({"Statement":"INSERT INTO plain VALUE {'PK': 'a', 'SK': 'b'}"})"),
            "plain ");
  EXPECT_EQ(engine_.scan({.table_name = "plain"})->count, 0);
  // A write that is kept in part.
  std::string large = put;
  large.insert(large.size() - 2,
               R"(,"text":{"S":")" + std::string(RequestRecorder::kBodyBytesMax, 'x') + "\"}");
  EXPECT_EQ(asked("PutItem", large), "plain ");
}

TEST_F(AskedForTest, PathsOfDesigns) {
  EXPECT_EQ(asked("", "", "GET /v1/library/booksOfYear?year=1999"), "library byYear [booksOfYear]");
  EXPECT_EQ(asked("", "{}", "POST /v1/library/addBook"), "library ");
  EXPECT_EQ(asked("", "", "GET /v1/nothing/booksOfYear"), "");
  EXPECT_EQ(asked("", "", "GET /v1/"), "");
}

TEST_F(AskedForTest, MalformedRequestsAskForNothing) {
  EXPECT_EQ(asked("Query", "{"), "");
  EXPECT_EQ(asked("Query", R"({"TableName":"library"})"), "library []");
  EXPECT_EQ(asked("ExecuteStatement", R"({"Statement":"SELECT"})"), "");
  EXPECT_EQ(asked("GetItem", R"({"TableName":"<script>"})"), "");
}

TEST_F(AskedForTest, SensitiveValuesAreMasked) {
  const MaskedBody put = masked(
      "PutItem",
      R"({"TableName":"library","Item":{"PK":{"S":"AUTHOR#a"},"SK":{"S":"BOOK#b"},"reader":{"S":"anna"}}})");
  EXPECT_EQ(
      put.body,
      R"({"TableName":"library","Item":{"PK":{"S":"AUTHOR#a"},"SK":{"S":"BOOK#b"},"reader":{"S":"***"}}})");
  EXPECT_EQ(put.masked, std::vector<std::string>{"reader"});
  const MaskedBody update = masked(
      "UpdateItem",
      R"({"TableName":"library","Key":{"PK":{"S":"a"},"SK":{"S":"b"}},"UpdateExpression":"SET #r = :r","ExpressionAttributeNames":{"#r":"reader"},"ExpressionAttributeValues":{":r":{"S":"anna"}}})");
  EXPECT_EQ(update.body.find("anna"), std::string::npos) << update.body;
  EXPECT_NE(update.body.find(R"("Key":{"PK":{"S":"a"})"), std::string::npos) << update.body;
  const MaskedBody statement = masked(
      "ExecuteStatement",
      R"({"Statement":"UPDATE \"library\" SET reader = 'o''anna' SET n = 4711 WHERE PK = ? AND SK = 'b'","Parameters":[{"S":"anna"}]})");
  EXPECT_EQ(
      statement.body,
      R"({"Statement":"UPDATE \"library\" SET reader = '***' SET n = *** WHERE PK = ? AND SK = '***'","Parameters":[{"S":"***"}]})");
  // Requests that name no sensitive attribute stay as they are.
  const std::string query =
      R"({"TableName":"library","KeyConditionExpression":"PK = :p","ExpressionAttributeValues":{":p":{"S":"AUTHOR#a"}}})";
  EXPECT_EQ(masked("Query", query).body, query);
  EXPECT_EQ(masked("PutItem", R"({"TableName":"plain","Item":{"reader":{"S":"anna"}}})").body,
            R"({"TableName":"plain","Item":{"reader":{"S":"anna"}}})");
  // Numbers keep their digits.
  const std::string digits =
      R"({"TableName":"library","pages":[12345678901234567890.10,1e400,-0,true,null]})";
  EXPECT_EQ(masked("PutItem", digits).body, digits);
  // A body that may be read in two ways is not shown.
  const MaskedBody twice =
      masked("PutItem", R"({"TableName":"library","Item":{"title":{"S":"x"},"title":{"S":"y"}}})");
  EXPECT_EQ(twice.body, "");
  EXPECT_EQ(twice.masked, std::vector<std::string>{"reader"});
  const DesignsOfTables designs = reader().designs_of({.tables = {"library"}, .index = {}, .patterns = {}});
  EXPECT_EQ(mask_target("GET /v1/library/x?reader=anna&year=1", designs).body,
            "GET /v1/library/x?reader=***&year=1");
}

TEST_F(AskedForTest, RowsAreJson) {
  recorder_.record(
      {.operation = "Query",
       .began = std::chrono::system_clock::time_point(std::chrono::milliseconds(1'700'000'000'125)),
       .duration = std::chrono::microseconds(1'234),
       .status = 400,
       .request_bytes = 2,
       .answer_bytes = 3,
       .scanned = 5,
       .returned = 1,
       .read_units = 0.5},
      {.body = R"({"TableName":"library"})",
       .sender = "KEY",
       .error = "ValidationException",
       .refusal = R"(a \"b\" \u00e)"});
  const RecordedRequest one = *recorder_.find(recorder_.last());
  const std::string id = std::to_string(one.number);
  EXPECT_EQ(
      page_json(recorder_.read(one.number - 1, 10), reader()),
      R"({"requests":[{"id":)" + id +
          R"(,"at":1700000000125,"ms":1.234,"operation":"Query","tables":["library"],"patterns":[],"scanned":5,"returned":1,"read":0.5,"status":400,"error":"ValidationException","why":"a \"b\" ","key":"KEY","sent":2,"received":3}],"last":)" +
          id + R"(,"missed":0})");
  const std::string whole = request_json(one, reader(), SensitiveValues::Masked);
  EXPECT_NE(whole.find(R"("body":"{\"TableName\":\"library\"}")"), std::string::npos) << whole;
}

}  // namespace
}  // namespace tavola::server
