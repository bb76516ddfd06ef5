#include "store/salvage/salvage.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/status.h>

#include "base/files.h"
#include "store/data_files.h"
#include "store/directory.h"
#include "store/rocks/manifest.h"
#include "store/rocks/rocks_log.h"
#include "store/rocks/rocks_options.h"
#include "store/rocks/rocks_recovery.h"
#include "store/rocks/synced_facts.h"
#include "store/rocks/torn_log.h"
#include "store/salvage/data_file.h"
#include "store/salvage/entry_logs.h"

namespace tavola::store {
namespace {

namespace fs = std::filesystem;

Result<Unreadable> copy_of(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::remove(to, error);
  return copy_readable(from, to);
}

Result<void> link_of(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_hard_link(from, to, error);
  if (error) TAVOLA_CHECK(copy_of(from, to));  // on another file system
  return {};
}

std::string in_kilobytes(std::uint64_t bytes) { return std::to_string((bytes + 1023) / 1024) + " KB"; }

// "4 KB of it cannot be read (Input/output error)".
std::string to_text(const Unreadable& unreadable) {
  return (unreadable.bytes == 0 ? "it" : in_kilobytes(unreadable.bytes) + " of it") + " cannot be read (" +
         std::generic_category().message(unreadable.error) + ")";
}

std::string blocks_of(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " block" : " blocks");
}

// Describes what is lost of a data file. `why` is RocksDB's reason.
FileProblem problem_of(const std::string& file, const DataFileDamage& damage, const std::string& why) {
  FileProblem problem{.file = file, .what = {}};
  if (!damage.damaged_blocks && damage.whole_blocks == 0) {
    problem.what = "nothing of it can be read (" + why + ")";
  } else if (!damage.damaged_blocks) {
    problem.what = "its index is damaged; " + blocks_of(damage.whole_blocks) +
                   " of it could be read, and more may be missing";
  } else if (*damage.damaged_blocks > 0) {
    problem.what = blocks_of(*damage.damaged_blocks) + " of it " +
                   (*damage.damaged_blocks == 1 ? "is" : "are") + " damaged (" +
                   in_kilobytes(damage.damaged_bytes) + ")";
  } else {
    problem.what = "it is damaged, but all its data could be read";
    problem.is_loss = damage.may_lack_range_deletions;
  }
  if (damage.may_lack_range_deletions) problem.what += "; items that were deleted may be back";
  return problem;
}

bool is_about(const Error& error, std::string_view ending) {
  const auto* fault = error.detail<FileFault>();
  return fault != nullptr && fault->file.filename().string().ends_with(ending);
}

// Thread safety: none.
class Salvage {
 public:
  explicit Salvage(const SalvageRequest& request)
      : request_(request), options_(rocks_options({}, rocksdb::Env::Default())) {}

  Result<std::vector<FileProblem>> run() {
    TAVOLA_CHECK(make_directory(request_.work));
    TAVOLA_CHECK(look_at_manifest());
    TAVOLA_CHECK(take_data_files());
    TAVOLA_CHECK(take_logs());
    options_.info_log = open_rocks_log(request_.work);
    const rocksdb::Status repaired = rocksdb::RepairDB(request_.work, options_);
    if (!repaired.ok()) return fail(rocks_error(repaired, request_.work));
    TAVOLA_CHECK(look_for_refused_files());
    TAVOLA_CHECK(write_format_file(request_.work));
    std::ranges::sort(problems_, {}, &FileProblem::file);
    return std::move(problems_);
  }

 private:
  void blame(const std::string& file, std::string what) { problems_.push_back({file, std::move(what)}); }

  // Compares the files with SYNCED, too: acknowledged writes may be missing from a log without a trace in it.
  Result<void> look_at_manifest() {
    std::string name = current_manifest(request_.from);
    const Result<FileCheck> check = check_files(request_.from);
    const std::string bytes = name.empty() ? "" : read_file(request_.from / name).value_or("");
    // A log that cannot be read proves nothing about the manifest; take_logs() reports how much of it is lost.
    const bool is_log_unreadable =
        !check && check.error().code() == ErrorCode::Io && is_about(check.error(), ".log");
    if (check || is_log_unreadable) expected_ = data_files_of(bytes);
    if (!check && !is_log_unreadable) blame_for(check.error());
    if ((check || is_log_unreadable) && !expected_)
      blame(name.empty() ? "CURRENT" : name, "it cannot be read");
    if (!expected_) problems_.back().what += "; items that were deleted may be back";
    if (!check) return {};
    std::error_code none;
    knows_logs_ = fs::exists(request_.from / kSyncedFile, none);
    for (const Error& loss : check->losses) blame_for(loss);
    return {};
  }

  void blame_for(const Error& error) {
    const auto* fault = error.detail<FileFault>();
    if (fault == nullptr) return blame("CURRENT", error.message());
    blame(fault->file.filename().string(), fault->reason);
  }

  Result<void> take_data_files() {
    TAVOLA_TRY(std::vector<std::string> names, list_directory(request_.from));
    std::erase_if(names,
                  [](std::string_view name) { return !name.ends_with(".sst") && !name.ends_with(".log"); });
    std::uint64_t last = 0;
    for (const std::string& name : names) last = std::max(last, log_number(name));
    EntryLogs entries(request_.work, last + 1);
    std::erase_if(names, [](std::string_view name) { return !name.ends_with(".sst"); });
    std::ranges::sort(names);
    std::uint64_t all = 0;
    std::error_code gone;
    for (const std::string& name : names) all += fs::file_size(request_.from / name, gone);
    std::uint64_t done = 0;
    for (const std::string& name : names) {
      const std::uint64_t number = log_number(name);
      if (!expected_ || expected_->contains(number)) TAVOLA_CHECK(take_data_file(name, entries));
      if (expected_) expected_->erase(number);
      done += fs::file_size(request_.from / name, gone);
      if (request_.watch) request_.watch(done, all);
    }
    if (!expected_) return {};
    for (const auto& [number, bytes] : *expected_) {
      const std::string name = data_file_name(number);
      blame(name, "it is missing (" + in_kilobytes(bytes) + ")");
    }
    return {};
  }

  // Links an intact data file, and takes the entries of the intact blocks of a damaged one. RocksDB never reads the
  // latter again: it asserts what only holds in an intact file.
  Result<void> take_data_file(const std::string& name, EntryLogs& entries) {
    const fs::path file = request_.work / name;
    TAVOLA_CHECK(link_of(request_.from / name, file));
    rocksdb::Status status = verify(file);
    if (status.ok()) return {};
    TAVOLA_TRY(const Unreadable unreadable, copy_of(request_.from / name, file));
    status = verify(file);  // the disk may have read it this time
    if (!status.ok()) {
      TAVOLA_CHECK(take_entries(file, status.ToString(), entries));
      std::error_code error;
      fs::remove(file, error);
      if (error) return fail(system_error("remove", file, error.value()));
    }
    if (unreadable.error == 0) return {};
    if (status.ok()) blame(name, "");
    problems_.back().what += (status.ok() ? "" : "; ") + to_text(unreadable);
    return {};
  }

  Result<void> take_entries(const fs::path& file, const std::string& why, EntryLogs& entries) {
    TAVOLA_TRY(const std::string bytes, read_file(file));
    const DamagedDataFile readable(bytes);
    TAVOLA_CHECK(readable.for_each([&](FileEntry entry) { return entries.add(std::move(entry)); }));
    TAVOLA_CHECK(entries.flush());
    problems_.push_back(problem_of(file.filename().string(), readable.damage(), why));
    return {};
  }

  rocksdb::Status verify(const fs::path& file) const {
    rocksdb::SstFileReader reader(options_);
    rocksdb::Status status = reader.Open(file);
    if (status.ok()) status = reader.VerifyChecksum();
    if (!status.ok()) return status;
    return has_known_footer(file) ? status : rocksdb::Status::Corruption("the footer is damaged");
  }

  Result<void> take_logs() {
    TAVOLA_TRY(const std::vector<std::string> names, log_files(request_.from));
    for (const std::string& name : names) {
      TAVOLA_TRY(const Unreadable unreadable, copy_of(request_.from / name, request_.work / name));
      TAVOLA_TRY(const std::string log, read_file(request_.work / name));
      const std::size_t whole = whole_bytes(log);
      if (whole < log.size()) TAVOLA_CHECK(keep_readable_records(name, log));
      if (unreadable.error != 0) {
        blame(name, to_text(unreadable));
        continue;
      }
      // Unacknowledged writes may be torn, which is not a loss.
      if (knows_logs_ || log.find_first_not_of('\0', whole) == std::string::npos) continue;
      blame(name, "its record at byte " + std::to_string(whole) + " of " + std::to_string(log.size()) +
                      " is broken");
    }
    return {};
  }

  // Replaces the copy of a damaged log by its complete records. RocksDB would skip everything after a broken record in
  // the same 32 KB.
  Result<void> keep_readable_records(const std::string& name, const std::string& log) const {
    const LogSecret secret = log_secret(read_small_file(request_.from / kIdentityFile).value_or(""));
    std::string readable;
    for (const std::string& record : readable_records(log, secret)) append_record(readable, record);
    return replace_file(request_.work / name, readable);
  }

  // RocksDB's repair moves the logs that it has read, and the data files that it cannot read, to another directory.
  Result<void> look_for_refused_files() {
    const fs::path refused = request_.work / "lost";
    std::error_code error;
    if (!fs::exists(refused, error)) return {};
    TAVOLA_TRY(const std::vector<std::string> names, list_directory(refused));
    for (const std::string& name : names) {
      if (name.ends_with(".sst")) blame(name, "RocksDB cannot read it");
    }
    return {};
  }

  const SalvageRequest& request_;
  rocksdb::Options options_;
  std::optional<DataFiles> expected_;  // not found yet; nullopt if the manifest cannot be read
  bool knows_logs_ = false;            // SYNCED records their required contents
  std::vector<FileProblem> problems_;
};

}  // namespace

Result<std::vector<FileProblem>> salvage(const SalvageRequest& request) { return Salvage(request).run(); }

}  // namespace tavola::store
