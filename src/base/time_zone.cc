#include "base/time_zone.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/ascii.h"
#include "base/files.h"
#include "base/locks.h"

namespace tavola {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::seconds;
using std::chrono::sys_days;

constexpr std::size_t kNameBytesMax = 64;
constexpr std::size_t kFileBytesMax = 1 << 20;

Error not_readable() { return Error::validation("it is not a file of the format TZif"); }

// A name leads to a file below the folder and nowhere else.
bool is_zone_name(std::string_view name) {
  const auto is_allowed = [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '+' || c == '/';
  };
  return !name.empty() && name.size() <= kNameBytesMax && name.front() != '/' && name.back() != '/' &&
         !name.contains("//") && std::ranges::all_of(name, is_allowed);
}

std::filesystem::path system_folder() {
  const char* const chosen = std::getenv("TZDIR");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return chosen != nullptr && *chosen != '\0' ? chosen : "/usr/share/zoneinfo";
}

std::int64_t seconds_of(WallTime time) {
  return std::chrono::floor<seconds>(time).time_since_epoch().count();
}

sys_days day_of(std::int64_t time) {
  return std::chrono::floor<days>(std::chrono::sys_seconds(seconds(time)));
}

std::int64_t seconds_of(sys_days day) { return seconds(day.time_since_epoch()).count(); }

// Returns the day of a change in a year.
sys_days day_in(std::chrono::year year, const TimeZone::Change& change) {
  using namespace std::chrono;
  const sys_days first = sys_days(year / January / 1);
  switch (change.kind) {
    case TimeZone::Change::Kind::Julian:
      return first + days(change.day - 1 + (year.is_leap() && change.day > 59 ? 1 : 0));
    case TimeZone::Change::Kind::DayOfYear:
      return first + days(change.day);
    case TimeZone::Change::Kind::Weekday:
      break;
  }
  const month in(static_cast<unsigned>(change.month));
  const weekday on(static_cast<unsigned>(change.day));
  if (change.week == 5) return sys_days(year / in / on[last]);
  return sys_days(year / in / on[static_cast<unsigned>(change.week)]);
}

// Reads a text from its beginning.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool is_done() const { return rest_.empty(); }
  bool skip(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<std::string_view> bytes(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  // Reads a number of `width` bytes, the first of which is the most significant.
  std::optional<std::int64_t> big_endian(std::size_t width) {
    const auto taken = bytes(width);
    if (!taken) return std::nullopt;
    std::uint64_t value = (taken->front() & '\x80') != 0 ? ~std::uint64_t{0} : 0;
    for (const char c : *taken) value = value << 8U | static_cast<unsigned char>(c);
    return static_cast<std::int64_t>(value);
  }
  std::optional<int> digits() {
    constexpr int kMost = 1'000'000;
    int value = 0;
    std::size_t count = 0;
    while (count < rest_.size() && is_digit(rest_[count]) && value < kMost)
      value = value * 10 + (rest_[count++] - '0');
    rest_.remove_prefix(count);
    return count == 0 ? std::nullopt : std::optional(value);
  }
  // Reads the name of a zone: letters, or anything in angle brackets.
  bool name() {
    const std::size_t end = rest_.starts_with('<')
                                ? rest_.find('>') + 1
                                : std::min(rest_.find_first_of("+-0123456789,"), rest_.size());
    if (end < 3) return false;
    rest_.remove_prefix(end);
    return true;
  }

 private:
  std::string_view rest_;
};

// [+-]hh[:mm[:ss]]
std::optional<seconds> read_time(Reader& text) {
  const bool is_negative = text.skip('-');
  if (!is_negative) text.skip('+');
  int parts[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    if (i > 0 && !text.skip(':')) break;
    const auto part = text.digits();
    if (!part || *part > (i == 0 ? 167 : 59)) return std::nullopt;
    parts[i] = *part;
  }
  const seconds time = hours(parts[0]) + std::chrono::minutes(parts[1]) + seconds(parts[2]);
  return is_negative ? -time : time;
}

// ,M3.5.0/2 or ,J60 or ,59/-1
std::optional<TimeZone::Change> read_change(Reader& text) {
  using Kind = TimeZone::Change::Kind;
  TimeZone::Change change;
  if (!text.skip(',')) return std::nullopt;
  if (text.skip('M')) {
    const auto month = text.digits();
    const auto week = text.skip('.') ? text.digits() : std::nullopt;
    const auto day = text.skip('.') ? text.digits() : std::nullopt;
    if (!month || !week || !day || *month < 1 || *month > 12 || *week < 1 || *week > 5 || *day > 6)
      return std::nullopt;
    change.month = *month;
    change.week = *week;
    change.day = *day;
  } else {
    change.kind = text.skip('J') ? Kind::Julian : Kind::DayOfYear;
    const auto day = text.digits();
    if (!day || *day > 365 || (*day == 0 && change.kind == Kind::Julian)) return std::nullopt;
    change.day = *day;
  }
  if (text.skip('/')) {
    const auto at = read_time(text);
    if (!at) return std::nullopt;
    change.at = *at;
  }
  return change;
}

}  // namespace

// Reads the two blocks of a file: one with 32-bit times, which is skipped, and one with 64-bit times; then the rule for later times.
class TimeZoneReader {
 public:
  explicit TimeZoneReader(std::string_view bytes) : bytes_(bytes) {}

  Result<TimeZone> read() {
    TAVOLA_TRY(const Counts old, header());
    if (old.version < '2') return fail(Error::validation("it is older than version 2 of TZif"));
    if (!bytes_.bytes(old.size(4))) return fail(not_readable());
    TAVOLA_TRY(const Counts counts, header());
    TAVOLA_CHECK(transitions(counts));
    TAVOLA_CHECK(rule());
    return std::move(zone_);
  }

 private:
  struct Counts {
    char version = '\0';
    std::size_t is_utc = 0;
    std::size_t is_standard = 0;
    std::size_t leaps = 0;
    std::size_t times = 0;
    std::size_t types = 0;
    std::size_t characters = 0;
    std::size_t size(std::size_t time_bytes) const {
      return times * (time_bytes + 1) + types * 6 + characters + leaps * (time_bytes + 4) + is_standard +
             is_utc;
    }
  };

  Result<Counts> header() {
    constexpr std::size_t kUnused = 15;
    Counts counts;
    const auto magic = bytes_.bytes(4);
    const auto version = bytes_.bytes(1);
    if (!magic || *magic != "TZif" || !version || !bytes_.bytes(kUnused)) return fail(not_readable());
    counts.version = version->front();
    for (std::size_t* const count : {&counts.is_utc, &counts.is_standard, &counts.leaps, &counts.times,
                                     &counts.types, &counts.characters}) {
      const auto value = bytes_.big_endian(4);
      if (!value || *value < 0 || *value > static_cast<std::int64_t>(kFileBytesMax))
        return fail(not_readable());
      *count = static_cast<std::size_t>(*value);
    }
    return counts;
  }

  Result<void> transitions(const Counts& counts) {
    if (counts.types == 0 || counts.leaps > 0) return fail(not_readable());
    std::vector<std::int64_t> times;
    for (std::size_t i = 0; i < counts.times; ++i) {
      const auto time = bytes_.big_endian(8);
      if (!time || (!times.empty() && *time <= times.back())) return fail(not_readable());
      times.push_back(*time);
    }
    const auto types = bytes_.bytes(counts.times);
    std::vector<seconds> offsets;
    for (std::size_t i = 0; i < counts.types; ++i) {
      const auto offset = bytes_.big_endian(4);
      if (!offset || !bytes_.bytes(2)) return fail(not_readable());
      if (*offset < -90'000 || *offset > 93'600) return fail(not_readable());  // RFC 9636, 3.2
      offsets.emplace_back(*offset);
    }
    if (!types || !bytes_.bytes(counts.characters + counts.is_standard + counts.is_utc))
      return fail(not_readable());
    zone_.first_ = offsets.front();
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto type = static_cast<unsigned char>((*types)[i]);
      if (type >= offsets.size()) return fail(not_readable());
      zone_.transitions_.push_back({times[i], offsets[type]});
    }
    return {};
  }

  // CET-1CEST,M3.5.0,M10.5.0/3: an offset is what is added to local time.
  Result<void> rule() {
    if (!bytes_.skip('\n')) return fail(not_readable());
    if (bytes_.skip('\n')) return {};  // unknown
    TimeZone::Rule rule;
    const bool is_named = bytes_.name();
    const auto standard = is_named ? read_time(bytes_) : std::nullopt;
    if (!standard) return fail(not_readable());
    rule.standard = rule.summer = -*standard;
    if (!bytes_.skip('\n')) {
      if (!bytes_.name()) return fail(not_readable());
      rule.summer = rule.standard + hours(1);
      rule.begins = read_change(bytes_);
      if (!rule.begins) {
        const auto summer = read_time(bytes_);
        if (!summer) return fail(not_readable());
        rule.summer = -*summer;
        rule.begins = read_change(bytes_);
      }
      rule.ends = read_change(bytes_);
      if (!rule.begins || !rule.ends || !bytes_.skip('\n')) return fail(not_readable());
    }
    zone_.rule_ = rule;
    return {};
  }

  Reader bytes_;
  TimeZone zone_;
};

seconds TimeZone::Rule::offset_at(std::int64_t time) const {
  if (!begins || !ends) return standard;
  const std::chrono::year year = std::chrono::year_month_day(day_of(time + standard.count())).year();
  const std::int64_t begin = seconds_of(day_in(year, *begins)) + (begins->at - standard).count();
  const std::int64_t end = seconds_of(day_in(year, *ends)) + (ends->at - summer).count();
  // In the south, summer time lasts from one year to the next.
  const bool is_summer = begin < end ? time >= begin && time < end : time >= begin || time < end;
  return is_summer ? summer : standard;
}

seconds TimeZone::offset_at(WallTime time) const {
  const std::int64_t at = seconds_of(time);
  const auto next = std::ranges::upper_bound(transitions_, at, {}, &Transition::at);
  if (next == transitions_.end() && rule_) return rule_->offset_at(at);
  return next == transitions_.begin() ? first_ : std::prev(next)->offset;
}

sys_days TimeZone::day_at(WallTime time) const { return std::chrono::floor<days>(time + offset_at(time)); }

WallTime TimeZone::start_of(sys_days day) const {
  const WallTime midnight(day);
  const WallTime earliest = midnight - hours(26);
  const WallTime latest = midnight + hours(26);
  for (const seconds offset : {offset_at(earliest), offset_at(latest)}) {
    if (const WallTime start = midnight - offset; offset_at(start) == offset) return start;
  }
  // The clocks are put forward over midnight: the day begins with the change.
  std::int64_t before = seconds_of(earliest);
  std::int64_t after = seconds_of(latest);
  while (before + 1 < after) {
    const std::int64_t middle = before + (after - before) / 2;
    const WallTime time{seconds(middle)};
    (time + offset_at(time) < midnight ? before : after) = middle;
  }
  return WallTime(seconds(after));
}

Result<TimeZone> TimeZone::parse(std::string_view bytes) { return TimeZoneReader(bytes).read(); }

Result<TimeZone> TimeZone::read(const std::filesystem::path& folder, std::string_view name) {
  if (name == "UTC" || name == "Etc/UTC") return TimeZone();
  if (!is_zone_name(name))
    return fail(Error::validation(
        "there is no such time zone; write a name of the IANA database, such as Europe/Berlin, or UTC"));
  const std::string quoted_name = '"' + std::string(name) + '"';
  std::error_code problem;
  if (!std::filesystem::is_directory(folder, problem)) {
    return fail(Error::validation("the time zone " + quoted_name + " is unknown, because " + quoted(folder) +
                                  " is missing; install the package tzdata (UTC works without it)"));
  }
  const std::filesystem::path file = folder / name;
  const bool is_there = std::filesystem::is_regular_file(file, problem) &&
                        std::filesystem::file_size(file, problem) <= kFileBytesMax;
  if (!is_there) {
    return fail(Error::validation("there is no time zone " + quoted_name +
                                  "; write a name of the IANA database, such as Europe/Berlin, or UTC"));
  }
  TAVOLA_TRY(const std::string bytes, read_file(file));
  Result<TimeZone> zone = parse(bytes);
  if (!zone) return fail(Error::validation(quoted_name + " is not a time zone: " + zone.error().message()));
  return zone;
}

Result<std::shared_ptr<const TimeZone>> TimeZone::find(std::string_view name) {
  static Mutex mutex;
  static std::map<std::string, std::shared_ptr<const TimeZone>, std::less<>>
      known;  // as many as there are files
  const MutexLock lock(mutex);
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  TAVOLA_TRY(TimeZone zone, read(system_folder(), name));
  return known.emplace(name, std::make_shared<const TimeZone>(std::move(zone))).first->second;
}

}  // namespace tavola
