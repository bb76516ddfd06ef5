// tavola: one binary. The command line decides what it does.
#include <cstdio>
#include <exception>

#include "cli/command_line.h"

namespace tavola::cli {
namespace {

struct Run {
  int operator()(const PrintText& print) const {
    std::fputs(print.text.c_str(), print.exit_code == 0 ? stdout : stderr);
    return print.exit_code;
  }
  int operator()(const ServeOptions& options) const { return serve(options); }
  int operator()(const auto& options) const {
    const Output output = run(options);
    std::fwrite(output.out.data(), 1, output.out.size(), stdout);
    std::fwrite(output.told.data(), 1, output.told.size(), stderr);
    return output.exit_code;
  }
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
