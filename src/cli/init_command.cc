#include "cli/init_command.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/files.h"
#include "base/joined.h"
#include "cli/design_arguments.h"
#include "cli/draft_sources.h"
#include "cli/output/question.h"
#include "design/items/entity_item.h"
#include "design/load.h"
#include "server/design_file.h"
#include "workshop/exchange/first_design.h"
#include "workshop/exchange/infer.h"
#include "workshop/sample/sample.h"

namespace tavola::cli {
namespace {

using workshop::FirstDesign;
using workshop::FirstEntity;

constexpr unsigned kReadableByAll = 0644;

Error no_answer() { return {ErrorCode::Io, "the answers ended; nothing was written"}; }

// Returns what is wrong with the text of a design; empty: nothing.
std::string errors_in(const std::string& text, const std::string& file) {
  server::DesignFile read{text, design::load(text, file)};
  if (read.loaded.design) return {};
  std::erase_if(read.loaded.diagnostics, [](const design::Diagnostic& diagnostic) {
    return diagnostic.severity != design::Severity::Error;
  });
  return server::problems_text(read);
}

// Asks a person at the terminal; elsewhere every answer is the default.
class Questions {
 public:
  Result<std::string> ask(std::string_view question, std::string_view by_default) const {
    if (!is_asked_) return std::string(by_default);
    const std::optional<std::string> answer = cli::ask(question, by_default);
    if (!answer) return fail(no_answer());
    return *answer;
  }
  bool are_asked() const { return is_asked_; }
  void tell(std::string_view text) const {
    if (is_asked_) std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  }

 private:
  const bool is_asked_ = can_ask();
};

Result<FirstEntity> ask_entity(const Questions& questions, const FirstDesign& design,
                               const std::string& name) {
  FirstEntity entity = workshop::usual_entity(name, design);
  questions.tell("\n" + name);
  TAVOLA_TRY(entity.hash, questions.ask("  Its " + design.hash + ", with fields in <…>?", entity.hash));
  if (!design.range.empty()) {
    TAVOLA_TRY(entity.range, questions.ask("  Its " + design.range + "?", entity.range));
  }
  TAVOLA_TRY(entity.attributes,
             questions.ask("  Attributes, like name!, price: number (! is required)?", entity.attributes));
  TAVOLA_TRY(entity.found_by, questions.ask("  Fields to find it by, besides its key?", ""));
  return entity;
}

// Asks again until the design is right with the entity.
Result<void> add_entity(const Questions& questions, FirstDesign& design, const std::string& name) {
  for (;;) {
    TAVOLA_TRY(FirstEntity entity, ask_entity(questions, design, name));
    design.entities.push_back(std::move(entity));
    const Result<workshop::Draft> draft = workshop::first_draft(design);
    const std::string wrong =
        draft ? errors_in(workshop::write(*draft), "the design") : draft.error().message();
    if (wrong.empty()) return {};
    if (!questions.are_asked()) {
      return fail(
          Error::validation("the usual answers give no valid design; give others with --name, --hash, "
                            "--range and --entity:\n\n" +
                            wrong));
    }
    questions.tell("\n" + wrong + "\nOnce more:");
    design.entities.pop_back();
  }
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(text) + ",") {
    if (c != ',' && c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

Result<workshop::Draft> from_answers(const InitOptions& options, const std::string& name) {
  const Questions questions;
  FirstDesign design;
  TAVOLA_TRY(design.name, questions.ask("Name of the design?", name));
  TAVOLA_TRY(design.table, questions.ask("Name of the table?", design.name));
  TAVOLA_TRY(design.hash,
             questions.ask("Attribute with the partition key?", options.hash.empty() ? "PK" : options.hash));
  TAVOLA_TRY(design.range, questions.ask("Attribute with the sort key (- for none)?",
                                         options.range.empty() ? "SK" : options.range));
  if (design.range == "-") design.range.clear();
  std::string by_default = "Item";
  if (!options.entities.empty()) by_default = joined(options.entities);
  TAVOLA_TRY(const std::string entities, questions.ask("Kinds of items, separated by commas?", by_default));
  for (const std::string& entity : words_in(entities)) TAVOLA_CHECK(add_entity(questions, design, entity));
  return workshop::first_draft(design);
}

// Gives each entity an example, made up: the design says nothing about real items.
void add_examples(workshop::Draft& draft) {
  const std::optional<design::Design> design = design::load(workshop::write(draft), "draft").design;
  if (!design) return;
  const auto add = [&](const design::Entity& entity, const Item& fields) -> Result<void> {
    const auto of = std::ranges::find(draft.entities, entity.name, &workshop::DraftEntity::name);
    if (of == draft.entities.end() || !of->examples.empty()) return {};
    TAVOLA_TRY(Item item, design::to_item(*design, entity, fields));
    std::erase_if(item, [&](const auto& attribute) {
      const std::string& name = attribute.first;
      const bool is_key =
          name == design->table.hash.name || (design->table.range && name == design->table.range->name);
      return !is_key && entity.find_field(name) == nullptr;
    });
    of->examples.push_back(std::move(item));
    return {};
  };
  static_cast<void>(workshop::sample(*design, {.now = kSampleTime}, add));  // the rest stays without
}

// Returns the text of the design, with what people need to go on.
std::string write_whole(workshop::Draft draft) {
  workshop::add_index_patterns(draft);
  workshop::explain_sections(draft);
  const std::string plain = workshop::write(draft);
  add_examples(draft);
  std::string text = workshop::write(draft);
  return errors_in(text, "draft").empty() ? text : plain;
}

Result<workshop::Draft> from_table(const InitOptions& options) {
  if (options.sources.size() != 1) {
    return fail(bad_parameter(
        "SOURCE", "name the file to write and one table: tavola design init FILE --from table TABLE"));
  }
  return draft_of_table({options.sources.front(), options.data, options.endpoint});
}

Result<workshop::Draft> from_samples(const InitOptions& options, const std::string& name) {
  if (options.sources.empty()) {
    return fail(bad_parameter(
        "SOURCE",
        "name the file to write and those with samples: tavola design init FILE --from samples SAMPLES…"));
  }
  TAVOLA_TRY(const std::vector<Item> items, read_sample_items(options.sources));
  TAVOLA_TRY(const TableDescription table,
             describe_sampled({.name = name, .hash = options.hash, .range = options.range}, items));
  return workshop::inferred(table, items);
}

Result<Output> written(const InitOptions& options) {
  const std::filesystem::path stem = std::filesystem::path(options.file).stem();
  const std::string name = !options.name.empty()  ? options.name
                           : options.file.empty() ? "Shop"
                                                  : stem.string();
  const std::string file = options.file.empty() ? name + ".yaml" : options.file;
  std::error_code ignored;  // a failure shows when the file is written
  if (!options.force && std::filesystem::exists(file, ignored)) {
    return fail(Error(ErrorCode::Io, file + " exists; --force replaces it, or name another file"));
  }
  Result<workshop::Draft> draft = options.from == "table"     ? from_table(options)
                                  : options.from == "samples" ? from_samples(options, name)
                                                              : from_answers(options, name);
  if (!draft) return fail(draft.error());
  const std::string text = write_whole(*std::move(draft));
  TAVOLA_CHECK(replace_file(file, text, kReadableByAll));
  Output output{.out = "wrote " + file + "\n\nNext:\n  tavola design check " + file +
                       "\n  tavola serve --design " + file + " --watch\n  tavola design docs " + file + "\n"};
  const std::string wrong = errors_in(text, file);
  if (wrong.empty()) return output;
  output.err = "The draft must be corrected by hand:\n\n" + wrong;
  output.exit_code = kFailed;
  return output;
}

}  // namespace

Output run(const InitOptions& options) {
  Result<Output> output = written(options);
  return output ? *std::move(output) : failed(output.error());
}

}  // namespace tavola::cli
