// The options that the commands which read pages share.
#pragma once

#include <memory>

#include "commands.h"
#include "options.h"
#include "work/webhook.h"
#include "work/worker.h"

namespace crawler {

// Fails with Validation if an option is out of range.
tavola::Result<WorkerOptions> worker_options(Work work, const GivenOptions& given);

// Returns the webhook of --on-change; null without it. Fails with Validation if there is no secret to sign with.
tavola::Result<std::unique_ptr<Webhook>> open_webhook(const GivenOptions& given);

// Waits for deliveries as long as --deliver-for says, and prints how many are left.
tavola::Result<void> wait_for_deliveries(const CommandContext& context, Webhook& webhook);

// The jobs of a kind of work; `webhook` may be null.
Worker::MakeJob jobs_of(Work work, Webhook* webhook);

}  // namespace crawler
