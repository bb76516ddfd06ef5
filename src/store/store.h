// Store: an ordered map from byte strings to byte strings, with snapshot reads and one way to write.
//
// This is the seam that lets one machine become many: everything above it is stateless, and every change goes through
// transact(). Keys are ordered as unsigned bytes. Every implementation must pass store_test.cc.
//
// Thread safety: all methods of Store may be called from any thread. A Snapshot may be shared; a Cursor belongs to one
// thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace tavola::store {

// Maximum length of a key: twice that of DynamoDB's longest index key. A longer one is refused as Internal.
inline constexpr std::size_t kKeyBytesMax = std::size_t{64} * 1024;

// Keys with this prefix belong to the store and sort after all others; writing one is refused as Internal.
inline constexpr std::string_view kReservedPrefix = "\xff\xff\xff\xff";
inline constexpr std::string_view kReservedKey = "\xff\xff\xff\xfftavola";

// Entries under this prefix may be remembered, also in a store with several processes (read_stamp.h).
inline constexpr std::string_view kStampedPrefix = "\1";

// Keys k with from <= k < to. An empty `to` means no upper end.
struct KeyRange {
  std::string from;
  std::string to;

  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

enum class Direction : std::uint8_t { Forward, Backward };

// Walks the entries of a range. key() and value() are valid until the next call of next() or the end of the
// cursor.
class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual bool valid() const = 0;  // false at the end and after an error: then check status()
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  virtual void next() = 0;
  virtual Result<void> status() const = 0;
};

// The store at one point in time. It does not show later writes. Every get() and every cursor may fail, also because there is no snapshot.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
  virtual Result<std::optional<std::string>> get(std::string_view key) const = 0;
  // Cursors must be destroyed before their snapshot.
  virtual std::unique_ptr<Cursor> range(const KeyRange& range, Direction direction) const = 0;
};

// The first entries of a range, which a rule must see: at most `entries_max`, and none after the one that makes their values reach
// `bytes_max`.
struct RangeRead {
  KeyRange range;
  Direction direction = Direction::Forward;
  std::size_t entries_max = 0;
  std::size_t bytes_max = std::numeric_limits<std::size_t>::max();

  friend bool operator==(const RangeRead&, const RangeRead&) = default;
};

struct RangeEntry {
  std::string key;
  std::string value;
};
using RangeEntries = std::vector<RangeEntry>;

// The input of a rule: the current values of the keys and the entries of the ranges it asked for, by their position.
class View {
 public:
  virtual ~View() = default;
  // Absent keys have no value. The bytes stay valid until the rule returns.
  virtual std::optional<std::string_view> operator[](std::size_t index) const = 0;
  virtual std::size_t size() const = 0;

  const RangeEntries& range(std::size_t index) const { return ranges_.at(index); }
  void set_ranges(std::vector<RangeEntries> ranges) { ranges_ = std::move(ranges); }  // by the store
  // Whether no entry of a range can appear before the commit through a transaction that needs one of the keys: a store that locks the
  // keys keeps others out; one that compares them only at the commit does not.
  virtual bool has_settled_ranges() const { return true; }

 private:
  std::vector<RangeEntries> ranges_;
};

struct Write {
  enum class Kind : std::uint8_t { Put, Erase, EraseRange, Add, Append };
  Kind kind;
  std::string key;
  std::string
      value;  // Put, Append: the value. EraseRange: the end of the range, as in KeyRange. Add: encoded counters.

  static Write put(std::string key, std::string value) {
    return {Kind::Put, std::move(key), std::move(value)};
  }
  static Write erase(std::string key) { return {Kind::Erase, std::move(key), {}}; }
  static Write erase_range(std::string from, std::string to) {
    return {Kind::EraseRange, std::move(from), std::move(to)};
  }
  // Adds to the counters under `key`, element by element, without reading them first: many writers may add to one key
  // at once. A missing key counts as zeros. Such a key is only ever written by add() and erase.
  static Write add(std::string key, std::span<const std::int64_t> deltas);
  // Puts the value under `prefix` and a number of eight bytes, big-endian, which the commit assigns: at least `least`,
  // and above all that earlier commits assigned; above those from before a reopening only while the last of them is
  // stored. The appends of one transaction get consecutive numbers, in their order. Nothing else may be stored under
  // such a prefix.
  static Write append(std::string prefix, std::uint64_t least, std::string value);
};

// Returns the number at the end of the key of an appended value.
std::uint64_t appended_number(std::string_view key);

// Returns the counters that Write::add wrote; zeros if missing or shorter.
Result<std::vector<std::int64_t>> decode_counters(std::string_view bytes, std::size_t count);

// The decision of a rule: the writes to commit, or further keys and ranges it must see before it can decide.
struct Decision {
  std::vector<Write> writes;
  std::vector<std::string> further_keys{};
  std::vector<RangeRead> further_ranges{};

  // Whether the rule must see more: then `writes` is ignored and the rule is called again.
  bool is_incomplete() const { return !further_keys.empty() || !further_ranges.empty(); }
};

// Pure: it reads nothing but its view. It may be called again when another writer came first, and when it asked for further
// keys or ranges it is called again with a larger view (they follow the ones already there). An error aborts; nothing is
// written.
//
// Keys are locked from the moment they are read until the commit, so the decision is serializable as far as it depends on keys.
// Ranges are not: each is read as of one moment, after the locks were taken, and others may insert, change and erase entries in it
// until the commit. A rule that must not lose an entry it found asks for its key as a further key and looks there again; entries
// that appear later are not seen.
using WriteRule = std::function<Result<Decision>(const View&)>;

// A value that must not have changed since the caller read it, for data that many writers read and few change (the
// catalog). Unlike `keys`, guards do not exclude each other. An empty `expected` means that the key must be absent.
struct Guard {
  std::string_view key;
  std::string_view expected;
};

// Decides what a transaction does if another one holds one of its keys. It always waits for guards: only a change of
// the guarded value holds them.
enum class Contention : std::uint8_t {
  Wait,    // for its turn
  Refuse,  // fail with TransactionConflict, after about a millisecond at most
};

// The detail of a TransactionConflict of transact().
struct Conflict final : ErrorDetail {
  explicit Conflict(std::size_t position) : key(position) {}
  std::size_t key;  // the position in `keys` (further keys follow them) of a key that was held
};

// A state to which its store can return. It costs what changes afterwards, and must end before the store.
class Branch {
 public:
  virtual ~Branch() = default;
};

class Store {
 public:
  virtual ~Store() = default;

  // Returns the latest committed value; nullopt if the key is absent.
  virtual Result<std::optional<std::string>> get(std::string_view key) const = 0;

  // A store on another server may have none to give: then every read of the snapshot fails with the reason.
  virtual std::unique_ptr<Snapshot> snapshot() const = 0;

  // Reads `keys` as one consistent view, calls `rule` with it and commits what it returns, atomically and
  // durably: on return the writes survive what the store's durability promises. Transactions that share a key
  // are serialised; others run in parallel. A rule may write keys it did not read (index entries) as long as
  // no other rule reads them to decide. Fails with Stale when a guard does not hold, with TransactionConflict when
  // contention is refused, and with the rule's own error.
  virtual Result<void> transact(std::span<const std::string> keys, std::span<const Guard> guards,
                                const WriteRule& rule, Contention contention = Contention::Wait) = 0;

  // Returns how far a reader of the appends under `prefix` may read: snapshots taken from now on contain all of them
  // below this number, and later appends get at least this number. So a reader that stays below it never misses an
  // append that is committed later with a smaller number than one it has seen.
  virtual Result<std::uint64_t> settled(std::string_view prefix) = 0;

  // Calls `done` once, when everything visible before this call survives what the store's durability promises: at once,
  // on the calling thread, if it already does; otherwise later, on a thread of the store, where it must be brief, must
  // not destroy the store and should not throw (exceptions are dropped). `done` gets the error if syncing failed.
  // Successive calls are answered in their order. The store's destructor syncs and answers all that wait.
  virtual void when_durable(std::function<void(Result<void>)> done) = 0;

  // Returns what currently keeps the store from accepting writes or from making them durable (a full disk, a failed or
  // endless sync, a log or directory that was deleted or moved, too few file descriptors); nullopt if nothing does.
  // Accesses the disk, so it is for health checks and not for every request. Does not wait for a sync that hangs.
  virtual std::optional<Error> trouble() { return std::nullopt; }

  // A position in the order of commits: everything visible now was committed at or before position().
  using Position = std::uint64_t;
  virtual Position position() const { return 0; }
  virtual bool is_durable(Position) const { return true; }

  // Reads for a response that shows the values and bases no write on them: inside a DurableReads (durable_reads.h)
  // these see the durable state, otherwise the latest one.
  virtual Result<std::optional<std::string>> get_for_answer(std::string_view key) const { return get(key); }
  virtual std::unique_ptr<Snapshot> snapshot_for_answer() const { return snapshot(); }

  // Properties of a store that keeps its items on another server.
  struct Reach {
    std::size_t keys_max = std::numeric_limits<std::size_t>::max();  // of items, in one transaction
    std::chrono::milliseconds index_lag{
        0};  // how long an entry of a global index can be missing after the commit
  };
  virtual Reach reach() const { return {}; }

  // Whether other processes write to it, too: then nothing may be remembered without its stamp (read_stamp.h).
  virtual bool is_shared() const { return false; }
  // Whether this process should do the background work of the store: at any time, at most one of those that share it. The work must be right
  // also when two do it for a moment.
  virtual bool leads() { return true; }

  // Metrics of the store, for monitoring; empty if it has none.
  struct Figure {
    std::string_view name;  // "rocksdb_memtable_bytes"
    std::string_view help;
    std::uint64_t value;
  };
  virtual std::vector<Figure> figures() const { return {}; }

  // Writes a consistent copy of the whole store to `directory`, which must not exist; it can be opened as a store.
  virtual Result<void> checkpoint(const std::filesystem::path& directory) = 0;

  // Returns the current state, for return_to(); null if the store cannot return.
  virtual std::unique_ptr<Branch> branch() { return nullptr; }
  // Replaces all entries by those of `branch`, or by none if it is null, except those in `kept`, which stay as they are. It is one
  // commit, durable on return, between the transactions that run: one that began before is done. The numbers of appends continue.
  // `kept` has an end.
  // Fails with LimitExceeded, and changes nothing, if too much has changed for one commit.
  virtual Result<void> return_to(Branch*, const KeyRange&) {
    return fail(Error::validation("this store cannot return to an earlier state"));
  }

  // Makes everything acknowledged so far durable, regardless of the durability.
  virtual Result<void> sync() = 0;

  // Returns the directory of the store, for files kept beside it; empty if it is in memory.
  virtual std::filesystem::path directory() const { return {}; }
};

// When a write is acknowledged:
enum class Durability : std::uint8_t {
  Synced,   // once it is on disk (group commit)
  Relaxed,  // once the operating system has it: survives a crash of the process, not of the machine
  // transact() returns as if Relaxed; the write survives a crash of the machine once when_durable() reports it. So a few
  // threads serve many writers, who share one sync. If a sync fails, it is unknown what is on disk: writes and
  // when_durable() fail with its error until the store is opened again. (If only too many files were open,
  // when_durable() fails while they are.)
  Deferred,
};

struct RocksOptions {
  Durability durability = Durability::Synced;
  std::size_t cache_bytes = std::size_t{64} * 1024 * 1024;
  std::size_t write_buffer_bytes = std::size_t{32} * 1024 * 1024;
  // Opened read-only: its files stay unchanged, because a backup shares them with the store it was made from.
  bool is_only_read = false;
  // If set, a directory whose logs have lost acknowledged writes is opened without them, and each loss is added here as
  // a sentence. Otherwise it is refused as Corrupt.
  std::vector<std::string>* given_up = nullptr;
};

// Opens (or creates) a store in `directory`. Fails with Locked (another process has it), NewerFormat, Corrupt, DiskFull
// or Io, each with a message that says what to do; never leaves anything half-open.
//
// If the disk is full, transact() fails with DiskFull, also for erasures, while reads succeed. Writing resumes by
// itself some seconds after there is space for a write buffer.
Result<std::unique_ptr<Store>> open_rocks(const std::filesystem::path& directory,
                                          const RocksOptions& options);

// Returns an empty store in memory, which ends with the object.
std::unique_ptr<Store> open_memory();

struct PostgresOptions {
  std::string url;                // as libpq takes it: postgresql://h1,h2/db?target_session_attrs=read-write
  std::string schema = "tavola";  // holds everything of the store
  std::size_t connections_max = 80;
  // How long to wait for a server that accepts writes, for example while a standby takes over, before a request fails.
  std::chrono::milliseconds patience = std::chrono::seconds(30);
};

// Opens a store in a schema of a database of PostgreSQL, and makes it there if it is missing. Other processes may have it open, too. Fails with
// Io if the server cannot be reached or is not supported, with NewerFormat if a newer Tavola made the schema.
//
// A write is acknowledged when PostgreSQL acknowledges it (synchronous_commit). Snapshots are transactions of PostgreSQL: old ones keep it from
// cleaning up.
Result<std::unique_ptr<Store>> open_postgres(const PostgresOptions& options);

}  // namespace tavola::store
