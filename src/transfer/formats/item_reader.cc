#include "transfer/formats/item_reader.h"

#include "transfer/formats/workbench_reader.h"

namespace tavola::transfer {

Result<std::unique_ptr<ItemReader>> read_items(std::unique_ptr<ByteSource> source,
                                               const ReadOptions& options) {
  switch (options.format) {
    case Format::Lines:
      return new_line_reader(std::move(source), options.wrapping);
    case Format::Csv:
      return new_csv_reader(std::move(source), options);
    case Format::Workbench:
      return new_workbench_reader(std::move(source), options.table_name);
  }
  return fail(Error::internal("the format is unknown"));
}

}  // namespace tavola::transfer
