#include "workshop/docs/docs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop/docs/docs_sections.h"
#include "workshop/test_golden.h"
#include "workshop/texts/markdown.h"

namespace tavola::workshop {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Markdown, PartsStandApart) {
  Markdown out;
  out.heading(1, "A");
  out.paragraph("");
  out.paragraph("b\n");
  out.bullets({"c", "d"});
  out.code_block("sh", "e\n");
  EXPECT_EQ(out.take(), "# A\n\nb\n\n- c\n- d\n\n```sh\ne\n```\n");
}

TEST(Markdown, TablesHaveNoEmptyColumnsAndNoBrokenCells) {
  Markdown out;
  out.table({"a", "b", "c"}, {{"1", "", "x|y"}, {"2", "", "two\nlines"}});
  EXPECT_EQ(out.take(), "| a | c |\n|---|---|\n| 1 | x\\|y |\n| 2 | two lines |\n");
}

TEST(Markdown, PlaceholdersDoNotVanish) {
  Markdown out;
  out.paragraph("a <b> and " + code("<c>"));
  EXPECT_EQ(out.take(), "a &lt;b&gt; and `<c>`\n");
}

TEST(Docs, Durations) {
  using std::chrono::milliseconds;
  EXPECT_EQ(duration_text(milliseconds(7'200'000)), "2 hours");
  EXPECT_EQ(duration_text(milliseconds(86'400'000)), "1 day");
  EXPECT_EQ(duration_text(milliseconds(90'000)), "90 seconds");
  EXPECT_EQ(duration_text(milliseconds(1)), "1 ms");
}

TEST(Docs, OfASmallDesign) { expect_golden("library/docs.md", docs(library())); }

TEST(Docs, StatesThatMermaidCannotNameAreOnlyCalledSo) {
  const design::Design design = load_design(R"(
design: 1
name: parcels
table: { name: parcels, hash: PK }
entities:
  Parcel:
    key: { PK: PARCEL#<id> }
    attributes: { id: { required: true }, status: { type: enum, values: [moving, end] } }
    lifecycles:
      way:
        in: status
        states: { moving: { initial: true }, end: { terminal: true } }
        transitions: { deliver: { from: [moving], to: end } }
patterns: { parcel: { get: Parcel } }
operations: { deliver: { steps: [ { transition: Parcel.deliver } ] } }
)");
  EXPECT_THAT(docs(design), HasSubstr("  state \"end\" as state2\n"
                                      "  [*] --> moving\n  moving --> state2: deliver\n  state2 --> [*]\n"));
}

class DocsOf : public testing::TestWithParam<std::string> {};
TEST_P(DocsOf, NameEveryPart) {
  const design::Design& design = design_of(GetParam());
  const std::string text = docs(design);
  EXPECT_EQ(text, docs(design));
  for (const auto& entity : design.entities) {
    EXPECT_THAT(text, HasSubstr("\n### " + entity.name));
    for (const auto& field : entity.fields) EXPECT_THAT(text, HasSubstr("| `" + field.name + "` |"));
    for (const auto& lifecycle : entity.lifecycles) {
      for (const auto& transition : lifecycle.transitions)
        EXPECT_THAT(text, HasSubstr(": " + transition.name + "\n"));
    }
  }
  for (const auto& index : design.indexes) EXPECT_THAT(text, HasSubstr("| " + index.name + " |"));
  for (const auto& copy : design.copies) EXPECT_THAT(text, HasSubstr("| " + copy.name + " |"));
  for (const auto& pattern : design.patterns) EXPECT_THAT(text, HasSubstr("\n### " + pattern.name));
  for (const auto& operation : design.operations) EXPECT_THAT(text, HasSubstr("\n### " + operation.name));
  for (const auto& pattern : design.patterns) {
    for (const auto& [lint, reason] : pattern.notes.accept) EXPECT_THAT(text, HasSubstr("| " + lint + " | "));
  }
}
TEST_P(DocsOf, HaveTablesOfOneWidth) {
  std::istringstream lines(docs(design_of(GetParam())));
  std::ptrdiff_t bars = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_THAT(line, Not(HasSubstr("\n\n\n")));
    std::ptrdiff_t here = 0;
    for (std::size_t i = 0; i < line.size(); ++i) here += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    if (line.starts_with("|")) {
      EXPECT_TRUE(bars == 0 || bars == here) << line;
      bars = here;
    } else {
      bars = 0;
    }
  }
}
TEST_P(DocsOf, AreThoseInTheRepository) {
  const std::string file = std::filesystem::path(GetParam()).stem().string() + ".md";
  EXPECT_EQ(docs(design_of(GetParam())), read_text(TAVOLA_SOURCE_DIR "/docs/designs/" + file))
      << "docs/designs/" << file << " is not what the design says now: `make docs` writes it anew";
}
INSTANTIATE_TEST_SUITE_P(Designs, DocsOf, testing::ValuesIn(design_files()), test_name);

}  // namespace
}  // namespace tavola::workshop
