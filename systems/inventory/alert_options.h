// The options of messages: how they are delivered, by mail or to a webhook, and the hour of the daily summary.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <tavola/error.h>

#include "systems/host/options.h"

namespace tavola::inventory {

struct AlertOptions {
  std::string
      smtp_url;  // smtps://mail.example:465 or smtp://mail.example:587 (STARTTLS); empty: no mail is sent
  std::string smtp_user;           // empty: no login
  std::string smtp_password_file;  // one line
  std::string smtp_ca;             // further trusted certificates (PEM)
  std::string mail_from;
  std::string webhook_url;               // empty: no message goes to telephones
  std::string webhook_secret_file;       // signs what is sent
  std::string summary_at;                // "18:00": when the daily summary is written; empty: never
  std::string zone = "UTC";              // of summaries and reports
  std::chrono::seconds retry_first{10};  // after the first failure; twice as long after each further one
};

// Returns the options that fill in `options`, which must outlive them.
std::vector<systems::Option> alert_options(AlertOptions& options);
// Fails if an option is missing that another one needs, or has no sense.
Result<void> check_alert_options(const AlertOptions& options);
// Returns the minutes after midnight of "18:00"; nullopt for any other form.
std::optional<std::chrono::minutes> parse_time_of_day(std::string_view text);

}  // namespace tavola::inventory
