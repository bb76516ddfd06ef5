#include "engine/governed/migration_verify.h"

#include "base/encoding.h"
#include "engine/governed/design_rules.h"
#include "engine/governed/migration_job.h"
#include "engine/governed/paired_table.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

constexpr std::size_t kItemsPerPage = 1000;
constexpr std::size_t kDifferencesMax = 10;

class Comparison {
 public:
  Comparison(const store::Snapshot& snapshot, const TableSchema& older, const PairedTable& paired)
      : snapshot_(snapshot), older_(older), paired_(paired) {}

  Result<void> check_older(std::string_view stored) {
    const Item item = ItemView(stored).unpack();
    const Result<std::optional<std::string>> found = counterpart_key(paired_, item);
    if (!found) return differ(older_, ItemView(stored), found.error().message());
    const std::optional<std::string>& key = *found;
    if (!key) return {};  // of an entity that is no more
    TAVOLA_TRY(const std::optional<std::string> other, snapshot_.get(*key));
    if (!other)
      return differ(older_, ItemView(stored), "it is not in " + paired_.table->description.table_name);
    const auto why = paired_.conversion.why_apart(item, ItemView(*other).unpack());
    return why ? differ(older_, ItemView(stored), *why) : Result<void>();
  }

  Result<void> check_newer(std::string_view stored) {
    const TableSchema& newer = *paired_.table;
    const Item item = ItemView(stored).unpack();
    const auto found = paired_.conversion.counterpart_key(design::Way::Back, item);
    if (!found) return differ(newer, ItemView(stored), found.error().message());
    const std::optional<Item>& key = *found;
    if (!key) return {};  // of an entity that is new
    TAVOLA_TRY(const PackedItem packed, pack(*key));
    TAVOLA_TRY(const std::optional<std::string> other, snapshot_.get(item_key(older_, packed.view())));
    return other ? Result<void>()
                 : differ(newer, ItemView(stored), "it is not in " + older_.description.table_name);
  }

  MigrateTableResponse response{};

 private:
  Result<void> differ(const TableSchema& table, const ItemView& item, std::string why) {
    ++response.differences;
    if (response.samples.size() < kDifferencesMax)
      response.samples.push_back({key_text(table, item), std::move(why)});
    return {};
  }

  const store::Snapshot& snapshot_;
  const TableSchema& older_;
  const PairedTable& paired_;
};

}  // namespace

Result<MigrateTableResponse> verify_page(const MigrationParts& parts, const TableSchema& table,
                                         const std::string& after) {
  const std::optional<std::string> position = from_base64url(after);
  if (!position) return fail(Error::validation("`after` must be the `next` of the previous page"));
  const PairedTable& paired = *paired_table_of(table);
  const TableId newer = paired.table->id;
  const auto snapshot = parts.store.snapshot();
  Comparison comparison(*snapshot, table, paired);
  // A position is the number of a range and a key in it.
  const store::KeyRange ranges[] = {entry_range(table.id, kTableItself, 0, 0x10000), all_records(table.id),
                                    entry_range(newer, kTableItself, 0, 0x10000), all_records(newer)};
  const std::size_t first = position->empty() ? 0 : static_cast<unsigned char>(position->front());
  for (std::size_t i = first; i < std::size(ranges); ++i) {
    store::KeyRange range = ranges[i];
    if (i == first && position->size() > 1) range.from = position->substr(1) + '\0';
    const auto cursor = snapshot->range(range, store::Direction::Forward);
    for (; cursor->valid(); cursor->next()) {
      TAVOLA_CHECK(i < 2 ? comparison.check_older(cursor->value()) : comparison.check_newer(cursor->value()));
      if (++comparison.response.items_checked < kItemsPerPage) continue;
      comparison.response.next =
          to_base64url(std::string(1, static_cast<char>(i)) + std::string(cursor->key()));
      return std::move(comparison.response);
    }
    TAVOLA_CHECK(cursor->status());
  }
  return std::move(comparison.response);
}

}  // namespace tavola::engine
