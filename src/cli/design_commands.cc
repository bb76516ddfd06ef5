#include "cli/design_commands.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/joined.h"
#include "design/language/diagnostic.h"
#include "design/language/json_schema.h"
#include "design/lint/lint.h"
#include "server/design_file.h"
#include "workshop/cost/plan.h"
#include "workshop/cost/prices.h"
#include "workshop/diff/diff.h"
#include "workshop/docs/docs.h"
#include "workshop/exchange/table_definitions.h"
#include "workshop/gen/gen_cpp.h"
#include "workshop/gen/gen_py.h"
#include "workshop/gen/gen_ts.h"
#include "workshop/gen/gen_ts_v1.h"
#include "yaml/write.h"

namespace tavola::cli {
namespace {

std::string counted_findings(std::size_t count, std::string_view one) {
  return std::to_string(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}

// "2 errors, 1 lint in 3 files"
std::string summary(const std::vector<design::Diagnostic>& diagnostics, std::size_t files) {
  const auto errors = static_cast<std::size_t>(
      std::ranges::count(diagnostics, design::Severity::Error,
                         [](const design::Diagnostic& diagnostic) { return diagnostic.severity; }));
  return counted_findings(errors, "error") + ", " + counted_findings(diagnostics.size() - errors, "lint") +
         " in " + counted_findings(files, "file") + "\n";
}

// designs/x.cases.yaml holds the test cases of designs/x.yaml: a pattern like designs/*.yaml finds both.
bool is_cases_file(const std::string& file) { return file.ends_with(".cases.yaml"); }

std::string skipped(const std::string& file) {
  return "note: skipped " + file + ", which holds test cases\n";
}

// Returns whether a file of cases is beside the design: shop.cases.yaml beside shop.yaml.
bool has_cases(const std::string& file) {
  std::filesystem::path cases = file;
  cases.replace_extension(".cases.yaml");
  std::error_code unreadable;
  return std::filesystem::exists(cases, unreadable);
}

// Adds the lints that need more than one file to be seen.
void lint_files(std::vector<server::DesignFile>& files, const std::vector<std::string>& names) {
  std::vector<const design::Design*> designs;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto& design = files[i].loaded.design;
    if (!design) continue;
    designs.push_back(&*design);
    if (!has_cases(names[i]))
      std::ranges::move(design::lint_untested(*design), std::back_inserter(files[i].loaded.diagnostics));
  }
  for (design::Diagnostic& lint : design::lint_together(designs)) {
    const auto file = std::ranges::find_if(files, [&](const server::DesignFile& one) {
      return one.loaded.design && one.loaded.design->file == lint.file;
    });
    if (file != files.end()) file->loaded.diagnostics.push_back(std::move(lint));
  }
}

// An error of YAML itself, in the form of all other diagnostics.
Error not_yaml(const std::string& file, const yaml::Problem& problem) {
  return Error::validation(file + ":" + std::to_string(problem.span.begin.line) + ":" +
                           std::to_string(problem.span.begin.column) + ": " + problem.message + " (" +
                           std::string(problem.code) + ")");
}

// Some other file that happens to be YAML is not changed.
Error not_a_design(const std::string& file) {
  return Error::validation(file + " is not a design: it has no sections like `name:` and `table:`");
}

Result<void> write_file(const std::string& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text << std::flush;
  if (!out) return fail(Error(ErrorCode::Io, "cannot write " + file));
  return {};
}

// Suggests `closed`, unless every entity has it.
std::string open_entities(const design::Design& design) {
  std::vector<std::string> names;
  for (const design::Entity& entity : design.entities) {
    if (!entity.closed) names.push_back(entity.name);
  }
  if (names.empty()) return {};
  return "note: " + design.file + ": " + joined(names) + (names.size() == 1 ? " accepts" : " accept") +
         " undeclared attributes; `closed: true` refuses them\n";
}

// Calls `make` with the design in the file.
template <class Make>
Output from_design(const std::string& file, const std::string& table, Make make) {
  const Result<design::Design> design = server::runnable_design(file, table);
  if (!design) return failed(design.error());
  return make(*design);
}

}  // namespace

Output run(const CheckOptions& options) {
  Output output{.is_for_people = options.format == "text"};
  std::vector<server::DesignFile> files;
  std::vector<std::string> names;
  for (const std::string& file : options.files) {
    if (is_cases_file(file)) {
      output.err += skipped(file);
      continue;
    }
    Result<server::DesignFile> read = server::read_design_file(file);
    if (!read) return failed(read.error());
    files.push_back(*std::move(read));
    names.push_back(file);
  }
  lint_files(files, names);
  std::vector<design::Diagnostic> all;
  std::string text;
  for (const server::DesignFile& file : files) {
    const std::string problems = server::problems_text(file);
    if (!problems.empty()) text += problems + "\n";
    std::ranges::copy(file.loaded.diagnostics, std::back_inserter(all));
    if (file.loaded.design) output.err += open_entities(*file.loaded.design);
  }
  const bool fails = design::has_errors(all) || (options.lints_fail && !all.empty());
  output.exit_code = fails ? kFailed : 0;
  if (options.format == "json") {
    output.out = design::to_json(all) + "\n";
  } else if (options.format == "sarif") {
    output.out = design::to_sarif(all) + "\n";
  } else {
    output.out = text + summary(all, files.size());
  }
  return output;
}

Output run(const FormatOptions& options) {
  Output output;
  for (const std::string& file : options.files) {
    if (is_cases_file(file)) {
      output.err += skipped(file);
      continue;
    }
    const Result<std::string> text = server::read_text(file);
    if (!text) return failed(text.error());
    const yaml::Document document = yaml::parse(*text);
    if (!document.problems.empty()) return failed(not_yaml(file, document.problems.front()));
    if (document.root.kind != yaml::Kind::Map) return failed(not_a_design(file));
    const std::string laid_out = yaml::write(document);
    const bool is_filter = file == "-" && !options.check;  // what came in goes out
    if (is_filter) output.out += laid_out;
    if (is_filter || laid_out == *text) continue;
    output.out += file + "\n";
    if (options.check) {
      output.exit_code = kFailed;
    } else if (const Result<void> written = write_file(file, laid_out); !written) {
      return failed(written.error());
    }
  }
  return output;
}

Output run(const DocsOptions& options) {
  return from_design(options.file, {},
                     [](const design::Design& design) { return Output{.out = workshop::docs(design)}; });
}

Output run(const SchemaOptions& options) {
  if (options.format == "json-schema") return {.out = design::json_schema() + "\n"};
  if (options.file.empty()) {
    return {.err = "tavola: design schema --format " + options.format +
                   " needs the file of a design: tavola design schema FILE\n",
            .exit_code = kUsageError};
  }
  return from_design(options.file, options.table, [&options](const design::Design& design) {
    if (options.format == "cloudformation") return Output{.out = workshop::cloud_formation(design)};
    if (options.format == "terraform") return Output{.out = workshop::terraform(design)};
    return Output{.out = workshop::create_table_json(design)};
  });
}

Output run(const PlanOptions& options) {
  return from_design(options.file, {}, [&options](const design::Design& design) {
    Result<std::string> text = std::string(workshop::standard_prices());
    if (!options.prices.empty()) text = server::read_text(options.prices);
    if (!text) return failed(text.error());
    const Result<workshop::Prices> prices = workshop::parse_prices(*text);
    if (!prices) return failed(prices.error());
    const Result<workshop::CapacityPlan> plan = workshop::plan_capacity(design, *prices);
    if (!plan) return failed(plan.error());
    return Output{.out =
                      options.format == "json" ? workshop::to_json(*plan) + "\n" : workshop::to_text(*plan)};
  });
}

Output run(const DiffOptions& options) {
  const Result<design::Design> before = server::runnable_design(options.before);
  const Result<design::Design> after = server::runnable_design(options.after);
  if (!before || !after) {
    Output output = failed(before ? after.error() : before.error());
    output.exit_code = kTrouble;
    return output;
  }
  const std::vector<workshop::Difference> differences = workshop::diff(*before, *after);
  const bool breaks = std::ranges::find(differences, workshop::Difference::Class::Breaks,
                                        &workshop::Difference::what) != differences.end();
  const bool as_json = options.format == "json";
  return {.out = as_json ? workshop::to_json(differences) + "\n" : workshop::to_text(differences),
          .exit_code = breaks ? kFailed : 0,
          .is_for_people = !as_json};
}

Output run(const GenerateOptions& options) {
  const Result<server::RunnableFile> file = server::runnable_file(options.file);
  if (!file) return failed(file.error());
  if (options.by_name && options.language != "ts") {
    return failed(
        Error::validation("--v1 is for TypeScript: the code of other languages has both ways in one file"));
  }
  std::string code = options.by_name            ? workshop::gen_ts_v1(file->design)
                     : options.language == "ts" ? workshop::gen_ts(file->design)
                     : options.language == "py" ? workshop::gen_py(file->design)
                                                : workshop::gen_cpp(file->design, file->text);
  if (options.output.empty()) return {.out = std::move(code)};
  const Result<void> written = replace_file(options.output, code, kByUmask);
  return written ? Output() : failed(written.error());
}

}  // namespace tavola::cli
