#include <tavola/database.h>

namespace tavola {

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
