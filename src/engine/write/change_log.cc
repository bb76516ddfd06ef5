#include "engine/write/change_log.h"

#include "database/item_key.h"
#include "engine/records/change_number.h"
#include "engine/records/keys.h"
#include "value/key_codec.h"

namespace tavola::engine {
namespace {

constexpr char kVersion = 1;

// Written to disk. Never renumber; append only.
enum class What : char { Insert = 1, Modify = 2, Remove = 3 };
enum class By : char { Client = 0, TimeToLive = 1, Ours = 2, OursInRecord = 3 };

What what_of(const StoredChange& change) {
  if (!change.before) return What::Insert;
  return change.after ? What::Modify : What::Remove;
}

By by_of(const StoredChange& change) {
  if (is_record_key(change.key)) return By::OursInRecord;
  if (change.is_ours) return By::Ours;
  return change.expired ? By::TimeToLive : By::Client;
}

KeptImages images_to_keep(const TableDescription& table) {
  KeptImages kept = kept_images(table.stream.value_or(StreamView::KeysOnly));
  kept.before = kept.before || table.recovery;
  return kept;
}

// Numbers stay above the announced start of the log, even if the clock is set back.
std::uint64_t least_number(const TableRecord& table, WallTime now) {
  const std::uint64_t since = table.recovery ? first_number(table.recovery->since) : 0;
  return std::max({first_number(now), table.stream_start, since});
}

void append_sized(std::string& out, std::string_view bytes) {
  append_ordered_u32(out, static_cast<std::uint32_t>(bytes.size()));
  out.append(bytes);
}

Error damaged() {
  return Error::corrupt(
      "A record of a table's changes is damaged. Restore the data directory from a backup or checkpoint.");
}

Result<std::optional<ItemView>> to_item(std::string_view bytes) {
  if (bytes.empty()) return std::optional<ItemView>();
  TAVOLA_CHECK(check_packed(bytes));
  return std::optional(ItemView(bytes));
}

Result<std::optional<ItemView>> read_sized(std::string_view& in) {
  TAVOLA_TRY(const std::uint32_t size, read_ordered_u32(in));
  if (size > in.size()) return fail(damaged());
  const std::string_view bytes = in.substr(0, size);
  in.remove_prefix(size);
  return to_item(bytes);
}

}  // namespace

KeptImages kept_images(StreamView view) {
  const bool both = view == StreamView::NewAndOldImages;
  return {.before = both || view == StreamView::OldImage, .after = both || view == StreamView::NewImage};
}

void append_change(const StoredChange& change, std::vector<store::Write>& writes) {
  const TableRecord& table = change.table.description;
  const KeptImages kept = images_to_keep(table);
  const std::string_view before = kept.before && change.before ? change.before->bytes() : std::string_view();
  const std::string_view after = kept.after && change.after ? change.after->bytes() : std::string_view();
  const bool has_image = !before.empty() || !after.empty();
  std::string record;
  record.reserve(32 + before.size() + after.size());
  record.push_back(kVersion);
  record.push_back(static_cast<char>(what_of(change)));
  record.push_back(static_cast<char>(by_of(change)));
  const std::optional<ItemView>& any = change.after ? change.after : change.before;
  TAVOLA_ASSERT(any.has_value());
  append_sized(record, has_image ? std::string() : key_of_item(table.key_schema, *any).bytes());
  append_sized(record, before);
  record.append(after);
  writes.push_back(store::Write::append(changes_prefix(change.table.id, change_shard(change.key)),
                                        least_number(table, change.now), std::move(record)));
}

Result<LoggedChange> decode_change(std::string_view record) {
  constexpr std::size_t kHeadBytes = 3;
  if (record.size() < kHeadBytes) return fail(damaged());
  if (record[0] != kVersion) {
    return fail(
        Error(ErrorCode::NewerFormat, "A newer Tavola wrote this table's changes; open it with that."));
  }
  LoggedChange change;
  switch (static_cast<What>(record[1])) {
    case What::Insert:
      change.kind = ChangeKind::Insert;
      break;
    case What::Modify:
      change.kind = ChangeKind::Modify;
      break;
    case What::Remove:
      change.kind = ChangeKind::Remove;
      break;
    default:
      return fail(damaged());
  }
  const By by = static_cast<By>(record[2]);
  change.by_time_to_live = by == By::TimeToLive;
  change.is_record = by == By::OursInRecord;
  change.is_ours = change.is_record || by == By::Ours;
  record.remove_prefix(kHeadBytes);
  TAVOLA_TRY(change.key, read_sized(record));
  TAVOLA_TRY(change.before, read_sized(record));
  TAVOLA_TRY(change.after, to_item(record));
  if (!change.key && !change.before && !change.after) return fail(damaged());
  return change;
}

}  // namespace tavola::engine
