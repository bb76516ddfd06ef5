#include "transfer/dump/job_state.h"

#include <charconv>

#include "json/writer.h"
#include "transfer/walk/state_file.h"
#include "wire/codec/attribute_values.h"

namespace tavola::transfer {
namespace {

using wire::Fields;

Error not_a_state() {
  return Error::validation("it is not a state file of Tavola; remove it to start again");
}

void write_kind(json::Writer& json, FileKind kind) {
  json.name("format").text(format_name(kind.format));
  json.name("compression").text(compression_name(kind.compression));
}

FileKind read_kind(const Fields& in) {
  const auto kind = kind_of("", in.text("format").value_or("?"), in.text("compression").value_or("?"));
  if (!kind) in.problems().bad_value(kind.error());
  return kind.value_or(FileKind());
}

void write_texts(json::Writer& json, std::string_view name, const std::vector<std::string>& texts) {
  json.name(name).begin_list();
  for (const std::string& text : texts) json.text(text);
  json.end_list();
}

void write_place(json::Writer& json, const SegmentPlace& place) {
  json.begin_object();
  json.name("done").boolean(place.is_done);
  if (place.start) {
    json.name("start");
    wire::write_item(json, place.start->view());
  }
  json.end_object();
}

// Reads a state; every member has a default.
template <class State, class Read>
Result<State> read_state(std::string_view text, Read read) {
  State state;
  if (!read_members(text, [&](const Fields& in) { read(in, state); })) return fail(not_a_state());
  return state;
}

}  // namespace

std::string to_json(const DumpState& state) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("table").text(state.table_name);
  json.name("table_id").text(state.table_id);
  json.name("from").text(state.from);
  write_kind(json, state.kind);
  json.name("delimiter").text(state.delimiter);
  write_texts(json, "columns", state.columns);
  json.name("bytes").integer(static_cast<std::int64_t>(state.bytes));
  json.name("items").integer(static_cast<std::int64_t>(state.items));
  json.name("segments").begin_list();
  for (const SegmentPlace& place : state.places) write_place(json, place);
  json.end_list();
  json.end_object();
  return out + "\n";
}

Result<DumpState> read_dump_state(std::string_view text) {
  TAVOLA_TRY(
      DumpState state, (read_state<DumpState>(text, [](const Fields& in, DumpState& read) {
        read.table_name = text_of(in, "table");
        read.table_id = text_of(in, "table_id");
        read.from = text_of(in, "from");
        read.kind = read_kind(in);
        read.delimiter = text_of(in, "delimiter");
        read.columns = in.texts("columns").value_or(std::vector<std::string>());
        read.bytes = count_of(in, "bytes");
        read.items = count_of(in, "items");
        for (const Fields& segment : in.structures("segments", "Segment").value_or(std::vector<Fields>())) {
          SegmentPlace& place = read.places.emplace_back();
          place.is_done = segment.boolean("done").value_or(false);
          place.start = wire::read_item(segment, "start");
        }
      })));
  if (state.places.empty()) return fail(not_a_state());
  return state;
}

std::string to_json(const LoadState& state) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("table_id").text(state.table_id);
  json.name("into").text(state.into);
  json.name("file_bytes").integer(static_cast<std::int64_t>(state.file_bytes));
  json.name("file_time").text(std::to_string(state.file_time));
  write_kind(json, state.kind);
  json.name("delimiter").text(state.delimiter);
  write_texts(json, "header", state.header);
  json.name("records").integer(static_cast<std::int64_t>(state.records));
  json.name("wrong").integer(static_cast<std::int64_t>(state.wrong));
  json.name("done").boolean(state.is_done);
  json.end_object();
  return out + "\n";
}

Result<LoadState> read_load_state(std::string_view text) {
  return read_state<LoadState>(text, [](const Fields& in, LoadState& read) {
    read.table_id = text_of(in, "table_id");
    read.into = text_of(in, "into");
    read.file_bytes = count_of(in, "file_bytes");
    const std::string time = text_of(in, "file_time");
    std::from_chars(time.data(), time.data() + time.size(), read.file_time);
    read.kind = read_kind(in);
    read.delimiter = text_of(in, "delimiter");
    read.header = in.texts("header").value_or(std::vector<std::string>());
    read.records = count_of(in, "records");
    read.wrong = count_of(in, "wrong");
    read.is_done = in.boolean("done").value_or(false);
  });
}

}  // namespace tavola::transfer
