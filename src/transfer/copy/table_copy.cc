#include "transfer/copy/table_copy.h"

#include <algorithm>
#include <atomic>
#include <span>

#include "base/locks.h"
#include "database/item_key.h"
#include "transfer/walk/put_items.h"
#include "value/limits.h"

namespace tavola::transfer {
namespace {

constexpr std::size_t kRefusedSamplesMax = 10;

// Thread safety: begin_thread() from any thread.
class Copying {
 public:
  Copying(const TablePlan& plan, CopyState& state, const CopyOptions& options)
      : plan_(plan), state_(state), options_(options) {}

  // Begins at this state; the items in it count as done.
  void begin(const TableState& state) {
    segments_ = state.segments;
    done_ = state.items();
  }
  std::uint64_t done() const { return done_; }
  std::vector<RefusedItem> samples() {
    const MutexLock lock(mutex_);
    return samples_;
  }

  Result<UsePage> begin_thread(const Side& to) {
    TAVOLA_TRY(std::shared_ptr<Database> target, to.connect());
    return UsePage([this, target](const SegmentPage& page) { return copy_page(*target, page); });
  }

 private:
  Result<void> copy_page(Database& to, const SegmentPage& page) {
    const auto refuse = [this](const PackedItem& item, const Error& error) -> Result<void> {
      const MutexLock lock(mutex_);
      if (samples_.size() < kRefusedSamplesMax) {
        const PackedItem key = key_of_item(plan_.from.key_schema, item.view());
        samples_.push_back({shown(key), error.message()});
      }
      return {};
    };
    SegmentState& segment = segments_[page.segment];  // no other thread has this segment
    for (std::size_t first = 0; first < page.items.size(); first += limits::kBatchWritesMax) {
      const std::size_t count = std::min(limits::kBatchWritesMax, page.items.size() - first);
      TAVOLA_TRY(const std::uint64_t put,
                 put_items({.database = to, .table_name = plan_.from.table_name, .pause = options_.pause},
                           std::span(page.items).subspan(first, count), refuse));
      segment.items += put;
      segment.refused += count - put;
      done_ += count;
    }
    segment.place = page.next.start;
    segment.done = page.next.is_done;
    return state_.advance(plan_.from.table_name, page.segment, segment);
  }

  const TablePlan& plan_;
  CopyState& state_;
  const CopyOptions& options_;
  std::vector<SegmentState> segments_;
  std::atomic<std::uint64_t> done_ = 0;
  Mutex mutex_;
  std::vector<RefusedItem> samples_ TAVOLA_GUARDED_BY(mutex_);
};

// Returns the state to resume from, or a fresh one if nothing of these tables was copied before.
TableState begin_state(const TablePlan& plan, const TableDescription& target,
                       const std::optional<TableState>& before, std::size_t segments) {
  TableState fresh{.from_id = plan.from.table_id, .to_id = target.table_id};
  fresh.segments.resize(segments);
  if (!before || before->from_id != fresh.from_id || before->to_id != fresh.to_id || before->segments.empty())
    return fresh;
  TableState state = *before;
  for (SegmentState& segment : state.segments) {
    if (segment.refused > 0) segment = {};  // what was refused may be taken now
  }
  return state;
}

}  // namespace

Result<CopyReport> copy_table(const Side& from, const Side& to, const TablePlan& plan, CopyState& state,
                              const CopyOptions& options) {
  const std::string& table = plan.from.table_name;
  TAVOLA_TRY(const std::shared_ptr<Database> target, to.connect());
  const auto before = state.find(table);
  TAVOLA_TRY(const TableDescription there, prepare_target(*target, plan, options.pause));
  const TableState begun = begin_state(plan, there, before, options.segments);
  const bool goes_on = before && before->to_id == there.table_id && before->from_id == plan.from.table_id;
  if (!goes_on && plan.target_has_items && !options.overwrite) {
    return fail(Error::validation("the table " + table + " in " + to.name +
                                  " has items already; --overwrite replaces those with the "
                                  "same key, and keeps the others"));
  }
  TAVOLA_CHECK(state.begin(table, begun));
  Copying copying(plan, state, options);
  copying.begin(begun);
  TableScan scan{.table_name = table,
                 .threads = options.workers,
                 .consistent_read = options.consistent_reads,
                 .pause = options.pause};
  for (const SegmentState& segment : begun.segments) scan.places.push_back({segment.done, segment.place});
  const auto expected = static_cast<std::uint64_t>(std::max<std::int64_t>(0, plan.from.item_count));
  scan.tick = [&] {
    if (options.progress) options.progress(copying.done(), expected);
  };
  const Result<void> done = scan_table(from, scan, [&] { return copying.begin_thread(to); });
  TAVOLA_CHECK(state.save());
  TAVOLA_CHECK(done);
  TAVOLA_CHECK(finish_target(*target, plan));
  const TableState ended = state.find(table).value_or(TableState{});
  return CopyReport{.was_created = !plan.to,
                    .went_on = goes_on,
                    .items = ended.items(),
                    .refused = ended.refused(),
                    .samples = copying.samples()};
}

}  // namespace tavola::transfer
