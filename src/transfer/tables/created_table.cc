#include "transfer/tables/created_table.h"

namespace tavola::transfer {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{500};
constexpr int kLooksMax = 1200;  // ten minutes: on AWS, a table with many indexes takes some
// DescribeTable is eventually consistent, and may not find a table that was just created (API reference, DescribeTable).
constexpr int kLooksUntilFoundMax = 20;

}  // namespace

bool is_usable(TableStatus status) {
  return status == TableStatus::Active || status == TableStatus::Updating;
}

Result<TableDescription> wait_until_usable(Database& database, const std::string& table_name,
                                           const Pause& pause) {
  for (int looks = 1; looks <= kLooksMax; ++looks) {
    Result<DescribeTableResponse> now =
        patiently(pause, [&] { return database.describe_table({.table_name = table_name}); });
    const bool may_be_found_later =
        !now && now.error().code() == ErrorCode::ResourceNotFound && looks < kLooksUntilFoundMax;
    if (!now && !may_be_found_later) return fail(now.error());
    if (now && is_usable(now->table.status)) return std::move(now->table);
    pause(kBetweenLooks);
  }
  return fail(Error::resource_in_use("the table " + table_name +
                                     " did not become ACTIVE within ten minutes; run the command again"));
}

Result<TableDescription> create_and_wait(Database& database, const CreateTableRequest& table,
                                         const Pause& pause) {
  TAVOLA_CHECK(database.create_table(table));
  return wait_until_usable(database, table.table_name, pause);
}

Result<void> expire_by(Database& database, const std::string& table_name, const std::string& attribute) {
  TAVOLA_TRY(const DescribeTimeToLiveResponse now,
             database.describe_time_to_live({.table_name = table_name}));
  if (now.time_to_live.status == TimeToLiveStatus::Enabled) return {};
  TAVOLA_CHECK(
      database.update_time_to_live({.table_name = table_name, .attribute_name = attribute, .enabled = true}));
  return {};
}

}  // namespace tavola::transfer
