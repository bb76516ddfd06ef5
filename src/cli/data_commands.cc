// The commands on designs that are about data: samples, and drafts from tables.
#include "cli/design_commands.h"
#include "cli/draft_sources.h"
#include "cli/output/command_output.h"
#include "design/items/entity_item.h"
#include "design/model/plain_json.h"
#include "server/design_file.h"
#include "workshop/exchange/draft.h"
#include "workshop/sample/sample.h"

namespace tavola::cli {
namespace {

// One line: {"entity": "Product", "fields": {…}}
std::string entity_line(const design::Entity& entity, const Item& fields) {
  std::string line;
  json::Writer json(line);
  json.begin_object();
  json.name("entity").text(entity.name);
  json.name("fields");
  design::write_plain(json, Value(fields));
  json.end_object();
  return line + "\n";
}

}  // namespace

Output run(const SampleOptions& options) {
  const Result<design::Design> design = server::runnable_design(options.file);
  if (!design) return failed(design.error());
  Output output;
  const auto sink = [&](const design::Entity& entity, const Item& fields) -> Result<void> {
    if (options.format == "entities") {
      output.out += entity_line(entity, fields);
      return {};
    }
    TAVOLA_TRY(const Item item, design::to_item(*design, entity, fields));
    output.out += to_json(item) + "\n";
    return {};
  };
  const workshop::SampleOptions wanted{
      .size = workshop::parse_size(options.size).value_or(workshop::Size::Small),
      .seed = options.seed,
      .now = kSampleTime};
  const Result<void> made = workshop::sample(*design, wanted, sink);
  return made ? output : failed(made.error());
}

Output run(const InferOptions& options) {
  const Result<workshop::Draft> draft = draft_of_table(options);
  return draft ? Output{.out = workshop::write(*draft)} : failed(draft.error());
}

}  // namespace tavola::cli
