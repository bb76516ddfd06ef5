#include "wire/codec/json.h"

#include <fstream>
#include <limits>
#include <malloc.h>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace tavola::wire {
namespace {

TEST(Json, WhatIsNoJsonIsRefused) {
  for (const char* text :
       {"", "{", "{\"a\":}", "nul", "{}{}", "{\"a\":1,}", "\"\xff\"", "{\"a\":\"\\ud800\"}"}) {
    const auto document = JsonDocument::parse(text);
    ASSERT_FALSE(document.has_value()) << text;
    EXPECT_EQ(document.error().code(), ErrorCode::Serialization);
  }
}

TEST(Json, ANewDocumentAfterTheLast) {
  for (int i = 0; i < 3; ++i) {
    const auto document = JsonDocument::parse("{\"a\":[1,2.5,\"x\",null,true],\"a\":7}");
    ASSERT_TRUE(document.has_value());
    EXPECT_EQ(document->root().find("a")->integer(), 7);  // the last of equal names
    EXPECT_EQ(document->root().members().size(), 2U);
    EXPECT_FALSE(document->root().find("b").has_value());
  }
}

// Parses a large document and then a small one, with a limit of the address space that grows each time, so that each of
// the parser's allocations fails once. The document is too large for memory that other tests have freed.
void parse_with_little_memory(int& failed, int& read) {
  std::string many = "[1";
  while (many.size() < (std::size_t{8} << 20U)) many += ",[]";
  many += "]";
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  for (std::size_t megabytes = 0; megabytes < 256; megabytes += 4) {
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const auto used = static_cast<std::size_t>(pages * sysconf(_SC_PAGESIZE));
    const rlimit less{.rlim_cur = used + (megabytes << 20U), .rlim_max = before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_AS, &less), 0);
    {
      const auto document = JsonDocument::parse(many);
      setrlimit(RLIMIT_AS, &before);
      ++(document ? read : failed);
      if (!document) {
        EXPECT_EQ(document.error().code(), ErrorCode::Internal);
      }
    }
    const auto next = JsonDocument::parse("{\"a\":[1,[2]]}");
    ASSERT_TRUE(next.has_value());
    EXPECT_EQ(next->root().to_text(), "{\"a\":[1,[2]]}");
  }
}

TEST(Json, ReadsOnAfterItRanOutOfMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need all of the address space";
#endif
  mallopt(M_MMAP_THRESHOLD, 1 << 17);  // memory that other tests freed is not reused
  int failed = 0;
  int read = 0;
  std::thread([&] { parse_with_little_memory(failed, read); }).join();  // a new thread has a new parser
  EXPECT_GT(failed, 0);
  EXPECT_GT(read, 0);
}

TEST(Json, AThreadReadsSeveralDocumentsAtOnce) {
  const auto first = JsonDocument::parse("[1]");
  const auto second = JsonDocument::parse("[2]");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(JsonDocument::parse("[3]")->root().to_text(), "[3]");
  EXPECT_EQ(first->root().to_text(), "[1]");
  EXPECT_EQ(second->root().to_text(), "[2]");
}

TEST(Json, DistinctMembersAndText) {
  const auto document = JsonDocument::parse("{ \"a\": 1, \"b\": [ 2.5, \"x\" ], \"a\": {} }");
  ASSERT_TRUE(document.has_value());
  const auto members = document->root().distinct_members();
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].first, "b");
  EXPECT_EQ(members[0].second.to_text(), "[2.5,\"x\"]");
  EXPECT_EQ(members[1].second.to_text(), "{}");
}

TEST(Json, NumbersAreCutToIntegers) {
  const auto document = JsonDocument::parse("[2.9,-2.9,1e300,-1e300,18446744073709551615]");
  ASSERT_TRUE(document.has_value());
  const auto numbers = document->root().elements();
  EXPECT_EQ(numbers[0].integer(), 2);
  EXPECT_EQ(numbers[1].integer(), -2);
  EXPECT_EQ(numbers[2].integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(numbers[3].integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(numbers[4].integer(), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace tavola::wire
