// Times and their three forms.
#include "design/model/timestamps.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tavola::design {
namespace {

using Kind = AttributeType::Kind;
using std::chrono::milliseconds;

TEST(Timestamps, Iso) {
  for (const auto& [ms, text] : std::vector<std::pair<std::int64_t, const char*>>{
           {0, "1970-01-01T00:00:00Z"},
           {1'706'702'400'999, "2024-01-31T12:00:00Z"},
           {951'827'696'000, "2000-02-29T12:34:56Z"},
           {-1, "1969-12-31T23:59:59Z"},
           {-62'167'219'200'000, "0000-01-01T00:00:00Z"},
           {253'402'300'799'000, "9999-12-31T23:59:59Z"},
       }) {
    EXPECT_EQ(iso8601(WallTime(milliseconds(ms))), text);
    const std::int64_t seconds = (ms - (ms % 1000 + 1000) % 1000) / 1000;
    EXPECT_EQ(parse_iso8601(text), WallTime(milliseconds(seconds * 1000))) << text;
  }
  EXPECT_EQ(iso8601(WallTime::max()), "9999-12-31T23:59:59Z");
  EXPECT_EQ(iso8601(WallTime::min()), "0000-01-01T00:00:00Z");
}

TEST(Timestamps, OnlyOfThatForm) {
  for (const char* text :
       {"", "2024-01-31", "2024-01-31T12:00:00", "2024-01-31T12:00:00z", "2024-01-31 12:00:00Z",
        "2024-01-31T12:00:00.000Z", "2024-02-30T12:00:00Z", "2023-02-29T12:00:00Z", "2024-13-01T12:00:00Z",
        "2024-00-01T12:00:00Z", "2024-01-31T24:00:00Z", "2024-01-31T12:60:00Z", "2024-01-31T12:00:60Z",
        "2024-1-31T12:00:00ZZ", "+024-01-31T12:00:00Z", "2024-01-31T12:00:0-Z"}) {
    EXPECT_EQ(parse_iso8601(text), std::nullopt) << text;
  }
  EXPECT_TRUE(parse_date("2024-02-29"));
  EXPECT_FALSE(parse_date("2023-02-29"));
  EXPECT_FALSE(parse_date("2023-2-28"));
}

TEST(Timestamps, TimesOfProgramsAreNormalised) {
  struct Case {
    const char* text;
    unsigned digits;
    const char* normal;
  };
  for (const auto& [text, digits, normal] : std::vector<Case>{
           {"2024-01-31T12:00:00Z", 0, "2024-01-31T12:00:00Z"},
           {"2024-01-31T12:00:00Z", 3, "2024-01-31T12:00:00.000Z"},
           {"2024-01-31T12:00:00.123Z", 0, "2024-01-31T12:00:00Z"},
           {"2024-01-31T12:00:00.123Z", 3, "2024-01-31T12:00:00.123Z"},
           {"2024-01-31T12:00:00.1Z", 3, "2024-01-31T12:00:00.100Z"},
           {"2024-01-31T12:00:00.123456789Z", 6, "2024-01-31T12:00:00.123456Z"},
           {"2024-01-31T13:30:00.5+01:30", 3, "2024-01-31T12:00:00.500Z"},
           {"2024-01-31T10:00:00-0200", 0, "2024-01-31T12:00:00Z"},
           {"2024-01-31t13:00:00+01", 0, "2024-01-31T12:00:00Z"},
           {"2024-01-31 12:00:00z", 0, "2024-01-31T12:00:00Z"},
           {"2024-03-01T00:30:00+01:00", 0, "2024-02-29T23:30:00Z"},
       }) {
    EXPECT_EQ(normal_iso8601(text, digits), normal) << text;
  }
  for (const char* text :
       {"", "2024-01-31", "2024-01-31T12:00:00", "2024-01-31T12:00:00.Z", "2024-01-31T12:00:00.1234567890Z",
        "2024-01-31T12:00:00,5Z", "2024-01-31T12:00:00+", "2024-01-31T12:00:00+1",
        "2024-01-31T12:00:00+24:00", "2024-01-31T12:00:00+01:60", "2024-01-31T12:00:00+01:0",
        "2024-01-31T12:00:00+01:000", "2024-02-30T12:00:00Z", "0000-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00", "2024-01-31X12:00:00Z", "2024-01-31T12:00:00ZZ",
        "2024-01-31T12:00:00 Z"}) {
    EXPECT_EQ(normal_iso8601(text, 3), std::nullopt) << text;
  }
  EXPECT_EQ(parse_any_iso8601("2024-01-31T13:00:00.1239+01:00"), WallTime(milliseconds(1'706'702'400'123)));
}

TEST(Timestamps, EveryTypeReadsWhatItWrites) {
  const WallTime moment(milliseconds(1'706'702'400'000));
  EXPECT_EQ(write_moment({Kind::TimestampIso, {}}, moment), Value("2024-01-31T12:00:00Z"));
  EXPECT_EQ(write_moment({Kind::TimestampMs, {}}, moment), Value(1'706'702'400'000));
  EXPECT_EQ(write_moment({Kind::TimestampS, {}}, moment), Value(1'706'702'400));
  for (const Kind kind : {Kind::TimestampIso, Kind::TimestampMs, Kind::TimestampS}) {
    EXPECT_EQ(read_moment({kind, {}}, write_moment({kind, {}}, moment)), moment);
    EXPECT_EQ(read_moment({kind, {}}, Value("x")), std::nullopt);
    EXPECT_EQ(read_moment({kind, {}}, Value(1.5_n)), std::nullopt);
  }
  EXPECT_EQ(read_moment({Kind::TimestampS, {}}, Value(9'223'372'036'854'775'807)), std::nullopt);
}

RC_GTEST_PROP(Timestamps, DigitsComeBack, (std::int64_t bits)) {
  const WallTime moment(milliseconds(bits % 253'402'300'800'000));
  if (moment < WallTime(milliseconds(-62'167'219'200'000))) return;
  for (const unsigned digits : {3U, 6U}) {
    const std::string text = iso8601(moment, digits);
    RC_ASSERT(parse_any_iso8601(text) == moment);
    RC_ASSERT(normal_iso8601(text, digits) == text);
  }
}

RC_GTEST_PROP(Timestamps, IsoComesBack, (std::int64_t bits)) {
  const WallTime moment(milliseconds(bits % 253'402'300'800 * 1000));
  if (moment < WallTime(milliseconds(-62'167'219'200'000))) return;
  RC_ASSERT(parse_iso8601(iso8601(moment)) == moment);
}

}  // namespace
}  // namespace tavola::design
