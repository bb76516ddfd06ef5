// The console's addresses for designs, without the network: bodies in, JSON out, on a real engine.
#include "server/console/design_routes.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tavola/table.h>

#include "base/test_scratch_directory.h"
#include "design/load.h"
#include "json/reader.h"
#include "json/writer.h"
#include "server/console/drift_looks.h"
#include "server/console/sample_designs.h"

namespace tavola::server {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kLibrary = R"(design: 1
name: library
title: Books on shelves
table: { name: library, hash: PK, range: SK }
indexes:
  byState: { hash: GSI1PK, range: GSI1SK, project: all }
entities:
  Shelf:
    key: { PK: SHELF#<shelfId>, SK: META }
    ids: { shelfId: string }
    attributes: { owner: { type: email, sensitive: true } }
  Book:
    key: { PK: SHELF#<shelfId>, SK: BOOK#<bookId> }
    ids: { shelfId: { type: string, ref: Shelf }, bookId: string }
    attributes:
      title: { type: string, required: true }
      loud: { type: string, value: <title>! }
      since: timestamp
    lifecycles:
      lending:
        in: byState.range
        states: { IN: { key: IN#<bookId>, initial: true }, OUT: { key: OUT#<bookId>, stuck_after: 30d } }
        transitions: { lend: { from: [IN], to: OUT, set: { since: now() } } }
    index: { byState: { hash: SHELF#<shelfId>, range: lifecycle(lending) } }
patterns:
  booksOf: { query: Book, via: table, hash: SHELF#<shelfId>, range: begins_with BOOK# }
  shelf: { get: Shelf }
  later: { status: planned, doc: One day. }
operations:
  addShelf: { steps: [{ put: Shelf, exists: false }] }
  addBook: { doc: Adds one., steps: [{ put: Book, as: book, exists: false }], returns: book }
)";

design::Design design_in(std::string_view text, const std::string& file) {
  design::Loaded loaded = design::load(text, file);
  for (const design::Diagnostic& one : loaded.diagnostics) {
    if (one.severity == design::Severity::Error) ADD_FAILURE() << to_text(one, text);
  }
  return loaded.design ? *std::move(loaded.design) : design::Design();
}

class OneReply final : public http::ReplyTarget {
 public:
  void reply(http::Response given) override { response = std::move(given); }
  void dropped() override { ADD_FAILURE() << "no answer"; }
  http::Response response{};
};

class DesignRoutesTest : public testing::Test {
 protected:
  void serve(std::vector<design::Design> designs) {
    served_.emplace(DesignService::Parts{.designs = std::move(designs), .secret = "of this test"});
    traffic_.emplace(*database_, served_->designs());
    served_->on_change([this](const auto& next) { traffic_->serve(designs_of(next)); });
    changes_.emplace(DesignChanges::Parts{*database_, adoptions_, log_, &*served_});
    routes_ = design_routes({*served_, adoptions_, *changes_, &*traffic_, *database_, Clock::system(), log_});
  }
  void serve_library() {
    serve({design_in(kLibrary, "library.yaml")});
    ASSERT_TRUE(served_->service()->runner(served_->designs()->front(), *database_).prepare_table());
    put({{"PK", "SHELF#s"}, {"SK", "META"}, {"owner", "a@example.com"}});
    put({{"PK", "SHELF#s"}, {"SK", "BOOK#1"}, {"title", "Emma"}});
  }
  void put(const Item& item) {
    const Result<void> done = Table(*database_, "library").put(item);
    ASSERT_TRUE(done) << done.error().message();
  }

  const Route& route_of(std::string_view path) {
    const Route* found = nullptr;  // the longest path wins
    for (const Route& route : routes_) {
      const bool fits = path == route.path || path.starts_with(route.path + "/");
      if (fits && (found == nullptr || found->path.size() < route.path.size())) found = &route;
    }
    if (found == nullptr) ADD_FAILURE() << "no route has " << path;
    return found == nullptr ? routes_.front() : *found;
  }
  struct Answer {
    int status = 0;
    std::string body;
    json::Node json;
  };
  Answer ask(std::string_view method, std::string_view target, std::string_view body = {}) {
    const std::size_t question = target.find('?');
    http::Request request{};
    request.method = method;
    request.path = target.substr(0, question);
    if (question != std::string_view::npos) request.query = target.substr(question + 1);
    request.body = body;
    OneReply target_of_reply;
    route_of(request.path).answer({request, *traffic_, nullptr, standing_}, http::Reply(target_of_reply));
    const auto node = json::parse(target_of_reply.response.body);
    EXPECT_TRUE(node) << target_of_reply.response.body;
    return {target_of_reply.response.status, target_of_reply.response.body, node ? *node : json::Node()};
  }
  Answer get(std::string_view target) { return ask("GET", target); }
  Answer post(std::string_view target, std::string_view body) { return ask("POST", target, body); }
  Effect effect(std::string_view method, std::string_view path, std::string_view body = {}) {
    http::Request request{};
    request.method = method;
    request.path = path;
    request.body = body;
    return route_of(path).effect(request);
  }

  static std::string question_of(std::string_view text, std::string_view more = {}) {
    std::string body = "{\"text\":";
    json::append_text(body, text);
    return body + std::string(more) + "}";
  }
  // Returns the answer about a plan, when the items are read.
  Answer plan(std::string_view text) {
    Answer answer = post("/console/designs/plan", question_of(text));
    while (answer.json.find("page") != nullptr)
      answer = post("/console/designs/plan",
                    question_of(text, ",\"page\":\"" + answer.json.text_at("page") + "\""));
    return answer;
  }
  // Returns the report of a look, when it has ended.
  Answer drift(std::string_view repair) {
    const std::string head = "{\"repair\":" + std::string(repair);
    Answer answer = post("/console/designs/library/drift", head + "}");
    while (answer.json.find("next") != nullptr)
      answer =
          post("/console/designs/library/drift", head + ",\"page\":\"" + answer.json.text_at("next") + "\"}");
    return answer;
  }

  Log log_{LogFormat::Text};
  const std::unique_ptr<Database> database_ = open_in_memory();
  Adoptions adoptions_{*database_, Clock::system(), log_};
  std::optional<ServedDesigns> served_;
  std::optional<TrafficDatabase> traffic_;
  std::optional<DesignChanges> changes_;
  std::vector<Route> routes_;
  Standing standing_ = Standing::Unlimited;
};

std::string changed(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_F(DesignRoutesTest, ListsTheDesignsWithTheirState) {
  serve_library();
  EXPECT_EQ(
      get("/console/designs").body,
      R"({"designs":[{"name":"library","table":"library","title":"Books on shelves","enforce":"strict",)"
      R"("state":"enforced","progress":null}]})"
      "\n");
  EXPECT_TRUE(Table(*database_, "library").remove({{"PK", "SHELF#s"}, {"SK", "BOOK#1"}}));
  ASSERT_TRUE(database_->delete_table({.table_name = "library"}));
  EXPECT_THAT(get("/console/designs").body, HasSubstr(R"("state":"no table")"));
  EXPECT_EQ(get("/console/designs/library").status,
            200);  // the page of the design is there without its table
}

TEST_F(DesignRoutesTest, ADesignHasAllThatItsPageShows) {
  serve_library();
  const Answer answer = get("/console/designs/library");
  EXPECT_THAT(
      answer.body,
      testing::AllOf(
          HasSubstr(R"("indexes":{"byState":{"hash":"SHELF#<shelfId>","range":"<lending>"}})"),
          HasSubstr(R"("key":{"PK":"SHELF#<shelfId>","SK":"BOOK#<bookId>"})"),
          HasSubstr(
              R"({"name":"owner","type":"email","doc":"","required":false,"sensitive":true,"derived":false})"),
          HasSubstr(
              R"({"name":"booksOf","title":"","doc":"","kind":"query","index":"","entity":"Book","planned":false,)"
              R"("parameters":[{"name":"shelfId","type":"string","required":true}]})"),
          HasSubstr(R"("name":"later","title":"","doc":"One day.","kind":"none")"),
          HasSubstr(R"("initial":false,"terminal":false,"stuckAfter":2592000000)"),
          HasSubstr(R"("refusals":["ALREADY_EXISTS"])"), HasSubstr(R"("enforce":"strict")"),
          HasSubstr(R"("migration":null)")));
  EXPECT_EQ(answer.json.text_at("text"), kLibrary);
  EXPECT_THAT(answer.json.text_at("docs"), HasSubstr("# Books on shelves"));
  EXPECT_EQ(get("/console/designs/none").status, 404);
  EXPECT_EQ(get("/console/designs/library/none").status, 404);
}

TEST_F(DesignRoutesTest, TrafficIsCountedWithItsCost) {
  serve_library();
  QueryRequest query{.table_name = "library",
                     .key_condition_expression = "PK = :p AND begins_with(SK, :s)",
                     .values = *pack({{":p", "SHELF#s"}, {":s", "BOOK#"}})};
  for (int i = 0; i < 3; ++i) {
    const auto page = traffic_->query(query);
    ASSERT_TRUE(page);
    EXPECT_FALSE(page->consumed_capacity);  // nobody asked for it
  }
  query.return_consumed_capacity = ReturnConsumedCapacity::Total;
  EXPECT_EQ(traffic_->query(query)->consumed_capacity->units, 0.5);
  ASSERT_TRUE(traffic_->scan({.table_name = "library"}));
  const Answer answer = get("/console/designs/library/traffic");
  EXPECT_THAT(answer.body,
              HasSubstr(R"({"name":"booksOf","requests":4,"scanned":4,"returned":4,"readUnits":2.0})"));
  EXPECT_THAT(answer.body,
              HasSubstr(R"({"name":"shelf","requests":0,"scanned":0,"returned":0,"readUnits":0.0})"));
  EXPECT_THAT(answer.body, HasSubstr(R"("unserved":[{"what":"Scan: the whole of it","requests":1}])"));
}

TEST_F(DesignRoutesTest, ALensHidesWhatIsSensitiveUntilSomebodyAsks) {
  serve_library();
  const std::string question = R"({"hash":{"S":"SHELF#s"}})";
  const Answer masked = post("/console/lens/library/partition", question);
  EXPECT_EQ(masked.status, 200);
  EXPECT_THAT(masked.body, Not(HasSubstr("a@example.com")));
  EXPECT_THAT(post("/console/lens/library/partition?sensitive=shown", question).body,
              HasSubstr("a@example.com"));
  EXPECT_EQ(post("/console/lens/library/nonsense", "{}").status, 404);
  EXPECT_EQ(post("/console/lens/none/partition", question).status, 404);
  EXPECT_EQ(post("/console/lens/library/partition", "{}").status, 400);
  EXPECT_EQ(post("/console/lens/library/run", R"({"pattern":"booksOf"})").json.text_at("parameter"),
            "shelfId");
}

TEST_F(DesignRoutesTest, DriftIsFoundAndRepaired) {
  serve_library();
  EXPECT_EQ(drift("false").json.text_at("drift"), "false");
  ASSERT_TRUE(database_->govern_table({.table_name = "library", .enforcement = Enforcement::Off}));
  put({{"PK", "SHELF#s"},
       {"SK", "BOOK#2"},
       {"title", "Persuasion"},
       {"loud", "quiet"},
       {"GSI1PK", "SHELF#s"},
       {"GSI1SK", "IN#2"}});
  const Answer found = drift("false");
  EXPECT_EQ(found.json.text_at("drift"), "true");
  EXPECT_THAT(found.body, HasSubstr("derived-value"));
  EXPECT_THAT(drift("true").body, HasSubstr("\"mended\":1"));
  EXPECT_EQ(drift("false").json.text_at("drift"), "false") << drift("false").body;
  EXPECT_EQ(post("/console/designs/library/drift", R"({"page":"look-99"})").status, 400);
}

TEST_F(DesignRoutesTest, AnEditedDesignIsChecked) {
  serve_library();
  const Answer good = post("/console/designs/check", question_of(kLibrary));
  EXPECT_EQ(good.json.text_at("name"), "library");
  const Answer bad = post("/console/designs/check",
                          question_of(changed(std::string(kLibrary), "query: Book", "query: Boot")));
  EXPECT_EQ(bad.status, 200);
  EXPECT_EQ(bad.json.find("name"), nullptr);
  EXPECT_THAT(bad.body, HasSubstr(R"("severity":"error")"));
  EXPECT_THAT(bad.body, HasSubstr(R"("line":26)"));
  EXPECT_EQ(post("/console/designs/check", "{}").status, 400);
  EXPECT_EQ(post("/console/designs/nonsense", "{}").status, 404);
}

TEST_F(DesignRoutesTest, AChangeIsPlannedAppliedAndServed) {
  serve_library();
  EXPECT_THAT(plan(kLibrary).body, HasSubstr("\"nothingToDo\":true"));
  const std::string next = changed(std::string(kLibrary), "<title>!", "<title>!!");
  const Answer planned = plan(next);
  EXPECT_THAT(planned.body, HasSubstr("derived-value"));
  EXPECT_THAT(planned.body, HasSubstr("\"breaking\":0"));
  const std::string wrong = changed(std::string(kLibrary), "query: Book", "query: Boot");
  EXPECT_EQ(post("/console/designs/plan", question_of(wrong)).status, 400);
  EXPECT_EQ(post("/console/designs/apply", question_of(wrong)).status, 400);
  EXPECT_EQ(post("/console/designs/apply", question_of(next, ",\"of\":\"library\"")).body,
            "{\"name\":\"library\",\"table\":\"library\"}\n");
  adoptions_.wait(std::chrono::minutes(5));
  const Answer progress = post("/console/designs/progress", R"({"table":"library"})");
  EXPECT_THAT(progress.body, HasSubstr(R"("adopting":false,"governedBy":"library","served":"library")"));
  EXPECT_THAT(progress.body, HasSubstr(R"("complete":true)"));
  EXPECT_EQ((*Table(*database_, "library").get({{"PK", "SHELF#s"}, {"SK", "BOOK#1"}}))->at("loud"),
            Value("Emma!!"));
  EXPECT_EQ(get("/console/designs/library").json.text_at("text"), next);
}

TEST_F(DesignRoutesTest, ATableOfOtherKeysHasToMigrate) {
  serve_library();
  const Answer answer =
      plan(changed(std::string(kLibrary), "byState: { hash: GSI1PK", "byState: { hash: other"));
  EXPECT_EQ(answer.status, 200);  // an index is replaced
  std::string keys(kLibrary);
  for (std::size_t at = keys.find("PK"); at != std::string::npos; at = keys.find("PK", at + 2)) {
    if (keys.compare(at - 4, 4, "GSI1") != 0) keys.replace(at, 2, "pk");
  }
  const Answer other = plan(keys);
  EXPECT_EQ(other.status, 400);
  EXPECT_THAT(other.json.text_at("detail"), HasSubstr("tavola migrate"));
}

TEST_F(DesignRoutesTest, ADesignIsDraftedFromItemsAndAppliedToTheirTable) {
  serve({});
  ASSERT_TRUE(database_->create_table({.table_name = "library",
                                       .attribute_definitions = {{"PK", Type::String}, {"SK", Type::String}},
                                       .key_schema = {{"PK", KeyType::Hash}, {"SK", KeyType::Range}},
                                       .billing_mode = BillingMode::PayPerRequest}));
  for (const char* book : {"1", "2", "3"}) {
    put({{"PK", "SHELF#s"}, {"SK", std::string("BOOK#") + book}, {"title", "Emma"}, {"kind", "BOOK"}});
  }
  const Answer draft = post("/console/designs/infer", R"({"table":"library"})");
  EXPECT_EQ(draft.json.text_at("items"), "3");
  const std::string text = draft.json.text_at("text");
  EXPECT_EQ(post("/console/designs/check", question_of(text)).json.text_at("table"), "library");
  const Answer applied = post("/console/designs/apply", question_of(text));
  EXPECT_EQ(applied.status, 200) << applied.body;
  adoptions_.wait(std::chrono::minutes(5));
  EXPECT_THAT(get("/console/designs").body, HasSubstr(R"("state":"enforced")"));
  EXPECT_EQ(get("/console/designs/" + applied.json.text_at("name") + "/traffic").status, 200);
  EXPECT_EQ(post("/console/designs/infer", R"({"table":"none"})").status, 404);
}

TEST_F(DesignRoutesTest, ADraftFromLargeItemsNeedsLittleMemory) {
  serve({});
  ASSERT_TRUE(database_->create_table({.table_name = "library",
                                       .attribute_definitions = {{"PK", Type::String}, {"SK", Type::String}},
                                       .key_schema = {{"PK", KeyType::Hash}, {"SK", KeyType::Range}},
                                       .billing_mode = BillingMode::PayPerRequest}));
  constexpr int kBooks = 60;  // of 24 MB together
  for (int i = 0; i < kBooks; ++i) {
    put({{"PK", "SHELF#s"}, {"SK", "BOOK#" + std::to_string(i)}, {"text", std::string(400'000, 'x')}});
  }
  const Answer draft = post("/console/designs/infer", R"({"table":"library"})");
  EXPECT_EQ(draft.status, 200) << draft.body;
  EXPECT_LT(std::stoi(draft.json.text_at("items")), kBooks);
}

TEST_F(DesignRoutesTest, CasesAreRunOnTheDraft) {
  serve_library();
  constexpr std::string_view kCases = R"(design: library.yaml
now: "2026-01-15T10:00:00Z"
given: [{ addShelf: { shelfId: s } }]
cases:
  - name: a book is loud
    when: { addBook: { shelfId: s, bookId: b, title: Emma } }
    then: { loud: Emma! }
  - name: a book is quiet
    when: { addBook: { shelfId: s, bookId: b, title: Emma } }
    then: { loud: Emma }
)";
  std::string cases = ",\"cases\":";
  json::append_text(cases, kCases);
  const Answer answer = post("/console/designs/cases", question_of(kLibrary, cases));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr(R"("name":"a book is loud","line":5,"covers":[],"passed":true)"));
  EXPECT_THAT(answer.body, HasSubstr(R"("failure":{"line":9)"));
  const Answer wrong = post("/console/designs/cases", question_of(kLibrary, ",\"cases\":\"cases: 5\""));
  EXPECT_EQ(wrong.status, 400);
  EXPECT_THAT(wrong.json.text_at("detail"), HasSubstr("design.cases.yaml:1"));
}

TEST_F(DesignRoutesTest, CasesLieBesideTheFilesOfTheServersOptionsAlone) {
  const ScratchDirectory folder;
  const std::string options = folder / "library.yaml";
  const std::string named = folder / "secret.yaml";
  for (const std::string& file : {options, named}) {
    std::ofstream(file.substr(0, file.rfind('.')) + ".cases.yaml") << "cases: [] # of " << file;
  }
  serve({design_in(kLibrary, options)});
  EXPECT_THAT(get("/console/designs/library").json.text_at("cases"), HasSubstr(options));
  std::string other = changed(std::string(kLibrary), "name: library", "name: archive");
  other = changed(other, "{ name: library,", "{ name: archive,");
  std::string more = ",\"file\":";
  json::append_text(more, named);
  const Answer applied = post("/console/designs/apply", question_of(other, more));
  ASSERT_EQ(applied.status, 200) << applied.body;
  adoptions_.wait(std::chrono::minutes(5));
  EXPECT_EQ(get("/console/designs/archive").status, 200);
  EXPECT_EQ(get("/console/designs/archive").json.text_at("cases"), "");
}

TEST_F(DesignRoutesTest, TheSamplesFillAnEmptyDatabaseAndNoOther) {
  serve({});
  const Answer answer = post("/console/samples", "{}");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json.find("designs")->elements.size(), sample_designs().size());
  for (const design::Design& design : *served_->designs()) {
    EXPECT_GT(database_->describe_table({.table_name = design.table.name})->table.item_count, 0)
        << design.name;
    const Answer page = get("/console/designs/" + design.name);
    EXPECT_EQ(page.status, 200);
    EXPECT_THAT(page.json.text_at("cases"), HasSubstr("cases:"));
  }
  const Answer again = post("/console/samples", "{}");
  EXPECT_EQ(again.status, 409);
  EXPECT_THAT(again.json.text_at("detail"), HasSubstr("--in-memory"));
}

TEST_F(DesignRoutesTest, LimitedKeysSeeDesignsAndChangeNone) {
  serve_library();
  standing_ = Standing::Limited;
  EXPECT_EQ(get("/console/designs/library").status, 200);
  EXPECT_THAT(get("/console/designs/library").body, HasSubstr(R"("stuckItems":[])"));
  EXPECT_EQ(get("/console/designs/library/traffic").status, 403);
  EXPECT_EQ(post("/console/designs/library/drift", "{}").status, 403);
  EXPECT_EQ(post("/console/designs/apply", question_of(kLibrary)).status, 403);
  EXPECT_EQ(post("/console/samples", "{}").status, 403);
  EXPECT_EQ(post("/console/designs/check", question_of(kLibrary)).status, 200);
}

TEST_F(DesignRoutesTest, ReadOnlyConsolesKnowWhatChangesSomething) {
  serve_library();
  EXPECT_EQ(effect("GET", "/console/designs"), Effect::Reads);
  EXPECT_EQ(effect("POST", "/console/designs/plan", "{}"), Effect::Reads);
  EXPECT_EQ(effect("POST", "/console/designs/apply", "{}"), Effect::Changes);
  EXPECT_EQ(effect("POST", "/console/designs/library/drift", "{}"), Effect::Reads);
  EXPECT_EQ(effect("POST", "/console/designs/library/drift", R"({"repair":true})"), Effect::Changes);
  EXPECT_EQ(effect("POST", "/console/designs/library/drift", R"({"\u0072epair":true})"), Effect::Changes);
  EXPECT_EQ(effect("POST", "/console/lens/library/copies", R"({"key":{}})"), Effect::Reads);
  EXPECT_EQ(effect("POST", "/console/lens/library/copies", R"({"key":{},"repair":true})"), Effect::Changes);
  EXPECT_EQ(effect("POST", "/console/samples", "{}"), Effect::Changes);
}

TEST_F(DesignRoutesTest, ALookThatNobodyAsksForIsGivenUp) {
  serve_library();
  DriftLooks looks({.database = *database_,
                    .clock = Clock::system(),
                    .wait = std::chrono::milliseconds(0),
                    .forgotten_after = std::chrono::seconds(-1)});
  const auto design = std::make_shared<const design::Design>(served_->designs()->front());
  const auto first = looks.begin({.design = design});
  ASSERT_TRUE(first);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(looks.begin({.design = design}));  // it makes room
  EXPECT_FALSE(looks.wait_for(*first));
}

}  // namespace
}  // namespace tavola::server
