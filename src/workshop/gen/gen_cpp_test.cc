#include "workshop/gen/gen_cpp.h"

#include <gtest/gtest.h>

#include "design/load.h"

namespace tavola::workshop {
namespace {

// The header contains the design's text unchanged, whatever its content.
TEST(GenCpp, TheDesignsTextDoesNotEndItsLiteral) {
  const std::string text = R"text(design: 1
name: shelf
doc: 'this )design" would end it'
table: { name: shelf, hash: PK, range: SK }
entities:
  Book: { key: { PK: BOOK#<id>, SK: META }, attributes: { id: string } }
patterns:
  book: { get: Book }
)text";
  const design::Loaded loaded = design::load(text, "shelf.yaml");
  ASSERT_TRUE(loaded.design);
  const std::string header = gen_cpp(*loaded.design, text);
  EXPECT_NE(header.find("R\"design_(" + text + ")design_\";"), std::string::npos) << header;
}

}  // namespace
}  // namespace tavola::workshop
