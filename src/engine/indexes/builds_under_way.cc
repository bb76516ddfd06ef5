#include "engine/indexes/builds_under_way.h"

#include <cstddef>
#include <utility>

#include "engine/records/job.h"
#include "engine/records/keys.h"

namespace tavola::engine {

Result<std::vector<std::string>> builds_under_way(const store::Store& store) {
  constexpr std::size_t kJobsMax = 1000;
  std::vector<std::string> tables;
  const auto snapshot = store.snapshot();
  const auto jobs = snapshot->range(every_job(), store::Direction::Forward);
  for (std::size_t i = 0; jobs->valid() && i < kJobsMax; jobs->next(), ++i) {
    TAVOLA_TRY(Job job, decode_job(jobs->value()));
    if (job.kind == JobKind::IndexBuild) tables.push_back(std::move(job.table_name));
  }
  TAVOLA_CHECK(jobs->status());
  return tables;
}

}  // namespace tavola::engine
