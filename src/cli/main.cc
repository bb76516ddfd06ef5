// tavola: one binary. The command line decides what it does.
#include <cstdio>
#include <exception>
#include <unistd.h>
#ifdef TAVOLA_STATIC
#include <nss.h>
#endif

#include "cli/command_line.h"

namespace tavola::cli {
namespace {

// Returns the output's exit code, or a failure if it could not be written: half an answer must not look like one.
int print(Output output, ColorMode color) {
  if (is_colored(color, STDERR_FILENO)) output.err = colored(output.err);
  if (is_colored(color, STDOUT_FILENO) && output.is_for_people) output.out = colored(output.out);
  std::fwrite(output.err.data(), 1, output.err.size(), stderr);
  const bool is_written = std::fwrite(output.out.data(), 1, output.out.size(), stdout) == output.out.size() &&
                          std::fflush(stdout) == 0;
  if (is_written) return output.exit_code;
  std::perror("tavola: cannot write the output");
  return kFailed;
}

struct Run {
  ColorMode color;

  // Completes the options of a server with what only the program knows.
  template <class Options>
  const Options& of_this_program(Options& options) const {
    options.colored_log = is_colored(color, STDERR_FILENO);
#ifdef TAVOLA_CONSOLE
    options.console_pages = http::embedded_assets();
#endif
    return options;
  }

  int operator()(const PrintText& text) const {
    return print(text.exit_code == 0 ? Output{.out = text.text}
                                     : Output{.err = text.text, .exit_code = text.exit_code},
                 color);
  }
  int operator()(server::ServeOptions options) const { return server::serve(of_this_program(options)); }
  int operator()(server::RemoteConsoleOptions options) const {
    return server::serve_console(of_this_program(options));
  }
  int operator()(const auto& options) const { return print(run(options), color); }
};

}  // namespace
}  // namespace tavola::cli

int main(int argc, char** argv) {
#ifdef TAVOLA_STATIC
  // Other modules that /etc/nsswitch.conf may name are shared libraries of the machine's libc, which need not fit this one.
  __nss_configure_lookup("hosts", "files dns");
#endif
  try {
    const tavola::cli::CommandLine line = tavola::cli::parse_command_line(argc, argv);
    return std::visit(tavola::cli::Run{line.color}, line.command);
  } catch (const std::exception& error) {  // out of memory, or of threads
    std::fprintf(stderr, "tavola: %s\n", error.what());
    return 1;
  }
}
