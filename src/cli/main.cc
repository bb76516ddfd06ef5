// tavola: one binary. The command line decides what it does.
#include <cstdio>
#include <exception>

#include "cli/command_line.h"

namespace tavola::cli {
namespace {

// Leaves with the output's exit code, unless it could not be written: half an answer must not look like one.
int print(const Output& output) {
  std::fwrite(output.told.data(), 1, output.told.size(), stderr);
  const bool is_written = std::fwrite(output.out.data(), 1, output.out.size(), stdout) == output.out.size() &&
                          std::fflush(stdout) == 0;
  if (is_written) return output.exit_code;
  std::perror("tavola: cannot write the output");
  return kFailed;
}

struct Run {
  int operator()(const PrintText& text) const {
    return print(text.exit_code == 0 ? Output{.out = text.text}
                                     : Output{.told = text.text, .exit_code = text.exit_code});
  }
  int operator()(const server::ServeOptions& options) const { return server::serve(options); }
  int operator()(const auto& options) const { return print(run(options)); }
};

}  // namespace
}  // namespace tavola::cli

int main(int argc, char** argv) {
  try {
    return std::visit(tavola::cli::Run{}, tavola::cli::parse_command_line(argc, argv));
  } catch (const std::exception& error) {  // out of memory, or of threads
    std::fprintf(stderr, "tavola: %s\n", error.what());
    return 1;
  }
}
