#include <tavola/database.h>

namespace tavola {
namespace {

std::unexpected<Error> no_streams() {
  return fail(Error::internal("this database has no streams: a data directory or a server of Tavola has"));
}

}  // namespace

Result<ListStreamsResponse> Database::list_streams(const ListStreamsRequest&) { return no_streams(); }
Result<DescribeStreamResponse> Database::describe_stream(const DescribeStreamRequest&) {
  return no_streams();
}
Result<GetShardIteratorResponse> Database::get_shard_iterator(const GetShardIteratorRequest&) {
  return no_streams();
}
Result<GetRecordsResponse> Database::get_records(const GetRecordsRequest&) { return no_streams(); }

Result<GovernTableResponse> Database::govern_table(const GovernTableRequest&) {
  return GovernTableResponse{};
}

Result<DescribeGovernanceResponse> Database::describe_governance(const DescribeGovernanceRequest&) {
  return DescribeGovernanceResponse{};
}

Result<MigrateTableResponse> Database::migrate_table(const MigrateTableRequest&) {
  return fail(
      Error::validation("this database cannot migrate tables: a data directory or a server of Tavola can"));
}

}  // namespace tavola
