#include "store/rocks/synced_facts.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/files.h"
#include "store/crc32c.h"
#include "store/data_files.h"
#include "store/rocks/closed_mark.h"
#include "store/rocks/torn_log.h"

namespace tavola::store {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kCountDigits = 20;
constexpr std::size_t kChecksumBytes = 1 + 2 * sizeof(std::uint32_t);  // with the space before it
constexpr std::size_t kFirstLineBytes =
    3 * (kCountDigits + 1) + kChecksumBytes;  // in one sector of the disk, which is written atomically
constexpr std::string_view kManifestPrefix = "MANIFEST-";
constexpr std::string_view kUnknown = "unknown";

std::string padded(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(kCountDigits - digits.size(), '0') + digits;
}

std::string hexadecimal(std::uint32_t number) {
  std::string text(2 * sizeof(number), '0');
  std::snprintf(text.data(), text.size() + 1, "%08X", number);
  return text;
}

template <class Number>
std::optional<Number> to_number(std::string_view text, int base = 10) {
  Number number{};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [rest, error] = std::from_chars(begin, end, number, base);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t space = text.find(' ');
    words.push_back(text.substr(0, space));
    if (space == std::string_view::npos) return words;
    text.remove_prefix(space + 1);
  }
}

// Changes with every start of the machine.
std::string boot_of_machine() {
  std::string boot = read_small_file("/proc/sys/kernel/random/boot_id").value_or("");
  while (boot.ends_with('\n')) boot.pop_back();
  return boot.empty() ? std::string(kUnknown) : boot;
}

// Differs between a directory and a copy of it: the file system, the inode, and its creation time. Without the first,
// the roots of file systems without creation times would all be equal.
std::string identity_of(const fs::path& directory) {
  struct statx status{};
  if (::statx(AT_FDCWD, directory.c_str(), 0, STATX_INO | STATX_BTIME, &status) != 0)
    return std::string(kUnknown);
  struct statfs system{};
  if (::statfs(directory.c_str(), &system) != 0) return std::string(kUnknown);
  std::uint64_t system_id = 0;
  static_assert(sizeof(system_id) == sizeof(system.f_fsid));
  std::memcpy(&system_id, &system.f_fsid, sizeof(system_id));
  const bool has_birth = (status.stx_mask & STATX_BTIME) != 0;
  return std::to_string(system_id) + "-" + std::to_string(status.stx_ino) + "-" +
         std::to_string(has_birth ? status.stx_btime.tv_sec : 0) + "." +
         std::to_string(has_birth ? status.stx_btime.tv_nsec : 0);
}

// Adds one line of SYNCED to the facts. Returns whether it could be read.
bool take_line(SyncedFacts& facts, std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  const std::string_view what = words.front();
  if (what == "closed" && words.size() == 1) {
    facts.is_closed = true;
  } else if (what == "opened" && words.size() == 3) {
    facts.boot = words[1];
    facts.directory = words[2];
  } else if (what == "manifest" && words.size() == 4) {
    const auto bytes = to_number<std::uint64_t>(words[2]);
    const auto checksum = to_number<std::uint32_t>(words[3], 16);
    if (!bytes || !checksum) return false;
    facts.manifests[std::string(words[1])] = {*bytes, *checksum};
  } else if (what == "current" && words.size() == 2) {
    facts.set_current(std::string(words[1]));
  } else if (what == "log" && words.size() == 4) {
    const auto synced = to_number<std::uint64_t>(words[2]);
    const auto written = to_number<std::uint64_t>(words[3]);
    if (!synced || !written) return false;
    facts.logs[log_number(words[1])] = {*synced, *written};
  } else if (what == "gone" && words.size() == 2) {
    facts.logs.erase(log_number(words[1]));
  } else {
    return false;
  }
  return true;
}

// Returns the text of a line without its checksum, if that is correct.
std::optional<std::string_view> checked_text(std::string_view line) {
  if (line.size() <= kChecksumBytes) return std::nullopt;
  const std::string_view text = line.substr(0, line.size() - kChecksumBytes);
  return line.substr(text.size()) == " " + hexadecimal(crc32c(text)) ? std::optional(text) : std::nullopt;
}

Error damaged(const fs::path& path, const std::string& reason) {
  return file_is(path, {.fate = "damaged",
                        .reason = reason,
                        .otherwise = "; or open it without knowing whether writes are missing: "
                                     "`tavola serve --accept-loss`"});
}

struct FirstLine {
  std::uint64_t number;  // of the newest log
  SyncedFacts::Log log;
};

std::optional<FirstLine> parse_first(std::string_view line) {
  if (line.size() != kFirstLineBytes || !line.ends_with('\n')) return std::nullopt;
  const std::optional<std::string_view> text = checked_text(line.substr(0, line.size() - 1));
  if (!text) return std::nullopt;
  const std::vector<std::string_view> words = words_of(*text);
  if (words.size() != 3) return std::nullopt;
  const auto number = to_number<std::uint64_t>(words[0]);
  const auto synced = to_number<std::uint64_t>(words[1]);
  const auto written = to_number<std::uint64_t>(words[2]);
  if (!number || !synced || !written) return std::nullopt;
  return FirstLine{*number, {*synced, *written}};
}

// Returns whether SYNCED was synced with this line before anything else happened.
bool is_synced_line(std::string_view text) {
  const std::string_view what = words_of(text).front();
  return what == "manifest" || what == "gone" || what == "closed";
}

// Reads the lines after the first one. A power cut drops pages in any order, so a broken line may have intact ones
// after it; then it was not synced, and everything from it on is ignored. It was synced, and is damaged, if two synced
// lines follow: the second was written after the sync of the first had returned.
Result<SyncedFacts> parse_lines(const fs::path& path, std::string_view text) {
  SyncedFacts facts;
  bool is_broken = false;
  int synced_behind = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::optional<std::string_view> line = checked_text(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    is_broken = is_broken || !line;
    if (!line) continue;
    if (is_broken && is_synced_line(*line) && ++synced_behind == 2)
      return fail(damaged(path, "a line before '" + std::string(*line) + "' is broken"));
    if (!is_broken && !take_line(facts, *line))
      return fail(damaged(path, "its line '" + std::string(*line) + "' has no meaning"));
  }
  return facts;
}

Result<SyncedFacts> parse(const fs::path& path, std::string_view text) {
  const std::optional<FirstLine> first = parse_first(text.substr(0, kFirstLineBytes));
  if (!first) return fail(damaged(path, "its first line is broken"));
  TAVOLA_TRY(SyncedFacts facts, parse_lines(path, text.substr(kFirstLineBytes)));
  if (const auto log = facts.logs.find(first->number); log != facts.logs.end()) {
    log->second = {std::max(log->second.synced, first->log.synced),
                   std::max(log->second.written, first->log.written)};
  }
  return facts;
}

// Returns the facts of the files as they are now.
Result<SyncedFacts> facts_of(const fs::path& directory) {
  SyncedFacts facts{.boot = boot_of_machine(), .directory = identity_of(directory)};
  facts.current = current_manifest(directory);
  TAVOLA_TRY(const std::string manifest, read_file(directory / facts.current));
  facts.manifests[facts.current] = {manifest.size(), crc32c(manifest)};
  TAVOLA_TRY(const std::vector<std::string> logs, log_files(directory));
  for (const std::string& name : logs) {
    TAVOLA_TRY(const std::string log, read_file(directory / name));
    const std::uint64_t bytes = whole_bytes(log);
    facts.logs[log_number(name)] = {bytes, bytes};
  }
  return facts;
}

Result<void> check_manifest(const fs::path& file, const SyncedFacts::Manifest& must) {
  std::error_code error;
  if (!fs::exists(file, error) && !error) return fail(file_is_missing(file));
  TAVOLA_TRY(const std::string bytes, read_file(file));
  if (bytes.size() < must.bytes) {
    return fail(file_is_damaged(
        file, "it has " + std::to_string(bytes.size()) + " bytes and had " + std::to_string(must.bytes)));
  }
  if (crc32c(std::string_view(bytes).substr(0, must.bytes)) == must.checksum) return {};
  return fail(file_is_damaged(
      file, "its first " + std::to_string(must.bytes) + " bytes are not those that were written"));
}

// The required contents of a log, and the reason.
struct Demand {
  std::uint64_t bytes;
  std::string_view reason;
};

Result<void> check_log(FileCheck& check, const fs::path& file, const Demand& must) {
  const std::string bytes = std::to_string(must.bytes);
  const std::string reason(must.reason);
  std::error_code error;
  if (!fs::exists(file, error) && !error) {
    check.losses.push_back(log_is_missing(file, bytes + " bytes of it were " + reason));
    check.missing_logs.push_back(log_number(file.filename().string()));
    return {};
  }
  TAVOLA_TRY(const std::string log, read_file(file));
  const std::size_t whole = whole_bytes(log);
  if (whole >= must.bytes) return {};
  check.cut_logs.push_back(log_number(file.filename().string()));
  check.losses.push_back(log_is_damaged(
      file, log.size() < must.bytes
                ? "it has " + std::to_string(log.size()) + " bytes and had " + bytes + ", all " + reason
                : "its record at byte " + std::to_string(whole) + " is broken, of " + bytes +
                      " bytes that were " + reason));
  return {};
}

std::optional<std::uint64_t> manifest_number(std::string_view name) {
  if (!name.starts_with(kManifestPrefix)) return std::nullopt;
  return to_number<std::uint64_t>(name.substr(kManifestPrefix.size()));
}

// Compares a directory that has no SYNCED, or one from an older Tavola without it.
Result<FileCheck> check_older(const fs::path& directory) {
  TAVOLA_CHECK(check_closed_mark(directory));
  FileCheck check;
  if (current_manifest(directory).empty()) {
    check.facts = {.boot = boot_of_machine(), .directory = identity_of(directory)};
    return check;
  }
  std::error_code error;  // RocksDB reports a missing manifest
  if (fs::exists(directory / current_manifest(directory), error)) {
    TAVOLA_TRY(check.facts, facts_of(directory));
  }
  return check;
}

// Compares a directory whose CURRENT is newer than SYNCED. An older Tavola opened it since, or it is a copy that was
// made while the store was being opened; SYNCED cannot show which.
Result<FileCheck> check_newer(const fs::path& directory) {
  TAVOLA_TRY(FileCheck check, check_older(directory));
  check.is_copy_of_open_store = true;
  return check;
}

// Returns whether the machine was not restarted since the facts were written: then everything written must exist.
bool is_same_run(const SyncedFacts& facts) {
  return facts.boot != kUnknown && facts.boot == boot_of_machine();
}

Demand demand_of(const SyncedFacts& facts, const SyncedFacts::Log& log) {
  if (log.written <= log.synced || !is_same_run(facts)) return {log.synced, "acknowledged"};
  return {log.written, "written since the machine was started"};
}

// Makes the facts those of this opening. Missing logs stay recorded until RocksDB is open without them: an opening that
// fails half-way must not be followed by one that misses nothing.
void go_on(FileCheck& check, const fs::path& directory) {
  SyncedFacts& facts = check.facts;
  for (auto& [number, log] : facts.logs) {
    if (!is_same_run(facts)) log.written = log.synced;
  }
  facts.boot = boot_of_machine();
  facts.directory = identity_of(directory);
  facts.is_closed = false;
}

}  // namespace

void SyncedFacts::set_current(std::string name) {
  current = std::move(name);
  const std::optional<std::uint64_t> number = manifest_number(current);
  std::erase_if(manifests, [number](const auto& known) { return manifest_number(known.first) < number; });
}

std::string first_line(const SyncedFacts& facts) {
  std::uint64_t number = 0;
  SyncedFacts::Log log;
  if (!facts.logs.empty()) std::tie(number, log) = *facts.logs.rbegin();
  return synced_line(padded(number) + " " + padded(log.synced) + " " + padded(log.written));
}

std::string manifest_line(const std::string& name, const SyncedFacts::Manifest& manifest) {
  return "manifest " + name + " " + std::to_string(manifest.bytes) + " " + hexadecimal(manifest.checksum);
}

std::string log_line(std::uint64_t number, const SyncedFacts::Log& log) {
  return "log " + log_name(number) + " " + std::to_string(log.synced) + " " + std::to_string(log.written);
}

std::string to_text(const SyncedFacts& facts) {
  std::string text = first_line(facts) + synced_line("opened " + facts.boot + " " + facts.directory);
  for (const auto& [name, manifest] : facts.manifests) text += synced_line(manifest_line(name, manifest));
  if (!facts.current.empty()) text += synced_line("current " + facts.current);
  for (const auto& [number, log] : facts.logs) text += synced_line(log_line(number, log));
  if (facts.is_closed) text += synced_line("closed");
  return text;
}

std::uint64_t log_number(std::string_view name) {
  std::uint64_t number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

std::string log_name(std::uint64_t number) {
  constexpr std::size_t kLogDigits = 6;
  const std::string digits = std::to_string(number);
  return std::string(kLogDigits - std::min(kLogDigits, digits.size()), '0') + digits + ".log";
}

std::string synced_line(std::string_view text) {
  return std::string(text) + " " + hexadecimal(crc32c(text)) + "\n";
}

std::string current_manifest(const fs::path& directory) {
  std::string name = read_small_file(directory / "CURRENT").value_or("");
  while (name.ends_with('\n')) name.pop_back();
  return name;
}

Result<FileCheck> check_files(const fs::path& directory) {
  const fs::path path = directory / kSyncedFile;
  std::error_code error;
  if (!fs::exists(path, error) && !error) return check_older(directory);
  TAVOLA_TRY(const std::string text, read_file(path));
  Result<SyncedFacts> read = parse(path, text);
  if (!read) {
    TAVOLA_TRY(FileCheck older, check_older(directory));
    older.losses.push_back(read.error());
    return older;
  }
  FileCheck check{.facts = *std::move(read)};
  SyncedFacts& facts = check.facts;
  const fs::path current_file = directory / "CURRENT";
  if (!fs::exists(current_file, error) && !error) {
    if (!facts.current.empty()) return fail(file_is_missing(current_file));
    return check_older(directory);  // the first opening was interrupted
  }
  const std::string current = current_manifest(directory);
  const std::optional<std::uint64_t> number = manifest_number(current);
  if (!number) return fail(file_is_damaged(current_file, "it names no manifest"));
  const auto known = facts.manifests.find(current);
  if (known == facts.manifests.end()) {
    const bool is_newer = std::ranges::all_of(
        facts.manifests, [&](const auto& older) { return manifest_number(older.first) < number; });
    if (is_newer) return check_newer(directory);
    return fail(file_is_damaged(current_file, "it names " + current + ", which is not the newest manifest"));
  }
  TAVOLA_CHECK(check_manifest(directory / current, known->second));
  for (const auto& [log, bytes] : facts.logs) {
    const Demand must = demand_of(facts, bytes);
    if (must.bytes > 0) TAVOLA_CHECK(check_log(check, directory / log_name(log), must));
  }
  check.is_copy_of_open_store = !facts.is_closed && facts.directory != identity_of(directory);
  go_on(check, directory);
  return check;
}

Result<void> sync_files_of(const fs::path& directory, const SyncedFacts& facts) {
  std::vector<std::string> names{"CURRENT"};
  for (const auto& [name, manifest] : facts.manifests) names.push_back(name);
  for (const auto& [number, log] : facts.logs) names.push_back(log_name(number));
  for (const std::string& name : names) {
    std::error_code error;
    if (!fs::exists(directory / name, error) && !error) continue;
    TAVOLA_CHECK(sync_file(directory / name));
  }
  return sync_directory(directory);
}

Result<void> write_synced_file(const fs::path& directory) {
  TAVOLA_TRY(SyncedFacts facts, facts_of(directory));
  TAVOLA_CHECK(sync_files_of(directory, facts));
  facts.is_closed = true;
  return replace_file(directory / kSyncedFile, to_text(facts));
}

}  // namespace tavola::store
