#include "server/design_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/utf8.h"

namespace tavola::server {
namespace {

std::string all_of(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

void name_table(design::Table& table, const std::string& name) {
  if (!name.empty()) {
    table.name = name;
    return;
  }
  if (table.name_env.empty()) return;
  const char* in_environment = std::getenv(table.name_env.c_str());
  if (in_environment != nullptr && *in_environment != '\0') table.name = in_environment;
}

}  // namespace

Result<std::string> read_text(const std::string& file) {
  std::string text;
  if (file == "-") {
    text = all_of(std::cin);
  } else {
    if (std::error_code ignored; std::filesystem::is_directory(file, ignored)) {
      return fail(Error(ErrorCode::Io, file + " is a directory; name a file in it"));
    }
    std::ifstream in(file, std::ios::binary);
    if (!in) return fail(Error(ErrorCode::Io, "cannot read " + file + ": " + std::strerror(errno)));
    text = all_of(in);
  }
  if (!is_utf8(text)) return fail(Error::validation(file + " is not UTF-8 text"));
  return text;
}

Result<DesignFile> read_design_file(const std::string& file) {
  TAVOLA_TRY(std::string text, read_text(file));
  design::Loaded loaded = design::load(text, file);
  return DesignFile{std::move(text), std::move(loaded)};
}

std::string problems_text(const DesignFile& file) {
  constexpr std::size_t kShownMax = 20;
  const std::vector<design::Diagnostic>& all = file.loaded.diagnostics;
  std::string out;
  for (std::size_t i = 0; i < std::min(all.size(), kShownMax); ++i) {
    out += (out.empty() ? "" : "\n") + design::to_text(all[i], file.text);
  }
  if (all.size() > kShownMax) {
    out += "\n" + all.front().file + ": " + std::to_string(all.size() - kShownMax) +
           " more problems are not shown; `tavola design check --format json` lists all\n";
  }
  return out;
}

Result<RunnableFile> runnable_file(const std::string& file, const std::string& table) {
  TAVOLA_TRY(DesignFile read, read_design_file(file));
  if (!read.loaded.design) {
    std::erase_if(read.loaded.diagnostics, [](const design::Diagnostic& diagnostic) {
      return diagnostic.severity != design::Severity::Error;
    });
    return fail(Error::validation(file + " has errors:\n\n" + problems_text(read)));
  }
  RunnableFile runnable{std::move(read.text), *std::move(read.loaded.design)};
  name_table(runnable.design.table, table);
  return runnable;
}

Result<design::Design> runnable_design(const std::string& file, const std::string& table) {
  TAVOLA_TRY(RunnableFile runnable, runnable_file(file, table));
  return std::move(runnable.design);
}

}  // namespace tavola::server
