#include "transfer/dump/dump_table.h"

#include <algorithm>
#include <set>

#include "base/files.h"
#include "transfer/dump/job_state.h"
#include "transfer/formats/byte_stream.h"
#include "transfer/formats/csv_records.h"
#include "transfer/formats/item_text.h"
#include "transfer/tables/table_definition.h"
#include "transfer/walk/state_file.h"
#include "transfer/walk/table_scan.h"

namespace tavola::transfer {
namespace {

namespace fs = std::filesystem;

fs::path part_path(const fs::path& file) { return fs::path(file) += ".part"; }
fs::path state_path(const fs::path& file) { return fs::path(file) += ".part.json"; }

class Dump {
 public:
  Dump(const DumpRequest& request, TableDescription table) : request_(request), table_(std::move(table)) {}

  Result<Dumped> run() {
    TAVOLA_CHECK(begin());
    const std::uint64_t items_before = state_.items;
    TAVOLA_TRY(sink_, open_sink(is_standard() ? request_.file : part_path(request_.file),
                                state_.kind.compression, state_.bytes));
    if (state_.kind.format == Format::Csv && state_.bytes == 0) {
      std::string header;
      append_csv_header(header, state_.columns, delimiter());
      TAVOLA_CHECK(sink_->write(header));
    }
    TAVOLA_CHECK(copy());
    TAVOLA_CHECK(sink_->settle());
    if (!is_standard()) TAVOLA_CHECK(finish());
    return Dumped{.items = state_.items, .items_before = items_before, .remarks = std::move(remarks_)};
  }

 private:
  bool is_standard() const { return request_.file == "-"; }
  char delimiter() const { return state_.delimiter.empty() ? ',' : state_.delimiter.front(); }

  Result<void> begin() {
    if (!is_standard()) {
      std::error_code error;
      if (fs::exists(request_.file, error) && !request_.overwrites) {
        return fail(Error::validation(request_.file.string() + " exists; remove it, or add --overwrite"));
      }
      TAVOLA_TRY(const bool goes_on, go_on());
      if (goes_on) return {};
    }
    state_ = {.table_name = request_.table_name,
              .table_id = table_.table_id,
              .from = request_.from,
              .kind = request_.kind,
              .delimiter = request_.delimiter};
    state_.places.resize(std::max(request_.segments, 1U));
    if (request_.kind.format == Format::Csv) TAVOLA_CHECK(find_columns());
    return {};
  }

  // Returns whether an interrupted dump is resumed.
  Result<bool> go_on() {
    const fs::path path = state_path(request_.file);
    TAVOLA_TRY(const auto text, read_if_there(path));
    if (!text) return false;
    Result<DumpState> state = read_dump_state(*text);
    if (!state) return fail(Error::validation(path.string() + ": " + state.error().message()));
    if (state->table_name != request_.table_name || state->table_id != table_.table_id ||
        state->from != request_.from || state->kind != request_.kind ||
        state->delimiter != request_.delimiter) {
      return fail(Error::validation(part_path(request_.file).string() + " belongs to another dump, of " +
                                    state->table_name + " in " + state->from + "; remove it and " +
                                    path.string() + " to start again"));
    }
    std::error_code error;
    if (fs::file_size(part_path(request_.file), error) < state->bytes || error) {
      return fail(Error::validation(part_path(request_.file).string() + " is shorter than it was; remove " +
                                    path.string() + " to start again"));
    }
    state_ = *std::move(state);
    return true;
  }

  // CSV names its columns first: keys, then all attributes of any item. So the table is read twice.
  Result<void> find_columns() {
    std::set<std::string, std::less<>> names;
    TAVOLA_CHECK(
        scan(std::vector<SegmentPlace>(state_.places.size()), [&](const SegmentPage& page) -> Result<void> {
          for (const PackedItem& item : page.items) {
            for (const auto& [name, value] : item.view()) {
              if (!names.contains(name)) names.emplace(name);
            }
          }
          if (names.size() <= kCsvFieldsMax) return {};
          return fail(Error::validation("the items of " + request_.table_name +
                                        " have more than 10,000 different attributes, too many for columns; "
                                        "dump them with --format jsonl"));
        }));
    for (const KeySchemaElement& key : table_.key_schema) {
      state_.columns.push_back(key.name);
      names.erase(key.name);
    }
    state_.columns.insert(state_.columns.end(), names.begin(), names.end());
    return {};
  }

  Result<void> copy() {
    std::uint64_t unsettled = 0;
    return scan(state_.places, [&](SegmentPage page) -> Result<void> {
      std::string text;
      for (const PackedItem& item : page.items) TAVOLA_CHECK(append(text, item.view()));
      TAVOLA_CHECK(sink_->write(text));
      state_.items += page.items.size();
      state_.places[page.segment] = std::move(page.next);
      if (request_.watch) request_.watch(state_.items, static_cast<std::uint64_t>(table_.item_count));
      unsettled += text.size();
      if (is_standard() || unsettled < request_.bytes_between_states) return {};
      unsettled = 0;
      TAVOLA_TRY(state_.bytes, sink_->settle());
      return replace_file(state_path(request_.file), to_json(state_));
    });
  }

  Result<void> scan(std::vector<SegmentPlace> places, UsePage use) {
    const std::size_t threads = places.size();
    return scan_table(shared_by_all(request_.database),
                      {.table_name = request_.table_name,
                       .places = std::move(places),
                       .threads = threads,
                       .pause = request_.pause},
                      one_at_a_time(std::move(use)));
  }

  Result<void> append(std::string& text, const ItemView& item) const {
    if (state_.kind.format != Format::Csv) {
      append_line(text, item);
      return {};
    }
    if (append_csv_record(text, item, state_.columns, delimiter())) return {};
    // The dump cannot be resumed with these columns.
    std::error_code ignored;
    if (!is_standard()) fs::remove(state_path(request_.file), ignored);
    const auto without_column = std::ranges::find_if(item, [this](const auto& attribute) {
      return std::ranges::find(state_.columns, attribute.first) == state_.columns.end();
    });
    return fail(
        Error::validation("the table " + request_.table_name + " has the new attribute " +
                          std::string((*without_column).first) +
                          " since its columns were read; run the same command again, or use --format jsonl, "
                          "which needs no columns"));
  }

  Result<void> finish() {
    TAVOLA_TRY(const TableDefinition definition, definition_of(request_.database, table_, remarks_));
    TAVOLA_CHECK(replace_file(definition_path(request_.file), to_json(definition), kByUmask));
    TAVOLA_CHECK(rename_synced(part_path(request_.file), request_.file));
    std::error_code error;
    fs::remove(state_path(request_.file), error);
    if (error) return fail(system_error("remove", state_path(request_.file), error.value()));
    return {};
  }

  const DumpRequest& request_;
  const TableDescription table_;
  DumpState state_;
  std::vector<std::string> remarks_;
  std::unique_ptr<ByteSink> sink_;
};

}  // namespace

fs::path definition_path(const fs::path& file) { return fs::path(file) += ".table.json"; }

Result<Dumped> dump_table(const DumpRequest& request) {
  if (request.kind.format == Format::Workbench) {
    return fail(Error::validation("a table is dumped as jsonl or csv; `tavola design export` writes models"));
  }
  TAVOLA_TRY(DescribeTableResponse described,
             request.database.describe_table({.table_name = request.table_name}));
  return Dump(request, std::move(described.table)).run();
}

}  // namespace tavola::transfer
