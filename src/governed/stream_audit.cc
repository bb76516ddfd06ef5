#include "governed/stream_audit.h"

#include <chrono>
#include <set>
#include <utility>

#include "expr/rules/rule.h"
#include "governed/item_places.h"

namespace tavola::governed {
namespace {

constexpr std::chrono::seconds kPeriod{1};
// The pause between two looks at the leases is much shorter than a lease.
constexpr std::chrono::seconds kBetweenLeases{5};
// The halves of a transaction are written within this time, and its clock may be another one.
constexpr std::chrono::seconds kUntilCountersFit{3};
constexpr int kPagesAtOnce = 50;  // of a shard, so that the others have their turn

std::string text_in(const Item& item, const std::string& name) {
  const auto found = item.find(name);
  return found != item.end() && found->second.is_string() ? found->second.string() : std::string();
}

}  // namespace

StreamAudit::~StreamAudit() {
  thread_.request_stop();
  stopped_.notify_all();
}

void StreamAudit::start(Report report) {
  thread_ = std::jthread([this, report = std::move(report)](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pass(report);
      std::unique_lock lock(mutex_);
      stopped_.wait_for(lock, stop, kPeriod, [] { return false; });
    }
  });
}

void StreamAudit::pass(const Report& report) {
  for (const std::shared_ptr<const DesignFacts>& facts : tables_.all()) {
    const Result<void> done = audit_table(facts, report);
    if (!done && report.failed)
      report.failed("the audit of the table " + facts->design().table.name + ": " + done.error().message());
  }
}

Result<void> StreamAudit::audit_table(const std::shared_ptr<const DesignFacts>& facts, const Report& report) {
  const std::string& table_name = facts->design().table.name;
  TAVOLA_TRY(const std::string stream, latest_stream(table_name));
  if (stream.empty()) return {};
  Progress& progress = progress_[table_name];
  const auto now = std::chrono::steady_clock::now();
  const bool must_ask = now >= progress.ask_next || (progress.is_ours && progress.has_news);
  bool is_ours = progress.is_ours;
  if (must_ask) {
    TAVOLA_TRY(is_ours, take_lease(*facts, progress));
    progress.ask_next = now + kBetweenLeases;
    progress.has_news = false;
  }
  const bool was_ours = std::exchange(progress.is_ours, is_ours);
  if (!is_ours) return {};
  if (!was_ours) TAVOLA_CHECK(load(*facts, progress));
  if (progress.stream != stream) {
    progress.stream = stream;
    progress.positions.clear();
    progress.iterators.clear();
  }
  if (!progress.companions || &progress.companions->facts() != facts.get())
    progress.companions = std::make_unique<CompanionAudit>(remote_, facts, clock_.now() + kUntilCountersFit);
  TAVOLA_CHECK(find_shards(progress));
  for (const auto& [shard, iterator] : std::map(progress.iterators)) {
    if (!iterator.empty()) TAVOLA_CHECK(read_shard(*facts, shard, progress, report));
  }
  progress.is_known = true;
  return look_at_companions(*facts, progress, report);
}

void StreamAudit::found(const DesignFacts& facts, const AuditFinding& finding, const Report& report) {
  ++findings_;
  if (report.found) report.found(facts.design().table.name, finding);
}

Result<void> StreamAudit::look_at_companions(const DesignFacts& facts, Progress& progress,
                                             const Report& report) {
  const auto now = std::chrono::steady_clock::now();
  CompanionAudit& companions = *progress.companions;
  skipped_ += companions.take_skipped();
  if (!companions.is_due(now)) return {};
  TAVOLA_TRY(const bool unfinished, has_unfinished(facts));
  if (unfinished) return {};
  TAVOLA_TRY(const std::vector<AuditFinding> findings, companions.look(now));
  for (const AuditFinding& finding : findings) found(facts, finding, report);
  return {};
}

Result<bool> StreamAudit::has_unfinished(const DesignFacts& facts) {
  const engine::KeyShape shape = key_shape(facts.design());
  if (!has_lists(shape)) return false;
  TAVOLA_TRY(const PackedItem first, listed_place(shape, job_record("")));
  const std::string& hash = facts.design().table.hash.name;
  expr::ExpressionParts parts;
  QueryRequest request{.table_name = facts.design().table.name, .consistent_read = true};
  request.key_condition_expression = parts.name(hash) + " = ";
  request.key_condition_expression += parts.value(first.find(hash)->unpack());
  request.names = parts.names();
  request.limit = 1;
  TAVOLA_TRY(request.values, pack(parts.values()));
  TAVOLA_TRY(const QueryResponse page, remote_.query(request));
  return !page.items.empty();
}

Result<std::string> StreamAudit::latest_stream(const std::string& table_name) {
  TAVOLA_TRY(const DescribeTableResponse table, remote_.describe_table({.table_name = table_name}));
  if (table.table.stream != StreamView::NewAndOldImages) return std::string();
  ListStreamsRequest request{.table_name = table_name};
  StreamSummary latest;
  do {
    TAVOLA_TRY(ListStreamsResponse page, remote_.list_streams(request));
    for (StreamSummary& one : page.streams) {
      if (one.label >= latest.label) latest = std::move(one);
    }
    request.exclusive_start_stream = page.last_evaluated_stream;
  } while (!request.exclusive_start_stream.empty());
  return latest.stream;
}

Result<PackedItem> StreamAudit::lease_key(const DesignFacts& facts) {
  return record_place(key_shape(facts.design()), "lease", "audit");
}

Result<bool> StreamAudit::take_lease(const DesignFacts& facts, Progress& progress) {
  Leases::Wanted wanted{.remote = remote_, .table_name = facts.design().table.name, .key = {}};
  TAVOLA_TRY(wanted.key, lease_key(facts));
  if (progress.is_ours) {
    Map positions;
    for (const auto& [shard, number] : progress.positions) positions.emplace(shard, Value(number));
    wanted.also.emplace("$stream", Value(progress.stream));
    wanted.also.emplace("$positions", Value(std::move(positions)));
  }
  return leases_.take(wanted);
}

Result<void> StreamAudit::load(const DesignFacts& facts, Progress& progress) {
  const auto ask_next = progress.ask_next;
  progress = Progress();
  progress.is_ours = true;
  progress.ask_next = ask_next;
  GetItemRequest request{.table_name = facts.design().table.name, .consistent_read = true};
  TAVOLA_TRY(request.key, lease_key(facts));
  TAVOLA_TRY(const GetItemResponse found, remote_.get_item(request));
  if (!found.item) return {};
  const Item record = found.item->unpack();
  progress.stream = text_in(record, "$stream");
  progress.is_known = !progress.stream.empty();
  const auto positions = record.find("$positions");
  if (positions == record.end() || positions->second.type() != Type::Map) return {};
  for (const auto& [shard, number] : positions->second.map()) {
    if (number.is_string()) progress.positions.emplace(shard, number.string());
  }
  return {};
}

Result<void> StreamAudit::find_shards(Progress& progress) {
  std::set<std::string, std::less<>> listed;
  DescribeStreamRequest request{.stream = progress.stream};
  do {
    TAVOLA_TRY(const DescribeStreamResponse page, remote_.describe_stream(request));
    for (const Shard& shard : page.stream.shards) {
      listed.insert(shard.shard_id);
      if (!progress.iterators.contains(shard.shard_id)) TAVOLA_CHECK(open_shard(shard, progress));
    }
    request.exclusive_start_shard_id = page.stream.last_evaluated_shard_id;
  } while (!request.exclusive_start_shard_id.empty());
  // A shard is kept for a day; then nothing is known of it any more.
  const auto is_gone = [&](const auto& of_shard) { return !listed.contains(of_shard.first); };
  std::erase_if(progress.positions, is_gone);
  std::erase_if(progress.iterators, is_gone);
  return {};
}

// The audit begins with what is written from now on, and goes on behind the last change that was looked at. If the stream has lost that one
// because no front ran for a day, the audit continues with the oldest that is left.
Result<void> StreamAudit::open_shard(const Shard& shard, Progress& progress) {
  GetShardIteratorRequest request{.stream = progress.stream, .shard_id = shard.shard_id};
  const auto position = progress.positions.find(shard.shard_id);
  if (position != progress.positions.end()) {
    request.type = ShardIteratorType::AfterSequenceNumber;
    request.sequence_number = position->second;
  } else {
    request.type = progress.is_known ? ShardIteratorType::TrimHorizon : ShardIteratorType::Latest;
  }
  Result<GetShardIteratorResponse> opened = remote_.get_shard_iterator(request);
  if (!opened && opened.error().code() == ErrorCode::TrimmedDataAccess) {
    request.type = ShardIteratorType::TrimHorizon;
    request.sequence_number.clear();
    opened = remote_.get_shard_iterator(request);
  }
  if (!opened) return fail(opened.error());
  progress.iterators.insert_or_assign(shard.shard_id, std::move(opened->shard_iterator));
  return {};
}

Result<void> StreamAudit::read_shard(const DesignFacts& facts, const std::string& shard, Progress& progress,
                                     const Report& report) {
  std::string& iterator = progress.iterators[shard];
  for (int page = 0; page < kPagesAtOnce && !iterator.empty(); ++page) {
    const Result<GetRecordsResponse> read = remote_.get_records({.shard_iterator = iterator});
    if (!read) {
      progress.iterators.erase(
          shard);  // it may have expired: the next pass opens the shard behind the last change
      return fail(read.error());
    }
    iterator = read->next_shard_iterator;
    for (const StreamRecord& record : read->records) {
      const bool is_strict = facts.refused_at(record.created_at);
      if (is_strict) progress.companions->note(record, std::chrono::steady_clock::now());
      if (facts.is_record(record.keys.view())) continue;  // one is the lease itself
      ++records_;
      progress.has_news = true;
      progress.positions.insert_or_assign(shard, record.sequence_number);
      if (!is_strict) continue;  // fronts counted it, or had another design
      const std::optional<AuditFinding> finding = audit(facts.design(), record);
      if (finding) found(facts, *finding, report);
    }
    if (read->records.empty()) return {};
  }
  return {};
}

}  // namespace tavola::governed
