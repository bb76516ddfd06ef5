// Runs the cases of the designs (designs/*.cases.yaml). tests/designs runs the same cases over HTTP and, request by request, with
// boto3.

#include <gtest/gtest.h>

#include "base/test_files.h"
#include "cases/report.h"
#include "cases/run_cases.h"
#include "cases/test_case_files.h"

namespace tavola::cases {
namespace {

class CasesTest : public testing::TestWithParam<std::string> {
 protected:
  static void expect_all_to_pass(const OpenDatabase& open) {
    const std::string name = TAVOLA_SOURCE_DIR "/designs/" + GetParam() + ".cases.yaml";
    const Result<CaseFile> file = read_case_file(text_of_file(name), name, load_design);
    ASSERT_TRUE(file) << file.error().message();
    const std::vector<FileResult> results = run_cases({&*file, 1}, {.open = open});
    EXPECT_EQ(counts(results).passed, file->cases.size());
    EXPECT_EQ(counts(results).failed, 0U) << to_text(results);
  }
};

TEST_P(CasesTest, Hold) { expect_all_to_pass(in_memory()); }

// Operations keep the design by themselves, as on a database without designs.
TEST_P(CasesTest, HoldWithoutGovernance) { expect_all_to_pass(in_memory(Enforcement::Off)); }

INSTANTIATE_TEST_SUITE_P(Designs, CasesTest,
                         testing::Values("InventorySystem", "fus-main", "text-analyzer-history",
                                         "aura-historia-data", "aura-historia-data.r000"),
                         [](const auto& design) {
                           std::string name = design.param;
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

}  // namespace
}  // namespace tavola::cases
