// tavola-text-analyzer serve: the pages, the address that announces uploads, and workers in the same process.
#pragma once

#include "server/log/log.h"
#include "server/process/stop_signals.h"
#include "systems/text-analyzer/options.h"

namespace tavola::text_analyzer {

// Serves until it is asked to stop. Returns the exit code of the program.
int serve(const AnalyzerOptions& options, server::Log& log, server::StopSignals& signals);

}  // namespace tavola::text_analyzer
