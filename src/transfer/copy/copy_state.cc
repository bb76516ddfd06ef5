#include "transfer/copy/copy_state.h"

#include <algorithm>
#include <numeric>

#include "base/files.h"
#include "json/writer.h"
#include "transfer/walk/state_file.h"
#include "wire/codec/attribute_values.h"

namespace tavola::transfer {
namespace {

constexpr std::chrono::seconds kBetweenWrites{1};

void write_segment(json::Writer& json, const SegmentState& segment) {
  json.begin_object();
  json.name("items").integer(static_cast<std::int64_t>(segment.items));
  json.name("refused").integer(static_cast<std::int64_t>(segment.refused));
  json.name("done").boolean(segment.done);
  if (segment.place) {
    json.name("place");
    wire::write_item(json, segment.place->view());
  }
  json.end_object();
}

SegmentState read_segment(const wire::Fields& in) {
  SegmentState segment;
  segment.items = count_of(in, "items");
  segment.refused = count_of(in, "refused");
  segment.done = in.boolean("done").value_or(false);
  segment.place = wire::read_item(in, "place");
  return segment;
}

std::uint64_t sum(const std::vector<SegmentState>& segments, std::uint64_t SegmentState::* member) {
  return std::accumulate(
      segments.begin(), segments.end(), std::uint64_t{0},
      [member](std::uint64_t total, const SegmentState& one) { return total + one.*member; });
}

}  // namespace

bool TableState::is_done() const { return std::ranges::all_of(segments, &SegmentState::done); }
std::uint64_t TableState::items() const { return sum(segments, &SegmentState::items); }
std::uint64_t TableState::refused() const { return sum(segments, &SegmentState::refused); }

Result<std::unique_ptr<CopyState>> CopyState::open(std::filesystem::path file, std::string from,
                                                   std::string to) {
  std::unique_ptr<CopyState> state(new CopyState(std::move(file), std::move(from), std::move(to)));
  TAVOLA_TRY(const auto text, read_if_there(state->file_));
  if (!text) return state;
  TAVOLA_CHECK(state->read(*text));
  return state;
}

Result<void> CopyState::read(const std::string& text) {
  const auto refuse = [this](const std::string& why) {
    return fail(Error::validation(quoted(file_) + " " + why +
                                  "; name another file with --state, or delete it to start again"));
  };
  std::string from;
  std::string to;
  std::map<std::string, TableState, std::less<>> tables;
  const Result<void> read = read_members(text, [&](const wire::Fields& in) {
    from = text_of(in, "from");
    to = text_of(in, "to");
    for (const wire::Fields& table : in.structures("tables", "table").value_or(std::vector<wire::Fields>())) {
      TableState& state = tables[text_of(table, "name")];
      state.from_id = text_of(table, "from_id");
      state.to_id = text_of(table, "to_id");
      for (const wire::Fields& segment :
           table.structures("segments", "segment").value_or(std::vector<wire::Fields>())) {
        state.segments.push_back(read_segment(segment));
      }
    }
  });
  if (!read) return refuse("is not the state of a copy");
  if (from != from_ || to != to_) return refuse("belongs to a copy from " + from + " to " + to);
  const MutexLock lock(mutex_);
  tables_ = std::move(tables);
  return {};
}

std::string CopyState::to_json() const {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("from").text(from_);
  json.name("to").text(to_);
  json.name("tables").begin_list();
  for (const auto& [name, table] : tables_) {
    json.begin_object();
    json.name("name").text(name);
    json.name("from_id").text(table.from_id);
    json.name("to_id").text(table.to_id);
    json.name("segments").begin_list();
    for (const SegmentState& segment : table.segments) write_segment(json, segment);
    json.end_list();
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return out + "\n";
}

Result<void> CopyState::write() {
  written_at_ = std::chrono::steady_clock::now();
  return replace_file(file_, to_json());  // readable by its owner only: it holds keys of items
}

std::optional<TableState> CopyState::find(const std::string& table) const {
  const MutexLock lock(mutex_);
  const auto found = tables_.find(table);
  return found == tables_.end() ? std::nullopt : std::optional(found->second);
}

Result<void> CopyState::begin(const std::string& table, TableState state) {
  const MutexLock lock(mutex_);
  tables_[table] = std::move(state);
  return write();
}

Result<void> CopyState::advance(const std::string& table, std::size_t segment, SegmentState state) {
  const MutexLock lock(mutex_);
  tables_[table].segments.at(segment) = std::move(state);
  if (std::chrono::steady_clock::now() - written_at_ < kBetweenWrites) return {};
  return write();
}

Result<void> CopyState::save() {
  const MutexLock lock(mutex_);
  return tables_.empty() ? Result<void>() : write();
}

Result<void> CopyState::forget(std::span<const std::string> tables) {
  const MutexLock lock(mutex_);
  for (const std::string& table : tables) tables_.erase(table);
  if (!tables_.empty()) return write();
  std::error_code error;
  std::filesystem::remove(file_, error);
  if (error) return fail(system_error("cannot remove", file_, error.value()));
  return {};
}

}  // namespace tavola::transfer
