// A database that may leave some writes of a batch undone and says which, as AWS does when it is short of capacity. Our
// own writes a batch whole or not at all, so that BatchWriteItemResponse has no place for them.
#pragma once

#include <vector>

#include <tavola/database.h>

namespace tavola {

struct PartlyWritten {
  BatchWriteItemResponse response{};
  std::vector<TableWrites> unprocessed{};  // in the order of the request; not written: send them again
};

// A second interface of a Database; whoever can pass on what is unprocessed looks for it.
class PartialBatches {
 public:
  virtual ~PartialBatches() = default;
  virtual Result<PartlyWritten> write_some(const BatchWriteItemRequest& request) = 0;
};

}  // namespace tavola
