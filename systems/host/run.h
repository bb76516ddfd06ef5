// Runs an application until it is asked to stop.
#pragma once

#include "server/log/log.h"
#include "server/stop_signals.h"
#include "systems/host/application.h"

namespace tavola::systems {

// Starts the application, says where it is, waits for SIGINT or SIGTERM and stops it in order. Returns the exit code of the program.
int serve_until_stopped(Application& application, const HostOptions& options, const std::string& title,
                        server::StopSignals& signals, server::Log& log);

}  // namespace tavola::systems
