#include "base/time_zone.h"

#include <cstdlib>
#include <ctime>
#include <filesystem>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/files.h"
#include "base/test_scratch_directory.h"
#include "base/timestamps.h"

namespace tavola {
namespace {

using std::chrono::seconds;
using std::chrono::sys_days;

std::string big_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xFFU);
  return text;
}

struct Transition {
  std::int64_t at;
  int type;
};

// Returns a file of TZif with these offsets, transitions to them, and the rule for later times.
std::string file_of(const std::vector<int>& offsets, const std::vector<Transition>& transitions,
                    const std::string& rule) {
  const auto header = [](std::size_t times, std::size_t types, std::size_t characters) {
    std::string text =
        "TZif2" + std::string(15, '\0') + big_endian(0, 4) + big_endian(0, 4) + big_endian(0, 4);
    return text + big_endian(times, 4) + big_endian(types, 4) + big_endian(characters, 4);
  };
  std::string file =
      header(0, 1, 1) + std::string(6, '\0') + std::string(1, '\0');  // 32-bit times: nothing useful
  file += header(transitions.size(), offsets.size(), 4);
  for (const Transition& one : transitions) file += big_endian(static_cast<std::uint64_t>(one.at), 8);
  for (const Transition& one : transitions) file += static_cast<char>(one.type);
  for (const int offset : offsets)
    file += big_endian(static_cast<std::uint32_t>(offset), 4) + std::string(2, '\0');
  return file + "LMT" + '\0' + "\n" + rule + "\n";
}

TimeZone zone_of(const std::string& rule) {
  Result<TimeZone> zone = TimeZone::parse(file_of({0}, {}, rule));
  if (!zone) {
    ADD_FAILURE() << rule << ": " << zone.error().message();
    return {};
  }
  return *std::move(zone);
}

WallTime at(std::string_view text) { return *parse_iso8601(text); }
sys_days day(std::string_view text) { return std::chrono::floor<std::chrono::days>(*parse_date(text)); }

// The offset in minutes just before and at a change, for rules as the database has them.
TEST(TimeZone, KnowsWhenClocksChangeByItsRule) {
  struct Case {
    const char* rule;
    const char* change;
    int before;
    int after;
  };
  const Case cases[] = {
      {"CET-1CEST,M3.5.0,M10.5.0/3", "2024-03-31T01:00:00Z", 60, 120},     // Europe/Berlin
      {"CET-1CEST,M3.5.0,M10.5.0/3", "2024-10-27T01:00:00Z", 120, 60},     //
      {"CET-1CEST,M3.5.0,M10.5.0/3", "2051-03-26T01:00:00Z", 60, 120},     //
      {"EST5EDT,M3.2.0,M11.1.0", "2024-03-10T07:00:00Z", -300, -240},      // America/New_York
      {"EST5EDT,M3.2.0,M11.1.0", "2024-11-03T06:00:00Z", -240, -300},      //
      {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-04-06T16:00:00Z", 660, 600},  // Australia/Sydney
      {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2024-10-05T16:00:00Z", 600, 660},  //
      {"IST-1GMT0,M10.5.0,M3.5.0/1", "2024-10-27T01:00:00Z", 60,
       0},  // Europe/Dublin: winter is the exception
      {"IST-1GMT0,M10.5.0,M3.5.0/1", "2024-03-31T01:00:00Z", 0, 60},           //
      {"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2024-03-31T01:00:00Z", -120, -60},  // America/Nuuk
      {"<+0545>-5:45", "2024-06-01T00:00:00Z", 345, 345},                      // Asia/Kathmandu
      {"XXX3YYY,J60,J300/1:30:30", "2024-03-01T05:00:00Z", -180, -120},        // 1 March, in a leap year, too
      {"XXX3YYY,59,299", "2024-02-29T05:00:00Z", -180, -120},  // the day with number 59 of a leap year
  };
  for (const Case& one : cases) {
    const TimeZone zone = zone_of(one.rule);
    EXPECT_EQ(zone.offset_at(at(one.change) - seconds(1)), std::chrono::minutes(one.before)) << one.rule;
    EXPECT_EQ(zone.offset_at(at(one.change)), std::chrono::minutes(one.after)) << one.rule;
  }
}

TEST(TimeZone, UsesItsTransitionsBeforeTheRule) {
  const std::int64_t first = at("1980-01-01T00:00:00Z").time_since_epoch().count() / 1000;
  const std::int64_t second = at("1990-01-01T00:00:00Z").time_since_epoch().count() / 1000;
  const auto zone = TimeZone::parse(file_of({1000, 3600, 7200}, {{first, 1}, {second, 2}}, "XXX-3"));
  ASSERT_TRUE(zone) << zone.error().message();
  EXPECT_EQ(zone->offset_at(at("1979-12-31T23:59:59Z")), seconds(1000));
  EXPECT_EQ(zone->offset_at(at("1980-01-01T00:00:00Z")), seconds(3600));
  EXPECT_EQ(zone->offset_at(at("1989-12-31T23:59:59Z")), seconds(3600));
  EXPECT_EQ(zone->offset_at(at("2020-01-01T00:00:00Z")), seconds(10800)) << "the rule is for later times";
}

TEST(TimeZone, ADayBeginsAtMidnightOrWhenTheClocksWerePutForwardThen) {
  const TimeZone berlin = zone_of("CET-1CEST,M3.5.0,M10.5.0/3");
  EXPECT_EQ(berlin.start_of(day("2024-03-31")), at("2024-03-30T23:00:00Z"));
  EXPECT_EQ(berlin.start_of(day("2024-04-01")), at("2024-03-31T22:00:00Z"));
  EXPECT_EQ(berlin.start_of(day("2024-10-28")), at("2024-10-27T23:00:00Z"));
  const TimeZone havana = zone_of("CST5CDT,M3.2.0/0,M11.1.0/1");  // changes at midnight
  EXPECT_EQ(havana.start_of(day("2024-03-10")), at("2024-03-10T05:00:00Z"))
      << "01:00, because 00:00 did not exist";
  EXPECT_EQ(havana.day_at(at("2024-03-10T05:00:00Z") - seconds(1)), day("2024-03-09"));
  EXPECT_EQ(havana.day_at(at("2024-03-10T05:00:00Z")), day("2024-03-10"));
  EXPECT_EQ(havana.start_of(day("2024-11-03")), at("2024-11-03T04:00:00Z"))
      << "00:00 comes twice: the first counts";
  EXPECT_EQ(TimeZone().start_of(day("2024-02-29")), at("2024-02-29T00:00:00Z"));
}

TEST(TimeZone, RefusesDamagedFiles) {
  const std::string whole = file_of({0, 3600}, {{0, 1}, {10, 0}}, "CET-1CEST,M3.5.0,M10.5.0/3");
  ASSERT_TRUE(TimeZone::parse(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(TimeZone::parse(std::string_view(whole).substr(0, size))) << size;
  for (const char* rule : {"CET", "CET-1CEST", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "C-1",
                           "CET-1CEST,M3.5.0", "CET-200", "CET-1CEST,J0,J1", "CET-1CEST,M3.5.0,M10.5.0/3x"})
    EXPECT_FALSE(TimeZone::parse(file_of({0}, {}, rule))) << rule;
  EXPECT_FALSE(TimeZone::parse(file_of({0}, {{5, 1}}, ""))) << "there is no second offset";
  EXPECT_FALSE(TimeZone::parse(file_of({0}, {{5, 0}, {5, 0}}, ""))) << "transitions are in order";
}

TEST(TimeZone, IsFoundByItsName) {
  const ScratchDirectory scratch;
  std::filesystem::create_directories(scratch.path() / "Europe");
  ASSERT_TRUE(
      replace_file(scratch.path() / "Europe" / "Berlin", file_of({0}, {}, "CET-1CEST,M3.5.0,M10.5.0/3")));
  ASSERT_TRUE(replace_file(scratch.path() / "zone.tab", "not a zone"));
  EXPECT_TRUE(TimeZone::read(scratch.path(), "Europe/Berlin"));
  for (const char* name : {"Europe/Belrin", "Europe", "", "/etc/passwd", "Europe/../Europe/Berlin",
                           "Europe//Berlin", "zone", "Europe/Berlin/", "Europe/Berlin\n"}) {
    const auto none = TimeZone::read(scratch.path(), name);
    ASSERT_FALSE(none) << name;
    EXPECT_EQ(none.error().code(), ErrorCode::Validation);
  }
  const auto missing = TimeZone::read(scratch.path() / "nowhere", "Europe/Berlin");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().message().contains("install the package tzdata")) << missing.error().message();
  EXPECT_TRUE(TimeZone::read(scratch.path() / "nowhere", "UTC")) << "UTC needs no file";
}

// The C library reads the same files.
RC_GTEST_PROP(TimeZoneProperty, AgreesWithTheCLibrary, ()) {
  const std::string name = *rc::gen::element<std::string>(
      "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kolkata",
      "Africa/Casablanca", "Pacific/Apia", "America/Havana", "Europe/Dublin", "Asia/Tehran",
      "Antarctica/Troll");
  RC_PRE(std::filesystem::exists("/usr/share/zoneinfo/" + name));
  const auto zone = TimeZone::find(name);
  RC_ASSERT(zone.has_value());
  const std::time_t time = *rc::gen::inRange<std::time_t>(-2'000'000'000, 4'000'000'000);
  setenv("TZ", name.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): the test has one thread
  tzset();
  std::tm local{};
  localtime_r(&time, &local);
  const WallTime moment{seconds(time)};
  RC_ASSERT((*zone)->offset_at(moment).count() == local.tm_gmtoff);
  const sys_days today = (*zone)->day_at(moment);
  const WallTime start = (*zone)->start_of(today);
  RC_ASSERT(start <= moment);
  RC_ASSERT((*zone)->start_of(today + std::chrono::days(1)) > moment - std::chrono::hours(2));
  RC_ASSERT((*zone)->day_at(start) == today || (*zone)->day_at(start) == today + std::chrono::days(1));
}

}  // namespace
}  // namespace tavola
