#include "moving/table_copy.h"

#include <algorithm>

#include "value/limits.h"

namespace tavola::moving {
namespace {

constexpr std::size_t kUnwrittenSamplesMax = 10;

// The other side looked at what was sent, and does not want it.
bool is_refusal(const Error& error) {
  return error.code() == ErrorCode::Validation ||
         error.code() == ErrorCode::ItemCollectionSizeLimitExceeded ||
         error.code() == ErrorCode::TransactionCanceled || error.code() == ErrorCode::ConditionalCheckFailed;
}

// Thread safety: copy_segment() from any thread, for another segment each.
class Copying {
 public:
  Copying(const TablePlan& plan, CopyState& state, const CopyOptions& options)
      : plan_(plan), state_(state), options_(options) {}

  std::uint64_t done() const { return done_; }
  void add_done(std::uint64_t items) { done_ += items; }
  std::vector<RefusedItem> samples() {
    const MutexLock lock(mutex_);
    return samples_;
  }

  Result<void> copy_segment(const Hands& hands, std::size_t number, SegmentState segment, std::size_t total,
                            const std::atomic<bool>& stopping) {
    ScanRequest request{.table_name = plan_.from.table_name,
                        .consistent_read = options_.consistent_reads,
                        .exclusive_start_key = segment.place,
                        .segment = static_cast<int>(number),
                        .total_segments = static_cast<int>(total)};
    while (!segment.done && !stopping) {
      TAVOLA_TRY(ScanResponse page, patiently(options_.pause, [&] { return hands.from->scan(request); }));
      TAVOLA_TRY(const std::uint64_t refused, put_page(*hands.to, page.items));
      segment.items += page.items.size() - refused;
      segment.refused += refused;
      segment.place = page.last_evaluated_key;
      segment.done = !page.last_evaluated_key;
      request.exclusive_start_key = std::move(page.last_evaluated_key);
      TAVOLA_CHECK(state_.advance(plan_.from.table_name, number, segment));
    }
    return {};
  }

 private:
  // How many of them were refused.
  Result<std::uint64_t> put_page(Database& to, const std::vector<PackedItem>& items) {
    std::uint64_t refused = 0;
    for (std::size_t first = 0; first < items.size(); first += limits::kBatchWritesMax) {
      const std::size_t last = std::min(first + limits::kBatchWritesMax, items.size());
      TableWrites writes{.table_name = plan_.from.table_name};
      for (std::size_t i = first; i < last; ++i) writes.writes.push_back({BatchWrite::Kind::Put, items[i]});
      const Result<void> written = write_all(to, writes, options_.pause);
      if (!written && !is_refusal(written.error())) return fail(written.error());
      if (!written) {
        TAVOLA_TRY(const std::uint64_t some, put_one_by_one(to, writes));
        refused += some;
      }
      done_ += last - first;
    }
    return refused;
  }

  // A batch is refused whole, and does not say by which of its items.
  Result<std::uint64_t> put_one_by_one(Database& to, const TableWrites& writes) {
    std::uint64_t refused = 0;
    for (const BatchWrite& write : writes.writes) {
      const auto put = patiently(
          options_.pause, [&] { return to.put_item({.table_name = writes.table_name, .item = write.item}); });
      if (put) continue;
      if (!is_refusal(put.error())) return fail(put.error());
      ++refused;
      const MutexLock lock(mutex_);
      if (samples_.size() < kUnwrittenSamplesMax)
        samples_.push_back({shown(key_of(write.item, plan_.from.key_schema)), put.error().message()});
    }
    return refused;
  }

  const TablePlan& plan_;
  CopyState& state_;
  const CopyOptions& options_;
  std::atomic<std::uint64_t> done_ = 0;
  Mutex mutex_;
  std::vector<RefusedItem> samples_ TAVOLA_GUARDED_BY(mutex_);
};

// Where to go on; all at the beginning when nothing of these tables was copied yet.
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
                                  " has items already; --overwrite puts the copied ones over those with the "
                                  "same key, and others stay"));
  }
  TAVOLA_CHECK(state.begin(table, begun));
  Copying copying(plan, state, options);
  copying.add_done(begun.items());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < begun.segments.size(); ++i) {
    if (!begun.segments[i].done) open.push_back(i);
  }
  const auto expected = static_cast<std::uint64_t>(std::max<std::int64_t>(0, plan.from.item_count));
  const WorkOptions work{.workers = options.workers, .pause = options.pause, .tick = [&] {
                           if (options.progress) options.progress(copying.done(), expected);
                         }};
  const Result<void> done =
      for_each_segment(from, to, open, work, [&](const Hands& hands, std::size_t i, const auto& stopping) {
        return copying.copy_segment(hands, i, begun.segments[i], begun.segments.size(), stopping);
      });
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

}  // namespace tavola::moving
