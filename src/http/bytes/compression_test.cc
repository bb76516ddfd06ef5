#include "http/bytes/compression.h"

#include <string>

#include <gtest/gtest.h>

namespace tavola::http {
namespace {

// Confirmed against DynamoDB by the authors of another server, including the odd ones.
TEST(Compression, ReadsAcceptEncodingAsDynamoDbDoes) {
  const std::pair<std::string_view, Coding> cases[] = {
      {"", Coding::Identity},
      {"identity", Coding::Identity},
      {"br", Coding::Identity},
      {"x-gzip", Coding::Identity},
      {"gzip", Coding::Gzip},
      {"deflate", Coding::Deflate},
      {"gzip, deflate", Coding::Gzip},
      {"br, identity, deflate, gzip", Coding::Deflate},
      {"GZIP, identity", Coding::Gzip},
      {"dog, gzip ,, cat", Coding::Gzip},
      {"gzip;q=0.8, deflate;q=0.5", Coding::Gzip},
      {"br, gzip;q=0, deflate; q = 0.5 , identity;q=0", Coding::Deflate},
      {"*", Coding::Gzip},
      {"*, deflate;q=0.5", Coding::Gzip},
      {"*, deflate", Coding::Deflate},
      {"*, identity", Coding::Gzip},
      {"*, gzip;q=0.5", Coding::Deflate},
      {"gzip ;q=0", Coding::Identity},
      {"*;q=0", Coding::Identity},
      {"*;q=0.5,identity", Coding::Gzip},
      {"gzip;q=0.5,identity;q=0.8", Coding::Gzip},
      {"br;q=0.8,identity;q=0.5,*;q=0", Coding::Identity},
      {"*, gzip;q=0, deflate;q=0", Coding::Identity},
      {"\"gzip\"", Coding::Identity},
      {"gzip br", Coding::Identity},
      {"gzip:q=1", Coding::Identity},
      {"deflate;q=0.5, gzip;q=31", Coding::Gzip},
      {"gzip;q=31,deflate;q=51", Coding::Gzip},
      {"deflate;q=0.5, gzip;q=0.2", Coding::Deflate},
      {"deflate;q=0.5, gzip;q=1;q=0.2", Coding::Gzip},
      {"deflate;q=0.5,gzip;q=0.", Coding::Deflate},
      {"deflate;q=0.5,gzip;q=0.x", Coding::Gzip},
      {"deflate;q=0.5,gzip;q=0. x", Coding::Gzip},
      {"deflate;q=-0.5,gzip;q=0.2", Coding::Gzip},
      {"gzip;q= 0;q=1", Coding::Identity},
      {"gzip;q =0;q=1", Coding::Gzip},
      {"gzip; q=0;q=1", Coding::Identity},
      {"gzip;nq=0;q=1", Coding::Identity},
      {"gzip;q=0, gzip;q=1, gzip;q=0", Coding::Gzip},
      {"br,identity;q=0.5,gzip;q=0.0001", Coding::Gzip},
  };
  for (const auto& [header, coding] : cases) EXPECT_EQ(preferred_coding(header), coding) << header;
}

class Decompression : public testing::Test {
 protected:
  Decompressed run(std::string_view bytes, std::size_t bytes_max = 1 << 20U) {
    out_.clear();
    return decompress(bytes, out_, bytes_max, share_);
  }

  ByteBudget budget_{4 << 20U};
  BudgetShare share_{budget_};
  std::string out_;
};

TEST_F(Decompression, UndoesCompression) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i * 7919);
  for (const Coding coding : {Coding::Gzip, Coding::Deflate}) {
    for (const std::string_view part : {std::string_view(text), std::string_view("x"), std::string_view()}) {
      EXPECT_EQ(run(compress(coding, part)), Decompressed::Done);
      EXPECT_EQ(out_, part);
    }
  }
  EXPECT_LT(compress(Coding::Gzip, text).size(), text.size());
}

TEST_F(Decompression, TakesSeveralGzipMembersAndIgnoresWhatIsNone) {
  const std::string two = compress(Coding::Gzip, "ab") + compress(Coding::Gzip, "cd");
  EXPECT_EQ(run(two), Decompressed::Done);
  EXPECT_EQ(out_, "abcd");
  EXPECT_EQ(run(two + "junk"), Decompressed::Done);
  EXPECT_EQ(out_, "abcd");
}

TEST_F(Decompression, RefusesWhatIsCutOrForeign) {
  const std::string whole = compress(Coding::Gzip, std::string(100'000, 'x'));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{10}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_EQ(run(whole.substr(0, size)), Decompressed::Corrupt) << size;
  }
  EXPECT_EQ(run("{\"TableName\":\"t\"}"), Decompressed::Corrupt);
  std::string damaged = whole;
  damaged[damaged.size() - 5] = static_cast<char>(damaged[damaged.size() - 5] + 1);  // its checksum
  EXPECT_EQ(run(damaged), Decompressed::Corrupt);
}

TEST_F(Decompression, StopsAtTheLimit) {
  constexpr std::size_t kLimit = 300'000;
  EXPECT_EQ(run(compress(Coding::Gzip, std::string(kLimit, 'x')), kLimit), Decompressed::Done);
  EXPECT_EQ(out_.size(), kLimit);
  EXPECT_EQ(run(compress(Coding::Gzip, std::string(kLimit + 1, 'x')), kLimit), Decompressed::TooLarge);
}

TEST_F(Decompression, PaysForItsMemoryBeforeItTakesIt) {
  const std::string bomb = compress(Coding::Gzip, std::string(64 << 20U, '\0'));
  EXPECT_EQ(run(bomb, 1 << 30U), Decompressed::OverBudget);
  EXPECT_LE(budget_.used(), std::size_t{4} << 20U);
  share_.release();
  EXPECT_EQ(budget_.used(), 0U);
}

TEST(ByteBudget, GivesNoMoreThanItHas) {
  ByteBudget budget(100);
  BudgetShare a(budget);
  BudgetShare b(budget);
  EXPECT_TRUE(a.grow_to(60));
  EXPECT_FALSE(b.grow_to(41));
  EXPECT_TRUE(b.grow_to(40));
  EXPECT_FALSE(a.grow_to(61));
  EXPECT_TRUE(a.grow_to(10));  // has more already
  b.release();
  EXPECT_TRUE(a.grow_to(100));
  EXPECT_EQ(budget.used(), 100U);
}

}  // namespace
}  // namespace tavola::http
