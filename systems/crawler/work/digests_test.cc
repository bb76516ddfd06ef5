#include "work/digests.h"

#include <gtest/gtest.h>

namespace crawler {
namespace {

// covers AH13
TEST(Digests, AreThoseOfTheDesign) {
  EXPECT_EQ(sha256_hex("in_stock|99.99"), "6e74ec8d33d1c00ffc74de5cff6ea992a58a7cdad3bad329a3cccaf89e788801");
}

// covers AH17
TEST(Digests, ChangesHaveIdsOfTheirOwn) {
  const ChangeOfProduct sold{
      .url = "https://a.de/1", .before = "in", .after = "out", .since = "2026-01-01T00:00:00Z"};
  ChangeOfProduct later = sold;
  later.since = "2026-01-03T00:00:00Z";
  EXPECT_EQ(id_of_change(sold), id_of_change(sold));
  EXPECT_NE(id_of_change(sold), id_of_change(later));
  EXPECT_EQ(id_of_change(sold).size(), 32U);
}

}  // namespace
}  // namespace crawler
