#include "store/salvage/entry_logs.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <tuple>

#include "base/files.h"
#include "store/rocks/synced_facts.h"
#include "store/rocks/torn_log.h"

namespace tavola::store {
namespace {

// RocksDB's repair keeps a whole log in memory.
constexpr std::size_t kLogBytes = std::size_t{16} * 1024 * 1024;

static_assert(std::endian::native == std::endian::little);

template <class Number>
void append_number(std::string& to, Number number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void append_text(std::string& to, std::string_view text) {
  std::size_t left = text.size();
  for (; left >= 0x80; left >>= 7U) to += static_cast<char>(left | 0x80U);
  to += static_cast<char>(left);
  to += text;
}

// The record is a WriteBatch: [sequence number u64] [count of writes u32], and per write [type u8] [key] [value].
std::string record_of(const FileEntry& entry) {
  std::string record;
  append_number(record, entry.sequence);
  append_number(record, std::uint32_t{1});
  record += static_cast<char>(entry.type);
  append_text(record, entry.key);
  const bool is_key_all = entry.type == EntryType::Deletion || entry.type == EntryType::SingleDeletion;
  if (!is_key_all) append_text(record, entry.value);
  return record;
}

auto identity(const FileEntry& entry) { return std::tie(entry.sequence, entry.key, entry.type); }

}  // namespace

Result<void> EntryLogs::add(FileEntry entry) {
  // A compaction gives the oldest entries the number 0, but RocksDB treats a log of nothing else as empty. No later
  // write has the number 1.
  entry.sequence = std::max<std::uint64_t>(entry.sequence, 1);
  bytes_ += entry.key.size() + entry.value.size();
  entries_.push_back(std::move(entry));
  return bytes_ < kLogBytes ? Result<void>() : flush();
}

Result<void> EntryLogs::flush() {
  if (entries_.empty()) return {};
  // RocksDB asserts that no entry is older than a log's first one, and that none occurs twice.
  std::ranges::sort(entries_,
                    [](const FileEntry& a, const FileEntry& b) { return identity(a) < identity(b); });
  const auto twice = std::ranges::unique(
      entries_, [](const FileEntry& a, const FileEntry& b) { return identity(a) == identity(b); });
  entries_.erase(twice.begin(), twice.end());
  std::string log;
  log.reserve(bytes_ + bytes_ / 8);
  for (const FileEntry& entry : entries_) append_record(log, record_of(entry));
  const std::filesystem::path path = directory_ / log_name(next_number_++);
  const File file(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.is_open()) return fail(system_error("create", path, errno));
  TAVOLA_CHECK(write_all(file, path, log));
  entries_.clear();
  bytes_ = 0;
  return {};
}

}  // namespace tavola::store
