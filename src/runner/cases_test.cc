// Runs the cases of the designs (designs/*.cases.yaml; designs/README.md explains the format) on an embedded database.
// tests/designs runs the same cases over HTTP and, request by request, with boto3.

#include <gtest/gtest.h>

#include "base/test_files.h"
#include "design/language/reading.h"
#include "design/load.h"
#include "design/model/arguments.h"
#include "design/model/field_value.h"
#include "design/model/plain_json.h"
#include "design/roles/access.h"
#include "runner/runner.h"
#include "yaml/parse.h"

namespace tavola::runner {
namespace {

const std::string kDesigns = TAVOLA_SOURCE_DIR "/designs/";

class SetClock final : public Clock {
 public:
  WallTime now() const override { return now_; }
  void set(std::string_view moment) { now_ = design::parse_iso8601(moment).value(); }

 private:
  WallTime now_;
};

struct CaseFile {
  std::string stem;
  yaml::Document document;
  design::Loaded loaded;
};

CaseFile load_cases(const std::string& stem) {
  CaseFile file{stem, yaml::parse(text_of_file(kDesigns + stem + ".cases.yaml")), {}};
  for (const yaml::Problem& problem : file.document.problems) ADD_FAILURE() << problem.message;
  const std::string name = kDesigns + file.document.root.find("design")->text;
  file.loaded = design::load(text_of_file(name), name);
  for (const design::Diagnostic& one : file.loaded.diagnostics) {
    ADD_FAILURE() << to_text(one, text_of_file(name));
  }
  return file;
}

// Returns whether `found` is as expected: only the named members of a map are compared; null means absent.
bool fits(const Value& expected, const Value* found) {
  if (expected.is_null()) return found == nullptr || found->is_null();
  if (found == nullptr) return false;
  if (expected.type() == Type::Map && found->type() == Type::Map) {
    for (const auto& [name, value] : expected.map()) {
      const auto member = found->map().find(name);
      if (!fits(value, member == found->map().end() ? nullptr : &member->second)) return false;
    }
    return true;
  }
  if (expected.type() == Type::List && found->type() == Type::List) {
    const List& wanted = expected.list();
    const List& have = found->list();
    if (wanted.size() != have.size()) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!fits(wanted[i], &have[i])) return false;
    }
    return true;
  }
  return expected == *found;
}

class CaseRun {
 public:
  CaseRun(const design::Design& design, std::string_view now)
      : design_(design),
        database_(open_in_memory()),
        runner_({.database = *database_, .design = design, .clock = clock_, .secret = "of this test"}) {
    clock_.set(now);
    const auto differences = runner_.prepare_table();
    // Operations keep the design by themselves, as on a database without designs; tests/designs runs the same cases
    // with governed tables, over HTTP and boto3.
    EXPECT_TRUE(database_->govern_table({.table_name = design.table.name, .enforcement = Enforcement::Off}));
    EXPECT_TRUE(differences && differences->empty());
  }

  void given(const yaml::Node* steps) {
    if (steps == nullptr) return;
    for (const yaml::Node& step : steps->items) {
      const std::string& name = step.entries.front().key.text;
      if (name == "now") {
        clock_.set(step.entries.front().value.text);
        continue;
      }
      const yaml::Node* refused = step.find("refused");
      for (const yaml::Entry& entry : step.entries) {
        if (entry.key.text == "refused") continue;
        const Result<Value> answer = call(entry.key.text, entry.value, std::nullopt);
        if (refused != nullptr) {
          expect_refused(answer, refused->text);
        } else {
          EXPECT_TRUE(answer) << entry.key.text << ": " << (answer ? "" : answer.error().message());
        }
      }
    }
  }

  void when(const yaml::Node& one) {
    const yaml::Entry& asked = one.find("when")->entries.front();
    const yaml::Node* const as = one.find("as");
    const Result<Value> answer =
        as == nullptr ? call(asked.key.text, asked.value, limit_of(one)) : call_as(*as, asked, limit_of(one));
    if (const yaml::Node* refused = one.find("refused")) return expect_refused(answer, refused->text);
    if (const yaml::Node* invalid = one.find("invalid")) return expect_invalid(answer, invalid->text);
    expect(answer, one.find("then"));
  }

  void check(const yaml::Node* checks) {
    if (checks == nullptr) return;
    for (const yaml::Node& one : checks->items) {
      const yaml::Entry& asked = one.entries.front();
      expect(asked.key.text == "raw" ? raw(asked.value) : call(asked.key.text, asked.value, limit_of(one)),
             one.find("then"));
    }
  }

 private:
  static std::optional<std::int64_t> limit_of(const yaml::Node& said) {
    const yaml::Node* limit = said.find("limit");
    return limit == nullptr ? std::nullopt : std::optional<std::int64_t>(std::stoll(limit->text));
  }

  static Item parameters_of(const yaml::Node& said) {
    const Value value = design::plain_value(said);
    return value.type() == Type::Map ? Item(value.map()) : Item();
  }

  // Calls as a person whose roles may forbid it.
  Result<Value> call_as(const yaml::Node& as, const yaml::Entry& asked, std::optional<std::int64_t> limit) {
    const Runner somebody = runner_.as(
        std::make_shared<const Caller>(Caller{design::text_at(as, "sub"), design::texts_at(as, "groups")}));
    Result<Value> answer = call(somebody, asked.key.text, parameters_of(asked.value), limit);
    if (answer || answer.error().code() != ErrorCode::AccessDenied) return answer;
    EXPECT_NE(answer.error().detail<design::Forbidden>(), nullptr) << answer.error().message();
    return fail(Error(ErrorCode::AccessDenied, answer.error().message(),
                      std::make_shared<design::Refusal>(std::string(design::kForbidden), "")));
  }

  Result<Value> call(const std::string& name, const yaml::Node& parameters,
                     std::optional<std::int64_t> limit) {
    return call(runner_, name, parameters_of(parameters), limit);
  }

  // Returns a pattern's entities, to the last page, or the result of an operation.
  Result<Value> call(const Runner& runner, const std::string& name, const Item& given,
                     std::optional<std::int64_t> limit) {
    if (const design::Operation* operation = design_.find_operation(name)) {
      TAVOLA_TRY(const Done done, runner.perform(*operation, given));
      return done.entity == nullptr ? Value() : Value(Map(done.fields));
    }
    const design::Pattern* pattern = design_.find_pattern(name);
    if (pattern == nullptr) return fail(Error::internal("no pattern or operation " + name));
    List all;
    Question question{.parameters = given, .limit = limit, .page = {}};
    do {
      TAVOLA_TRY(Found found, runner.ask(*pattern, question));
      if (limit) {
        EXPECT_LE(found.entities.size(), static_cast<std::size_t>(*limit));
      }
      for (Found::One& one : found.entities) all.emplace_back(Map(std::move(one.fields)));
      question.page = found.next;
    } while (!question.page.empty());
    if (pattern->form == design::Pattern::Form::Get) return all.empty() ? Value() : all.front();
    return Value(std::move(all));
  }

  Result<Value> raw(const yaml::Node& key) {
    TAVOLA_TRY(const PackedItem packed, pack(design::plain_value(key).map()));
    TAVOLA_TRY(const GetItemResponse response,
               database_->get_item({.table_name = design_.table.name, .key = packed}));
    return response.item ? Value(Map(response.item->unpack())) : Value();
  }

  void expect(const Result<Value>& answer, const yaml::Node* then) {
    ASSERT_TRUE(answer) << answer.error().message();
    const Value expected = then == nullptr ? Value() : design::plain_value(*then);
    if (then == nullptr) return;
    EXPECT_TRUE(fits(expected, &*answer))
        << "expected " << design::to_plain_json(expected) << "\nfound    " << design::to_plain_json(*answer);
  }

  void expect_refused(const Result<Value>& answer, const std::string& name) {
    ASSERT_FALSE(answer) << design::to_plain_json(*answer);
    const auto* refusal = answer.error().detail<design::Refusal>();
    ASSERT_NE(refusal, nullptr) << answer.error().message();
    EXPECT_EQ(refusal->name, name) << refusal->reason;
  }

  void expect_invalid(const Result<Value>& answer, const std::string& parameter) {
    ASSERT_FALSE(answer) << design::to_plain_json(*answer);
    const auto* bad = answer.error().detail<design::BadParameter>();
    ASSERT_NE(bad, nullptr) << answer.error().message();
    EXPECT_EQ(bad->name, parameter) << answer.error().message();
  }

  const design::Design& design_;
  SetClock clock_;
  std::unique_ptr<Database> database_;
  Runner runner_;
};

class CasesTest : public testing::TestWithParam<std::string> {};

TEST_P(CasesTest, Hold) {
  const CaseFile file = load_cases(GetParam());
  ASSERT_TRUE(file.loaded.design);
  const yaml::Node& root = file.document.root;
  ASSERT_NE(root.find("cases"), nullptr);
  for (const yaml::Node& one : root.find("cases")->items) {
    SCOPED_TRACE(GetParam() + ": " + one.find("name")->text);
    CaseRun run(*file.loaded.design, root.find("now")->text);
    if (one.find("empty") == nullptr) run.given(root.find("given"));
    run.given(one.find("given"));
    run.when(one);
    run.check(one.find("check"));
  }
}

INSTANTIATE_TEST_SUITE_P(Designs, CasesTest,
                         testing::Values("InventorySystem", "fus-main", "text-analyzer-history",
                                         "aura-historia-data", "aura-historia-data.r000"),
                         [](const auto& design) {
                           std::string name = design.param;
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

}  // namespace
}  // namespace tavola::runner
