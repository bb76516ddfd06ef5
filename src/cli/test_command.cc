// `tavola design test`.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "cases/report.h"
#include "cases/run_cases.h"
#include "cli/design_commands.h"
#include "server/design_file.h"

namespace tavola::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".cases.yaml";

Output trouble(const Error& error) {
  Output output = failed(error);
  output.exit_code = kTrouble;
  return output;
}

// Returns the *.cases.yaml of a folder, sorted; those of the current one without "./".
std::vector<std::string> cases_in(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code ignored;  // a folder that cannot be read has no files
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(kSuffix)) files.push_back((folder == "." ? fs::path(name) : folder / name).string());
  }
  std::ranges::sort(files);
  return files;
}

// A design stands for its cases: shop.yaml for shop.cases.yaml.
std::string cases_of(const std::string& name) {
  if (!name.ends_with(".yaml") || name.ends_with(kSuffix)) return name;
  return name.substr(0, name.size() - std::string_view(".yaml").size()) + std::string(kSuffix);
}

Result<std::vector<std::string>> files_of(const std::vector<std::string>& given) {
  std::vector<std::string> files;
  for (const std::string& name : given.empty() ? std::vector<std::string>{".", "designs"} : given) {
    std::error_code ignored;  // a file that is missing fails when it is read
    if (!fs::is_directory(name, ignored)) {
      if (!given.empty()) files.push_back(cases_of(name));
      continue;
    }
    const std::vector<std::string> found = cases_in(name);
    if (found.empty() && !given.empty())
      return fail(Error::validation("the folder " + name + " has no *.cases.yaml"));
    files.insert(files.end(), found.begin(), found.end());
  }
  std::set<std::string> seen;  // designs/*.yaml names a design and its cases
  std::erase_if(files, [&seen](const std::string& name) { return !seen.insert(name).second; });
  if (files.empty()) {
    return fail(
        Error::validation("there are no *.cases.yaml in this folder or in designs; name a file or a folder"));
  }
  return files;
}

// Reads all files. Fails with the mistakes of all of them.
Result<std::vector<cases::CaseFile>> read_files(const std::vector<std::string>& names) {
  std::vector<cases::CaseFile> files;
  std::string wrong;
  for (const std::string& name : names) {
    const Result<std::string> text = server::read_text(name);
    Result<cases::CaseFile> file =
        text ? cases::read_case_file(
                   *text, name, [](const std::string& design) { return server::runnable_design(design); })
             : Result<cases::CaseFile>(fail(text.error()));
    if (file) {
      files.push_back(*std::move(file));
    } else {
      wrong += (wrong.empty() ? "" : "\n") + name + " cannot be run:\n" + file.error().message();
      if (!wrong.ends_with('\n')) wrong += '\n';
    }
  }
  if (!wrong.empty()) return fail(Error::validation(std::move(wrong)));
  return files;
}

Result<cases::RunOptions> options_of(const TestOptions& options, const std::vector<cases::CaseFile>& files) {
  cases::RunOptions run{.open = cases::in_memory(),
                        .threads = std::max(1U, std::thread::hardware_concurrency()),
                        .filter = options.filter};
  if (options.endpoint.empty()) return run;
  TAVOLA_TRY(run.open, cases::at_server(options.endpoint, files));
  run.threads = 1;            // the cases share a table and the time of the server
  run.knows_callers = false;  // the protocol of DynamoDB does not name them
  return run;
}

Result<void> write_junit(const std::string& file, const std::vector<cases::FileResult>& results) {
  if (file.empty()) return {};
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << cases::to_junit(results) << std::flush;
  if (!out) return fail(Error(ErrorCode::Io, "cannot write " + file));
  return {};
}

Result<Output> tested(const TestOptions& options) {
  TAVOLA_TRY(const std::vector<std::string> names, files_of(options.files));
  TAVOLA_TRY(const std::vector<cases::CaseFile> files, read_files(names));
  TAVOLA_TRY(const cases::RunOptions how, options_of(options, files));
  const std::vector<cases::FileResult> results = cases::run_cases(files, how);
  const cases::Counts counts = cases::counts(results);
  if (counts.passed + counts.failed + counts.skipped == 0) {
    return fail(
        Error::validation("no case has " + options.filter + " in its name or among its requirements"));
  }
  TAVOLA_CHECK(write_junit(options.junit, results));
  const bool as_json = options.format == "json";
  return Output{.out = as_json ? cases::to_json(results) : cases::to_text(results),
                .exit_code = counts.failed == 0 ? 0 : kFailed,
                .is_for_people = !as_json};
}

}  // namespace

Output run(const TestOptions& options) {
  Result<Output> output = tested(options);
  return output ? *std::move(output) : trouble(output.error());
}

}  // namespace tavola::cli
