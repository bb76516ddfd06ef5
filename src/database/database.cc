#include <tavola/database.h>

namespace tavola {

Result<GovernTableResponse> Database::govern_table(const GovernTableRequest&) { return GovernTableResponse{}; }

Result<DescribeGovernanceResponse> Database::describe_governance(const DescribeGovernanceRequest&) {
  return DescribeGovernanceResponse{};
}

}  // namespace tavola
