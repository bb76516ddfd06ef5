#include "transfer/dump/load_files.h"

#include <memory>
#include <optional>

#include "base/files.h"
#include "transfer/dump/dump_table.h"
#include "transfer/dump/entity_items.h"
#include "transfer/dump/job_state.h"
#include "transfer/formats/byte_stream.h"
#include "transfer/formats/item_reader.h"
#include "transfer/formats/workbench_reader.h"
#include "transfer/tables/created_table.h"
#include "transfer/tables/table_definition.h"
#include "transfer/walk/state_file.h"

namespace tavola::transfer {
namespace {

namespace fs = std::filesystem;

Error in_file(const fs::path& file, const Error& error) {
  return {error.code(), file.string() + ": " + error.message()};
}

class Load {
 public:
  explicit Load(const LoadRequest& request) : request_(request) {}

  Result<Loaded> run() {
    for (const fs::path& file : request_.files) {
      TAVOLA_TRY(const FileKind kind, kind_of(file.string(), request_.format, request_.compression));
      kinds_.push_back(kind);
      std::error_code ignored;  // standard input has no size
      const std::uintmax_t size = fs::file_size(file, ignored);
      if (!ignored) expected_ += size;
    }
    TAVOLA_CHECK(find_table());
    loader_ = std::make_unique<ItemLoader>(ItemLoader::Parts{.database = request_.database,
                                                             .table = table_,
                                                             .threads = request_.threads,
                                                             .keeps_going = request_.keeps_going,
                                                             .report = request_.report,
                                                             .pause = request_.pause});
    for (std::size_t i = 0; i < request_.files.size(); ++i) {
      if (const Result<void> done = load(i); !done) return fail(done.error());
    }
    for (const fs::path& file : request_.files) {
      std::error_code ignored;  // a leftover is ignored once the file has changed
      fs::remove(state_path(file), ignored);
    }
    done_.items = loader_->put();
    done_.wrong += loader_->refused();
    return done_;
  }

 private:
  fs::path state_path(const fs::path& file) const {
    return fs::path(file) += "." + request_.table_name + ".loading";
  }

  Result<void> find_table() {
    const auto described = request_.database.describe_table({.table_name = request_.table_name});
    if (described) {
      table_ = described->table;
      return {};
    }
    if (described.error().code() != ErrorCode::ResourceNotFound) return fail(described.error());
    if (!request_.creates) {
      return fail(
          Error::resource_not_found("there is no table " + request_.table_name + " in " + request_.into +
                                    "; create it, or add --create if its definition is beside the file"));
    }
    TAVOLA_TRY(TableDefinition definition, find_definition());
    definition.table.table_name = request_.table_name;
    TAVOLA_TRY(table_, create_and_wait(request_.database, definition.table, request_.pause));
    // Not after the items, as a copy does: a load that is resumed finds the table and does not read the definition.
    const std::string& attribute = definition.time_to_live_attribute;
    if (!attribute.empty()) {
      const Result<void> set = expire_by(request_.database, request_.table_name, attribute);
      if (!set) {
        done_.remarks.push_back("time to live by " + attribute + " is not enabled: " + set.error().message());
      }
    }
    done_.is_created = true;
    return {};
  }

  Result<TableDefinition> find_definition() {
    const fs::path& first = request_.files.front();
    if (request_.definition.empty() && kinds_.front().format == Format::Workbench) {
      TAVOLA_TRY(const std::string model, read_file(first));
      TAVOLA_TRY(CreateTableRequest table, table_of_workbench(model, request_.table_name));
      return TableDefinition{.table = std::move(table)};
    }
    const fs::path path = request_.definition.empty() ? definition_path(first) : request_.definition;
    TAVOLA_TRY(const auto text, read_if_there(path));
    if (!text) {
      return fail(Error::validation("there is no definition of the table in " + path.string() +
                                    "; `tavola dump` writes it there, and --definition names another file: a "
                                    "CreateTable request as JSON"));
    }
    Result<TableDefinition> definition = read_definition(*text);
    if (!definition) return fail(in_file(path, definition.error()));
    return definition;
  }

  // Returns the progress of an earlier, interrupted run of the same load.
  Result<LoadState> state_of(std::size_t index) const {
    const fs::path& file = request_.files[index];
    LoadState fresh{.table_id = table_.table_id,
                    .into = request_.into,
                    .kind = kinds_[index],
                    .delimiter = request_.csv.delimiter,
                    .header = request_.csv.header};
    if (file == "-") return fresh;
    std::error_code error;
    fresh.file_bytes = fs::file_size(file, error);
    if (error) return fail(system_error("read", file, error.value()));
    fresh.file_time = fs::last_write_time(file, error).time_since_epoch().count();
    TAVOLA_TRY(const auto text, read_if_there(state_path(file)));
    if (!text) return fresh;
    const Result<LoadState> found = read_load_state(*text);
    const bool is_the_same = found && found->table_id == fresh.table_id && found->into == fresh.into &&
                             found->file_bytes == fresh.file_bytes && found->file_time == fresh.file_time &&
                             found->kind == fresh.kind && found->delimiter == fresh.delimiter &&
                             found->header == fresh.header;
    return is_the_same ? *found : fresh;
  }

  Result<void> load(std::size_t index) {
    const fs::path& file = request_.files[index];
    TAVOLA_TRY(LoadState state, state_of(index));
    done_.records_before += state.records;
    done_.wrong += state.wrong;
    wrong_elsewhere_ = loader_->refused() - state.wrong;
    if (state.is_done) {
      bytes_before_ += state.file_bytes;
      return {};
    }
    names_.push_back(std::make_unique<std::string>(file == "-" ? "standard input" : file.string()));
    TAVOLA_TRY(auto source, open_source(file, kinds_[index].compression));
    auto reader = read_items(std::move(source), {.format = kinds_[index].format,
                                                 .csv = request_.csv,
                                                 .definitions = table_.attribute_definitions,
                                                 .keys = table_.key_schema,
                                                 .table_name = request_.table_name,
                                                 .to_item = to_item()});
    if (!reader) return fail(in_file(*names_.back(), reader.error()));
    TAVOLA_CHECK((*reader)->skip(state.records));
    TAVOLA_CHECK(load(**reader, file, state));
    state.is_done = true;
    TAVOLA_CHECK(settle(file, state));
    bytes_before_ += (*reader)->file_bytes();
    return {};
  }

  ItemOfObject to_item() const {
    if (!request_.design) return {};
    return
        [this](std::string_view object) { return item_of_object(*request_.design, request_.entity, object); };
  }

  Result<void> load(ItemReader& reader, const fs::path& file, LoadState& state) {
    std::uint64_t unsettled = 0;
    for (;;) {
      Result<std::optional<Record>> next = reader.next();
      if (!next) return fail(in_file(*names_.back(), next.error()));
      std::optional<Record> record = *std::move(next);
      if (!record) return {};
      ++state.records;
      const Origin origin{.file = *names_.back(), .line = record->line};
      if (record->item) {
        TAVOLA_CHECK(loader_->add({.item = *std::move(record->item), .origin = origin}));
      } else {
        TAVOLA_CHECK(loader_->refuse(origin, record->item.error()));
      }
      if (request_.watch) request_.watch(bytes_before_ + reader.file_bytes(), expected_);
      if (++unsettled < request_.records_between_states) continue;
      unsettled = 0;
      TAVOLA_CHECK(settle(file, state));
    }
  }

  // Every record read is in the table now, and is not read again.
  Result<void> settle(const fs::path& file, LoadState& state) {
    TAVOLA_CHECK(loader_->drain());
    state.wrong = loader_->refused() - wrong_elsewhere_;
    if (file == "-" || is_unsettled_) return {};
    if (const Result<void> written = replace_file(state_path(file), to_json(state)); !written) {
      is_unsettled_ = true;
      done_.remarks.push_back("an interrupted load will start again from the beginning: " +
                              written.error().message());
    }
    return {};
  }

  const LoadRequest& request_;
  std::vector<FileKind> kinds_;
  std::vector<std::unique_ptr<std::string>> names_;  // origins borrow them
  TableDescription table_;
  std::uint64_t expected_ = 0;
  std::uint64_t bytes_before_ = 0;
  // The loader's refusals in earlier files, minus those of an earlier run of this one; wraps below zero, and back.
  std::uint64_t wrong_elsewhere_ = 0;
  bool is_unsettled_ = false;  // states cannot be written
  Loaded done_;
  std::unique_ptr<ItemLoader> loader_;
};

}  // namespace

Result<Loaded> load_files(const LoadRequest& request) {
  if (request.files.empty()) return fail(Error::validation("there is no file to load"));
  return Load(request).run();
}

}  // namespace tavola::transfer
