#include "transfer/formats/item_reader.h"

#include "transfer/formats/workbench_reader.h"

namespace tavola::transfer {
namespace {

Result<std::unique_ptr<ItemReader>> new_json_reader(TextBuffer text, const ReadOptions& options) {
  if (!options.to_item) return new_line_reader(std::move(text), options);
  std::size_t first = std::string_view::npos;
  for (bool is_more = true; is_more && first == std::string_view::npos;) {
    TAVOLA_TRY(is_more, text.more());
    first = text.text().find_first_not_of(" \t\r\n");
  }
  const bool is_array = first != std::string_view::npos && text.text()[first] == '[';
  if (is_array) return new_array_reader(std::move(text), options.to_item);
  return new_line_reader(std::move(text), options);
}

}  // namespace

Result<std::unique_ptr<ItemReader>> read_items(std::unique_ptr<ByteSource> source,
                                               const ReadOptions& options) {
  switch (options.format) {
    case Format::Lines:
      return new_json_reader(TextBuffer(std::move(source)), options);
    case Format::Csv:
      return new_csv_reader(std::move(source), options);
    case Format::Workbench:
      return new_workbench_reader(std::move(source), options.table_name);
  }
  return fail(Error::internal("the format is unknown"));
}

}  // namespace tavola::transfer
