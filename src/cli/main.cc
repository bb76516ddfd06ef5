// tavola: one binary. The command line decides what it does.
#include <cstdio>

#include "cli/command_line.h"

namespace tavola::cli {
namespace {

struct Run {
  int operator()(const PrintText& print) const {
    std::fputs(print.text.c_str(), print.exit_code == 0 ? stdout : stderr);
    return print.exit_code;
  }
  int operator()(const ServeOptions& options) const { return serve(options); }
};

}  // namespace
}  // namespace tavola::cli

int main(int argc, char** argv) {
  return std::visit(tavola::cli::Run{}, tavola::cli::parse_command_line(argc, argv));
}
