#include "work/outbox.h"

#include <filesystem>
#include <stdlib.h>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "work/digests.h"
#include "work/record.h"
#include "work/times.h"

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::Optional;

class OutboxTest : public testing::Test {
 protected:
  OutboxTest() {
    std::string name = (std::filesystem::temp_directory_path() / "outbox-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~OutboxTest() override { std::filesystem::remove_all(directory_); }
  std::filesystem::path directory_;
};

// covers AH17
TEST_F(OutboxTest, KeepsMessagesInTheirOrderUntilTheyAreDelivered) {
  const auto outbox = Outbox::open(directory_ / "new" / "outbox");
  ASSERT_TRUE(outbox);
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(outbox->add(id, std::string("message ") + id));
  const auto again = Outbox::open(directory_ / "new" / "outbox");
  auto messages = again->oldest(2);
  ASSERT_TRUE(messages);
  ASSERT_EQ(messages->size(), 2);
  EXPECT_EQ(messages->front().id, "a");
  EXPECT_EQ(messages->back().text, "message b");
  again->remove(messages->front());
  EXPECT_EQ(again->size(), 2);
  EXPECT_EQ(again->oldest(9)->front().id, "b");
}

TEST_F(OutboxTest, SaysWhereItCannotBe) {
  const auto outbox = Outbox::open("/proc/none/outbox");
  ASSERT_FALSE(outbox);
  EXPECT_THAT(outbox.error().message(), testing::HasSubstr("/proc/none/outbox cannot be created"));
}

// covers AH13
TEST(Digests, AreThoseOfTheRequirement) {
  EXPECT_EQ(sha256_hex("in_stock|99.99"), "6e74ec8d33d1c00ffc74de5cff6ea992a58a7cdad3bad329a3cccaf89e788801");
  // RFC 4231, test case 2.
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Times, LooksTakeATwentiethOfThem) {
  using std::chrono::milliseconds;
  EXPECT_EQ(pause_between_looks(milliseconds(5000), milliseconds(10)), milliseconds(5000));
  EXPECT_EQ(pause_between_looks(milliseconds(5000), milliseconds(1000)), milliseconds(20'000));
}

TEST(Times, HaveUnits) {
  using namespace std::chrono_literals;
  EXPECT_THAT(read_duration("1500ms"), Optional(1500ms));
  EXPECT_THAT(read_duration("0s"), Optional(0ms));
  EXPECT_THAT(read_duration("2h"), Optional(7'200'000ms));
  EXPECT_THAT(read_duration("7d"), Optional(604'800'000ms));
  for (const char* text : {"", "5", "s", "-1s", "1.5s", "2 h", "1w"})
    EXPECT_EQ(read_duration(text), std::nullopt) << text;
}

TEST(Records, AreForPeopleAndPrograms) {
  const Record record = Record()
                            .text("event", "crawled")
                            .text("domain", "a\"b")
                            .number("pages", 2)
                            .number("failed", 0)
                            .boolean("first", true)
                            .null("price")
                            .list("kinds", {"x", "y"});
  EXPECT_EQ(
      record.to_json(),
      R"({"event":"crawled","domain":"a\"b","pages":2,"failed":0,"first":true,"price":null,"kinds":["x","y"]})");
  EXPECT_EQ(record.to_text(), "crawled  a\"b, pages 2, first yes, kinds x y");
}

}  // namespace
}  // namespace crawler
