#include "drift/import_mark.h"

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "base/timestamps.h"
#include "design/items/dependent_writes.h"

namespace tavola::drift {
namespace {

constexpr std::string_view kKind = "$import";

// A table whose keys are not texts has no internal records.
bool can_be_marked(const design::Design& design) {
  return design.table.hash.type == Type::String &&
         (!design.table.range || design.table.range->type == Type::String);
}

Item key_of_mark(const design::Design& design) {
  return design::record_key(design.table, kKind, "unchecked");
}

std::string text_at(const Item& item, std::string_view name) {
  const auto found = item.find(name);
  return found == item.end() || !found->second.is_string() ? std::string() : found->second.string();
}

Result<void> put_mark(const design::Design& design, Database& database, const ImportMark& mark) {
  Item item = key_of_mark(design);
  item["since"] = mark.since;
  item["id"] = mark.id;
  if (mark.checking) item["checking"] = true;
  PutItemRequest request{.table_name = design.table.name, .as_is = true};
  TAVOLA_TRY(request.item, pack(item));
  TAVOLA_CHECK(database.put_item(request));
  return {};
}

}  // namespace

Result<std::optional<ImportMark>> import_mark(const design::Design& design, Database& database) {
  if (!can_be_marked(design)) return std::nullopt;
  GetItemRequest request{.table_name = design.table.name, .consistent_read = true};
  TAVOLA_TRY(request.key, pack(key_of_mark(design)));
  TAVOLA_TRY(const GetItemResponse found, database.get_item(request));
  if (!found.item) return std::nullopt;
  const Item item = found.item->unpack();
  return ImportMark{
      .since = text_at(item, "since"), .id = text_at(item, "id"), .checking = item.contains("checking")};
}

Result<std::optional<ImportMark>> begin_check(const design::Design& design, Database& database) {
  TAVOLA_TRY(std::optional<ImportMark> mark, import_mark(design, database));
  if (!mark) return mark;
  mark->id = make_uuid(Random::system());
  mark->checking = true;
  TAVOLA_CHECK(put_mark(design, database, *mark));
  return mark;
}

Result<void> end_check(const design::Design& design, Database& database, const ImportMark& mark) {
  DeleteItemRequest request{.table_name = design.table.name,
                            .condition_expression = "#id = :id",
                            .names = {{"#id", "id"}},
                            .as_is = true};
  TAVOLA_TRY(request.key, pack(key_of_mark(design)));
  TAVOLA_TRY(request.values, pack({{":id", mark.id}}));
  const auto removed = database.delete_item(request);
  // A later mark stays: its items came in during the check.
  const bool stays = !removed && removed.error().code() == ErrorCode::ConditionalCheckFailed;
  return removed || stays ? Result<void>() : fail(removed.error());
}

Result<PutItemResponse> MarkedImports::put_item(const PutItemRequest& r) {
  if (r.as_is) TAVOLA_CHECK(mark(r.table_name));
  return database().put_item(r);
}

Result<BatchWriteItemResponse> MarkedImports::batch_write_item(const BatchWriteItemRequest& r) {
  const auto is_put = [](const BatchWrite& write) { return write.kind == BatchWrite::Kind::Put; };
  for (const TableWrites& table : r.tables) {
    if (r.as_is && std::ranges::any_of(table.writes, is_put)) TAVOLA_CHECK(mark(table.table_name));
  }
  return database().batch_write_item(r);
}

Result<void> MarkedImports::mark(const std::string& table) {
  const auto design = database().governing_design(table);
  if (!design || *design == nullptr) return {};  // the write itself reports a table that is missing
  TAVOLA_TRY(const std::optional<ImportMark> now, import_mark(**design, database()));
  if (now && !now->checking) return {};
  if (!can_be_marked(**design)) return {};
  return put_mark(**design, database(),
                  {.since = now ? now->since : iso8601(clock_.now()), .id = make_uuid(Random::system())});
}

}  // namespace tavola::drift
