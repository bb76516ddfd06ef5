// `tavola design import` and `export`: designs from other tools' files, and back.
#include <filesystem>

#include "cli/design_commands.h"
#include "server/design_file.h"
#include "workshop/exchange/import_data_model.h"
#include "workshop/exchange/import_tables.h"
#include "workshop/exchange/onetable.h"
#include "workshop/exchange/table_definitions.h"
#include "workshop/exchange/workbench.h"

namespace tavola::cli {
namespace {

using workshop::Imported;

Result<std::vector<Imported>> imported(const ImportOptions& options, const std::string& text) {
  if (options.format == "workbench") return workshop::import_workbench(text);
  if (options.format == "cloudformation") return workshop::import_cloudformation(text);
  if (options.format == "terraform") return workshop::import_terraform(text);
  if (options.format == "data-model") return workshop::import_data_model(text);
  const std::string name = std::filesystem::path(options.file).stem();
  TAVOLA_TRY(std::string design, workshop::import_onetable(text, name));
  return std::vector<Imported>{{.name = name, .text = std::move(design)}};
}

Result<std::string> exported(const ExportOptions& options) {
  TAVOLA_TRY(const server::RunnableFile file, server::runnable_file(options.file));
  const design::Design& design = file.design;
  if (options.format == "onetable") return workshop::export_onetable(design);
  if (options.format == "cloudformation") return workshop::cloud_formation(design);
  if (options.format == "terraform") return workshop::terraform(design);
  return workshop::export_workbench(design, file.text, {});
}

}  // namespace

// Several tables are several designs, one document behind the other.
Output run(const ImportOptions& options) {
  const Result<std::string> text = server::read_text(options.file);
  if (!text) return failed(text.error());
  const Result<std::vector<Imported>> designs = imported(options, *text);
  if (!designs) return failed(Error(designs.error().code(), options.file + ": " + designs.error().message()));
  Output output;
  for (const Imported& design : *designs) {
    output.out += (output.out.empty() ? "" : "---\n") + design.text;
  }
  if (designs->size() > 1) {
    output.err = "note: the output has " + std::to_string(designs->size()) +
                 " designs, separated by ---; put each in a file of its own.\n";
  }
  return output;
}

Output run(const ExportOptions& options) {
  Result<std::string> text = exported(options);
  return text ? Output{.out = *std::move(text)} : failed(text.error());
}

}  // namespace tavola::cli
