// tavola-text-analyzer worker: analyses uploads, beside others that do.
#pragma once

#include "server/log/log.h"
#include "server/process/stop_signals.h"
#include "systems/text-analyzer/options.h"

namespace tavola::text_analyzer {

// Works until it is asked to stop, and then finishes the files that it has. Returns the exit code of the program.
int work(const AnalyzerOptions& options, server::Log& log, server::StopSignals& signals);

}  // namespace tavola::text_analyzer
