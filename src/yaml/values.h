// Values: reads values that start on a line: scalars, and the flow collections [a, b] and {a: b}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "yaml/reader.h"

namespace tavola::yaml {

class Values {
 public:
  explicit Values(Reader& reader) : reader_(reader), in_(reader.in()) {}

  // Reads the value that starts here; lines that continue it are indented by at least `indent_min`. A text that starts with
  // | or > continues below and is therefore allowed in blocks only.
  Node value(std::uint32_t indent_min, Context context);

 private:
  Node plain(std::uint32_t indent_min, Context context);
  void report_reserved();
  std::size_t lines_to_more(std::uint32_t indent_min, Context context);

  Node flow_list(std::uint32_t indent_min);
  Node flow_map(std::uint32_t indent_min);
  std::optional<Entry> flow_entry(std::uint32_t indent_min);
  bool next_in_flow(std::uint32_t indent_min);
  bool begins_line();
  bool another(char close, Place begin, std::uint32_t indent_min);
  void report_open(Place begin, std::string_view bracket);

  Reader& reader_;
  Source& in_;
  std::size_t line_begin_ = 0;   // of the latest line inside a flow
  std::size_t line_blanks_ = 0;  // spaces at its start, as far as counted
};

}  // namespace tavola::yaml
