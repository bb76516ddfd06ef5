#include "cases/case_database.h"
#include "cases/set_clock.h"
#include "engine/engine.h"
#include "runner/runner.h"
#include "store/store.h"

namespace tavola::cases {
namespace {

class MemoryDatabase final : public CaseDatabase {
 public:
  Database& database() override { return engine_; }
  const Clock& clock() const override { return clock_; }
  Result<void> set_time(WallTime time) override {
    clock_.set(time);
    return settle();
  }
  Result<void> settle() override { return engine_.sweep(); }
  Result<void> close() override { return {}; }

 private:
  SetClock clock_;
  engine::Engine engine_{store::open_memory(), clock_};
};

Result<void> create_table(CaseDatabase& database, const design::Design& design,
                          std::optional<Enforcement> enforcement) {
  const runner::Runner runner({.database = database.database(), .design = design, .clock = database.clock()});
  TAVOLA_CHECK(runner.prepare_table());
  if (!enforcement) return {};
  TAVOLA_CHECK(
      database.database().govern_table({.table_name = design.table.name, .enforcement = enforcement}));
  return {};
}

}  // namespace

OpenDatabase in_memory(std::optional<Enforcement> enforcement) {
  return [enforcement](const design::Design& design) -> Result<std::unique_ptr<CaseDatabase>> {
    auto database = std::make_unique<MemoryDatabase>();
    TAVOLA_CHECK(create_table(*database, design, enforcement));
    return database;
  };
}

}  // namespace tavola::cases
