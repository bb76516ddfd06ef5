// `tavola design …` and `tavola gen`: commands on the file of a design. They return their texts, so that a test can read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tavola/time.h>

#include "cli/output/command_output.h"

namespace tavola::cli {

// Samples lie before this moment, whenever they are made: the same seed gives the same data.
inline constexpr WallTime kSampleTime{std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)};

struct CheckOptions {
  std::vector<std::string> files{};
  std::string format = "text";  // or json, sarif
  bool lints_fail = false;
};
struct FormatOptions {
  std::vector<std::string> files{};
  bool check = false;
};
struct TestOptions {
  std::vector<std::string> files{};  // or folders
  std::string filter{};
  std::string junit{};  // the file that gets the results as XML; empty: none
  std::string format = "text";
  std::string endpoint{};  // empty: in memory
};
struct DocsOptions {
  std::string file{};
};
struct ExplainOptions {
  std::string file{};
  std::string name{};                    // of a pattern or an operation
  std::vector<std::string> arguments{};  // k=v
  std::string format = "text";           // or json
  std::string found{};  // a file with the items that the operation reads first; "-": standard input
  std::string table{};
  bool upstream = false;  // what operations cost more through a server with --upstream
  std::string clock{};
};
struct SchemaOptions {
  std::string file{};
  std::string format = "create-table";
  std::string table{};
};
struct PlanOptions {
  std::string file{};
  std::string prices{};
  std::string format = "text";
};
struct DiffOptions {
  std::string before{};
  std::string after{};
  std::string format = "text";
};
struct ImportOptions {
  std::string format{};
  std::string file{};
};
struct ExportOptions {
  std::string format{};
  std::string file{};
};
struct InferOptions {
  std::string table{};
  std::string data{};
  std::string endpoint{};
};
struct SampleOptions {
  std::string file{};
  std::string size = "small";
  std::uint64_t seed = 1;
  std::string format = "json-lines";
};
struct GenerateOptions {
  std::string language{};
  std::string file{};
  std::string output{};  // empty: standard output
  bool by_name = false;  // TypeScript for /v1 alone
};

Output run(const CheckOptions& options);
Output run(const FormatOptions& options);
// The exit code is 1 if a case failed, and 2 if a file is wrong or no case was found.
Output run(const TestOptions& options);
Output run(const DocsOptions& options);
Output run(const ExplainOptions& options);
Output run(const SchemaOptions& options);
Output run(const PlanOptions& options);
Output run(const DiffOptions& options);
Output run(const ImportOptions& options);
Output run(const ExportOptions& options);
Output run(const InferOptions& options);
Output run(const SampleOptions& options);
Output run(const GenerateOptions& options);

}  // namespace tavola::cli
