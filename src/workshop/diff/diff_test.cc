#include "workshop/diff/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop/test_golden.h"
#include "yaml/parse.h"

namespace tavola::workshop {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct Edit {
  std::string_view what;      // a text of library/design.yaml,
  std::string_view by;        // its replacement,
  std::string_view reported;  // and the first line of the difference
};

std::string library_text() {
  return read_text(TAVOLA_SOURCE_DIR "/src/workshop/testdata/library/design.yaml");
}

class Edits : public testing::TestWithParam<Edit> {};
TEST_P(Edits, AreTold) {
  std::string text = library_text();
  const std::size_t at = text.find(GetParam().what);
  ASSERT_NE(at, std::string::npos) << GetParam().what;
  text.replace(at, GetParam().what.size(), GetParam().by);
  EXPECT_THAT(to_text(diff(library(), load_design(text))), HasSubstr(std::string(GetParam().reported)));
}
INSTANTIATE_TEST_SUITE_P(
    Library, Edits,
    testing::Values(
        Edit{"billing: PROVISIONED", "billing: PAY_PER_REQUEST",
             "change    table: billing: PROVISIONED becomes PAY_PER_REQUEST"},
        Edit{"project: [title]", "project: all", "backfill  index byYear: projection: title becomes ALL"},
        Edit{"  byState: { hash: stateKey", "  more: { hash: moreKey }\n  byState: { hash: stateKey",
             "backfill  index more: is new"},
        Edit{"range: BOOK#<bookId> }", "range: B#<bookId> }",
             "backfill  Book in byYear: range: BOOK#<bookId> becomes B#<bookId>"},
        Edit{"BOOK#<bookId>, SK: META", "B#<bookId>, SK: META",
             "breaks    Book: partition key: BOOK#<bookId> becomes B#<bookId>"},
        Edit{"      tags: { type: list<string>, max_items: 20 }\n", "", "breaks    Book.tags: is gone"},
        Edit{"max_items: 20", "max_items: 30", "change    Book.tags: max_items: 20 becomes 30"},
        Edit{"max_items: 20", "max_items: 10", "breaks    Book.tags: max_items: 20 becomes 10"},
        Edit{"min: 1450", "min: 1400", "change    Book.year: min: 1450 becomes 1400"},
        Edit{"type: integer, min: 1450", "type: number, min: 1450",
             "change    Book.year: type: integer becomes number"},
        Edit{"      until: timestamp\n", "      until: timestamp(epoch_ms)\n",
             "breaks    Loan.until: type: timestamp becomes timestamp(epoch_ms)"},
        Edit{"      until: timestamp\n", "      until: timestamp\n      by: string\n",
             "change    Loan.by: is new"},
        Edit{"      until: timestamp\n",
             "      until: timestamp\n      by: { type: string, required: true }\n",
             "breaks    Loan.by: is new and required"},
        Edit{"      until: timestamp\n",
             "      until: timestamp\n      key: { type: string, derive: upper(bookId) }\n",
             "backfill  Loan.key: is new and computed"},
        Edit{"email: { type: email, unique: true }", "email: { type: email, unique: true, required: true }",
             "breaks    Reader.email: becomes required"},
        Edit{"email: { type: email, unique: true }", "email: { type: email }",
             "change    Reader.email: is no longer unique"},
        Edit{"giveBack: { from: LENT", "giveBack: { from: [LENT]", "The designs do not differ."},
        Edit{"lend: { from: IN, to: LENT }", "lend: { from: [IN, LENT], to: LENT }",
             "change    Book.lending.lend: transition: IN to LENT becomes IN, LENT to LENT"},
        Edit{"patterns:\n",
             "consequences: { lost: { of: Book, then: { put: Loan, set: { readerId: ulid(), from: now() } } "
             "} }\npatterns:\n",
             "change    consequence lost: is new"},
        Edit{"  reader: { title: A reader,", "  member: { title: A reader,",
             "breaks    pattern reader: is gone\n"},
        Edit{", order: desc, limit: 50", ", limit: 50", "breaks    pattern loansOf: the order is reversed"},
        Edit{"otherwise: TOO_MANY", "otherwise: ENOUGH", "change    operation lendBook: step 2"},
        Edit{"as: book, exists: false", "as: book, if_exists: return", ", returned if it exists"},
        Edit{"    idempotent_by: loanId\n", "", "operation lendBook: idempotent by is gone: loanId"},
        Edit{"run: [lendBook]", "run: [lendBook, addBook]",
             "change    role desk: runs: lendBook becomes lendBook, addBook"},
        Edit{"after: 90d", "after: 30d",
             "change    Loan: retention: expire after 7776000 s by expiresAt becomes expire after 2592000 "
             "s by expiresAt"}));

TEST(Diff, LimitsOfParametersAreCompared) {
  std::string text = read_text(TAVOLA_SOURCE_DIR "/designs/fus-main.yaml");
  const design::Design before = load_design(text);
  const std::string_view old = "values: [admin, manager]";
  text.replace(text.find(old), old.size(), "max_length: 7");
  const design::Design after = load_design(text);
  EXPECT_EQ(to_text(diff(before, after)),
            "change    operation setStaffGroup, parameter name: may have any value\n"
            "breaks    operation setStaffGroup, parameter name: max_length: 100 becomes 7\n"
            "\n1 changed, 0 to backfill, 1 breaking\n");
}

TEST(Diff, DefaultsOfParametersAreCompared) {
  std::string text = read_text(TAVOLA_SOURCE_DIR "/designs/InventorySystem.yaml");
  const design::Design before = load_design(text);
  const std::string_view old = "start: { default: \"start_of(day(now(), :zone), :zone)\" }";
  ASSERT_NE(text.find(old), std::string::npos);
  text.replace(text.find(old), old.size(), "start: {}");
  const design::Design after = load_design(text);
  EXPECT_THAT(to_text(diff(before, after)),
              HasSubstr("change    pattern salesToday: default of start is gone: start_of("));
  EXPECT_THAT(to_text(diff(after, before)),
              HasSubstr("change    pattern salesToday: default of start is new: start_of("));
}

TEST(Diff, ConsequencesAreCompared) {
  std::string text = read_text(TAVOLA_SOURCE_DIR "/src/design/testdata/trail.yaml");
  const design::Design before = load_design(text);
  const std::string_view old = "AND stock < least";
  text.replace(text.find(old), old.size(), "AND stock <= least");
  EXPECT_THAT(to_text(diff(before, load_design(text))),
              HasSubstr("change    consequence lowStock: when: (NOT exists(before.stock)"));
  text.erase(text.find("  trail:"), text.find("operations:") - text.find("  trail:"));
  EXPECT_THAT(to_text(diff(before, load_design(text))), HasSubstr("breaks    consequence trail: is gone"));
}

// All that the language can say of items, what follows from them, and their use, in both directions: what is refused now, and was not
// before, breaks.
TEST(Diff, EveryPartOfTheLanguageIsCompared) {
  const auto side = [](const std::string& name) {
    return load_design(read_text(TAVOLA_SOURCE_DIR "/src/workshop/testdata/diff/" + name));
  };
  const design::Design before = side("before.yaml");
  const design::Design after = side("after.yaml");
  expect_golden("diff/forward.txt", to_text(diff(before, after)));
  expect_golden("diff/back.txt", to_text(diff(after, before)));
}

TEST(Diff, OfADesignWithItselfThereIsNone) {
  for (const std::string& file : design_files())
    EXPECT_THAT(diff(design_of(file), design_of(file)), IsEmpty());
}

TEST(Diff, WordsForPeopleAreNoDifference) {
  design::Design design = library();
  design.notes.doc = "Something else.";
  design.entities[0].notes.title = "Somebody";
  EXPECT_THAT(diff(library(), design), IsEmpty());
  EXPECT_EQ(to_text(diff(library(), design)), "The designs do not differ.\n");
}

// AH14: the registry's older revision.
TEST(Diff, OfTheRegistrysRevisions) {
  const auto differences =
      diff(design_of("aura-historia-data.r000.yaml"), design_of("aura-historia-data.yaml"));
  const std::string text = to_text(differences);
  EXPECT_THAT(text, HasSubstr("breaks    table: keys: PK (S), SK (S) becomes pk (S), sk (S)\n"));
  EXPECT_THAT(text, HasSubstr("backfill  index GSI2: is new\n"));
  EXPECT_THAT(text, HasSubstr("breaks    Url.is_product: is gone\n"));
  EXPECT_THAT(text, HasSubstr("hash(md5) becomes hash(sha256)"));
  EXPECT_TRUE(yaml::parse(to_json(differences)).problems.empty());
}

}  // namespace
}  // namespace tavola::workshop
