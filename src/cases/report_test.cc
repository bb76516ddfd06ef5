// The report on cases that fail, and on files that are wrong.

#include "cases/report.h"

#include <gtest/gtest.h>

#include "cases/compare.h"
#include "cases/run_cases.h"
#include "design/load.h"
#include "design/model/plain_json.h"

namespace tavola::cases {
namespace {

constexpr std::string_view kShop = R"(design: 1
name: shop
table: { name: shop, hash: PK, range: SK, ttl: expiresAt }
entities:
  Product:
    key: { PK: PRODUCT#<product>, SK: PRODUCT }
    ids: { product: string }
    attributes:
      title: { type: string, required: true }
      stock: { type: integer, min: 0, default: 0 }
      tags: { type: set<string> }
      expiresAt: { type: timestamp(epoch_s) }
patterns:
  getProduct: { get: Product }
  variants: { query: Product, via: table, hash: PRODUCT#<product> }
operations:
  addProduct: { steps: [ { put: Product, exists: false, otherwise: EXISTS } ] }
  sell:
    params: { quantity: { type: integer } }
    steps:
      - { update: Product, require: stock >= :quantity, otherwise: NO_STOCK, set: { stock: stock - :quantity } }
)";

Result<design::Design> shop(const std::string& file) {
  EXPECT_EQ(file, "tests/shop.yaml");
  design::Loaded loaded = design::load(kShop, file);
  if (loaded.design) return *std::move(loaded.design);
  std::string all;
  for (const design::Diagnostic& one : loaded.diagnostics) all += design::to_text(one, kShop);
  return fail(Error::validation(all));
}

constexpr std::string_view kHead = R"(design: shop.yaml
now: "2026-01-15T10:00:00Z"
given:
  - addProduct: { product: p1, title: Lamp, stock: 5, tags: [a, b] }
cases:
)";
constexpr int kHeadLines = 5;

class ReportTest : public testing::Test {
 protected:
  // Runs the cases below kHead.
  const std::vector<FileResult>& run(const std::string& cases, const std::string& filter = {}) {
    Result<CaseFile> read = read_case_file(std::string(kHead) + cases, "tests/shop.cases.yaml", shop);
    EXPECT_TRUE(read) << read.error().message();
    if (read) files_.push_back(*std::move(read));
    results_ = run_cases(files_, {.open = in_memory(), .threads = 2, .filter = filter});
    return results_;
  }

  // Returns the differences of the only case, as "expected | found".
  std::vector<std::string> differences_of(const std::string& one) {
    const auto& results = run("  - name: one\n" + one);
    std::vector<std::string> texts;
    if (!results.front().cases.front().failure) return texts;
    for (const Difference& difference : results.front().cases.front().failure->differences)
      texts.push_back(difference.expected + " | " + difference.found);
    return texts;
  }

  std::vector<CaseFile> files_;
  std::vector<FileResult> results_;
};

using Texts = std::vector<std::string>;

TEST_F(ReportTest, ShowsFieldsThatDiffer) {
  EXPECT_EQ(differences_of("    when: { getProduct: { product: p1 } }\n"
                           "    then: { title: Chair, stock: 5, tags: [a, b], expiresAt: null }\n"),
            Texts{R"(title: "Chair" | title: "Lamp")"});
}

TEST_F(ReportTest, ShowsMissingFields) {
  EXPECT_EQ(differences_of("    when: { getProduct: { product: p1 } }\n"
                           "    then: { title: null, expiresAt: 7 }\n"),
            (Texts{"expiresAt: 7 | expiresAt: missing", R"(title: missing | title: "Lamp")"}));
}

TEST_F(ReportTest, ShowsListsOfOtherLengths) {
  EXPECT_EQ(differences_of("    when: { variants: { product: p1 } }\n"
                           "    then: [{ stock: 4 }, { stock: 3 }]\n"),
            (Texts{"2 elements | 1 element", "[0].stock: 4 | [0].stock: 5", R"([1]: {"stock":3} | )"}));
}

TEST_F(ReportTest, ShowsRefusals) {
  EXPECT_EQ(differences_of("    when: { sell: { product: p1, quantity: 1 } }\n    refused: NO_STOCK\n"),
            Texts{"refused: NO_STOCK | null"});
}

TEST_F(ReportTest, ShowsWhyACallFailed) {
  const Texts texts = differences_of("    when: { sell: { product: p1, quantity: 9 } }\n");
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_TRUE(texts[0].starts_with("success | refused: NO_STOCK (")) << texts[0];
}

TEST_F(ReportTest, ShowsInvalidParameters) {
  const Texts texts =
      differences_of("    when: { sell: { product: p1, quantity: many } }\n    refused: NO_STOCK\n");
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_TRUE(texts[0].starts_with("refused: NO_STOCK | invalid: quantity (")) << texts[0];
}

TEST_F(ReportTest, ExpiredItemsAreGone) {
  EXPECT_EQ(differences_of("    given:\n"
                           "      - addProduct: { product: p2, title: Lamp, expiresAt: 1768474800 }\n"
                           "      - getProduct: { product: p2 }\n"
                           "        then: { title: Lamp }\n"
                           "      - now: \"2026-01-15T12:00:00Z\"\n"
                           "    when: { getProduct: { product: p2 } }\n"
                           "    then: null\n"),
            Texts());
}

TEST_F(ReportTest, TextNamesTheLineOfTheStep) {
  const auto& results = run(R"(  - name: it passes
    when: { sell: { product: p1, quantity: 1 } }
  - name: a sale lowers the stock
    covers: [R1]
    when: { sell: { product: p1, quantity: 2 } }
    check:
      - getProduct: { product: p1 }
        then: { stock: 4 }
)");
  const std::string text = to_text(results);
  EXPECT_EQ(text.find("tests/shop.cases.yaml: 1 passed, 1 failed ("), 0U) << text;
  EXPECT_NE(text.find("\ntests/shop.cases.yaml:" + std::to_string(kHeadLines + 7) +
                      ": failed: a sale lowers the stock\n"
                      "  check getProduct {\"product\":\"p1\"}\n"
                      "    - stock: 4\n"
                      "    + stock: 3\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("\n1 passed, 1 failed in 1 file\n")) << text;
}

TEST_F(ReportTest, JsonAndJunitHaveTheSame) {
  const auto& results = run(R"(  - name: "<odd> & \"quoted\""
    when: { sell: { product: p1, quantity: 2 } }
    refused: NO_STOCK
)");
  const std::string json = to_json(results);
  EXPECT_TRUE(design::parse_plain_json(json)) << json;
  EXPECT_NE(json.find(R"("differences":[{"expected":"refused: NO_STOCK","found":"null"}])"),
            std::string::npos)
      << json;
  const std::string junit = to_junit(results);
  EXPECT_NE(junit.find(R"(name="&lt;odd&gt; &amp; &quot;quoted&quot;" classname="shop")"), std::string::npos)
      << junit;
  EXPECT_NE(junit.find("- refused: NO_STOCK&#10;+ null"), std::string::npos) << junit;
}

TEST_F(ReportTest, FilterChoosesByNameAndRequirement) {
  const std::string cases = R"(  - name: one
    covers: [R1]
    when: { getProduct: { product: p1 } }
  - name: another
    covers: [R12]
    when: { getProduct: { product: p1 } }
)";
  EXPECT_EQ(counts(run(cases, "anoth")).passed, 1U);
  EXPECT_EQ(run(cases, "R1").front().cases.size(), 1U);
}

TEST_F(ReportTest, CasesWithACallerAreSkippedIfTheDatabaseKnowsNone) {
  run("  - name: x\n    as: { sub: anna }\n    when: { getProduct: { product: p1 } }\n");
  const auto results = run_cases(files_, {.open = in_memory(), .knows_callers = false});
  EXPECT_EQ(counts(results).skipped, 1U);
  EXPECT_TRUE(to_text(results).starts_with("tests/shop.cases.yaml: 0 passed, 1 skipped ("))
      << to_text(results);
  EXPECT_NE(to_junit(results).find("<skipped message="), std::string::npos);
}

TEST(CaseFileTest, MistakesHaveTheirPlaces) {
  const auto message_of = [](const std::string& cases) {
    const Result<CaseFile> read = read_case_file(std::string(kHead) + cases, "tests/shop.cases.yaml", shop);
    return read ? std::string() : read.error().message();
  };
  const struct {
    std::string cases;
    std::string message;
  } kWrong[] = {
      {"  - name: x\n    when: { sel: {} }\n", "7:13: error: `shop` has no pattern or operation `sel`"},
      {"  - name: x\n    whenn: { sell: {} }\n", "7:5: error: unknown key `whenn`"},
      {"  - name: x\n", "the case does nothing"},
      {"  - when: { sell: {} }\n", "`name` is missing"},
      {"  - name: x\n    when: { sell: {}, getProduct: {} }\n", "`getProduct` is a second call"},
      {"  - name: x\n    when: { sell: 5 }\n", "the parameters of `sell` are not a map"},
      {"  - name: x\n    when: { sell: {} }\n    then: {}\n    refused: A\n",
       "more than one expected result"},
      {"  - name: x\n    given: [{ now: noon }]\n    when: { sell: {} }\n", "`noon` is not a time"},
      {"  - name: x\n    given: [{ refused: A }]\n    when: { sell: {} }\n", "nothing is called here"},
      {"  []\n", "the file has no case"},
      {"  - name: [\n", "error"},
  };
  for (const auto& wrong : kWrong) {
    EXPECT_NE(message_of(wrong.cases).find(wrong.message), std::string::npos)
        << wrong.cases << message_of(wrong.cases);
  }
  EXPECT_NE(message_of(kWrong[0].cases).find("Did you mean `sell`?"), std::string::npos);
}

}  // namespace
}  // namespace tavola::cases
