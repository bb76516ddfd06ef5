#include "server/stack.h"

#include <algorithm>

namespace tavola::server {
namespace {

// Has the designs of a table take it over.
void adopt_table(const Stack::Parts& parts, const std::string& table) {
  if (parts.designs == nullptr) return;
  const DesignList designs = parts.designs->designs();
  for (const design::Design& design : *designs) {
    if (design.table.name == table) parts.adoptions->start(design, {});
  }
}

Result<std::unique_ptr<transfer::TableFiles>> open_files(const Stack::Parts& parts) {
  return transfer::TableFiles::open(
      {.database = parts.engine,
       .buckets = parts.buckets,
       .state = parts.files_state,
       .place = {.region = parts.region},
       .clock = parts.clock,
       .settle = [&store = parts.store] { return store.sync(); },
       .failed_restore =
           [&engine = parts.engine](const std::string& table) { return engine.failed_restore(table); },
       .adopt =
           [parts](const std::string& table, const std::atomic<bool>& is_stopping) {
             if (parts.adoptions == nullptr) return;
             adopt_table(parts, table);
             parts.adoptions->wait_for(table, is_stopping);
           },
       .report =
           [&log = parts.log](const std::string& what, const std::string& why) {
             log.warning("exports and imports", {{"what", what}, {"why", why}});
           }});
}

}  // namespace

Result<std::unique_ptr<Stack>> Stack::open(const Parts& parts) {
  std::unique_ptr<Stack> stack(new Stack());
  stack->top_ = parts.upstream;
  if (parts.upstream == nullptr) {
    TAVOLA_TRY(stack->files_, open_files(parts));
    stack->top_ = &stack->marked_.emplace(*stack->files_, parts.clock);
  }
  if (parts.enforces_throughput) stack->top_ = &stack->enforced_.emplace(*stack->top_);
  if (parts.designs == nullptr) return stack;
  stack->top_ = &stack->governing_.emplace(
      *stack->top_, [&served = *parts.designs] { return served.designs(); },
      [&log = parts.log](const design::Design& design, const Error& why) {
        log.warning("the new table is not governed by its design",
                    {{"table", design.table.name}, {"design", design.name}, {"why", why.message()}});
      },
      [parts](const design::Design& design) { parts.adoptions->start(design, {}); },
      [&served = *parts.designs](const std::string& table) { served.forget_table(table); });
  stack->top_ = &stack->traffic_.emplace(*stack->top_, parts.designs->designs());
  return stack;
}

RequestStack::RequestStack(Database& shared, const RequestFaults& faults) : faults_(faults), top_(&shared) {
  if (faults.past == nullptr || !faults.faults->has_index_lag()) return;
  top_ = &lagging_.emplace(shared, *faults.faults, *faults.past);
}

void RequestStack::restrict_to(const access::Permissions& permissions, const ServerIdentity& server) {
  top_ = &restricted_.emplace(*top_, permissions, server);
}

void RequestStack::take_as_is() { top_ = &as_is_.emplace(*top_); }

void RequestStack::add_faults() {
  if (faults_.faults == nullptr || faults_.faults->is_quiet()) return;
  top_ = &faulty_.emplace(*top_, *faults_.faults);
}

void RequestStack::measure() {
  used_before_ = engine::capacity_of_thread();
  top_ = &counting_.emplace(*top_);
}

RequestCost RequestStack::cost() const {
  if (!counting_) return {};
  const engine::CapacityTotals used = engine::capacity_of_thread();
  return {.reads = counting_->counts(),
          .read_units = used.read_units - used_before_.read_units,
          .write_units = used.write_units - used_before_.write_units};
}

std::chrono::milliseconds RequestStack::delay() const {
  // The delays of all statements of a batch add up.
  return faulty_ ? std::min(faulty_->delay(), kDelayMax) : std::chrono::milliseconds(0);
}

}  // namespace tavola::server
