#include "systems/inventory/alert_options.h"

#include <charconv>

#include "base/time_zone.h"

namespace tavola::inventory {
namespace {

Result<void> read_seconds(const std::string& text, std::chrono::seconds& into) {
  std::int64_t seconds = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (problem != std::errc() || end != text.data() + text.size() || seconds < 1 || seconds > 3600) {
    return fail(
        Error::validation("--retry-after must be a number of seconds from 1 to 3600 (was " + text + ")"));
  }
  into = std::chrono::seconds(seconds);
  return {};
}

}  // namespace

std::optional<std::chrono::minutes> parse_time_of_day(std::string_view text) {
  int hour = 0;
  int minute = 0;
  const char* const begin = text.data();
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  if (std::from_chars(begin, begin + 2, hour).ptr != begin + 2) return std::nullopt;
  if (std::from_chars(begin + 3, begin + 5, minute).ptr != begin + 5) return std::nullopt;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return std::nullopt;
  return std::chrono::hours(hour) + std::chrono::minutes(minute);
}

std::vector<systems::Option> alert_options(AlertOptions& options) {
  using systems::text_option;
  return {
      text_option("--smtp", "URL",
                  "Send e-mails by this server: smtps://HOST:465, or smtp://HOST:587 with STARTTLS",
                  options.smtp_url),
      text_option("--smtp-user", "NAME", "User at the mail server", options.smtp_user),
      text_option("--smtp-password-file", "FILE", "File with the password of --smtp-user",
                  options.smtp_password_file),
      text_option("--smtp-ca", "FILE",
                  "Certificates (PEM) to trust at the mail server and the webhook, besides the machine's",
                  options.smtp_ca),
      text_option("--mail-from", "ADDRESS", "Sender of the e-mails", options.mail_from),
      text_option("--webhook", "URL", "Send short messages for telephones to this URL, as JSON by POST",
                  options.webhook_url),
      text_option("--webhook-secret-file", "FILE", "File with the secret that signs them",
                  options.webhook_secret_file),
      text_option("--summary-at", "HH:MM", "Send each shop a summary of its day at this time",
                  options.summary_at),
      text_option("--zone", "ZONE",
                  "Time zone of summaries and reports, for example Europe/Berlin. By default UTC",
                  options.zone),
      {"--retry-after", "SECONDS", "First pause after a message could not be sent; it doubles. By default 10",
       [&options](const std::string& text) { return read_seconds(text, options.retry_first); }},
  };
}

Result<void> check_alert_options(const AlertOptions& options) {
  TAVOLA_CHECK(TimeZone::find(options.zone));
  if (!options.summary_at.empty() && !parse_time_of_day(options.summary_at)) {
    return fail(
        Error::validation("--summary-at must be a time such as 18:00 (was " + options.summary_at + ")"));
  }
  if (!options.webhook_url.empty() && !options.webhook_url.starts_with("https://") &&
      !options.webhook_url.starts_with("http://")) {
    return fail(
        Error::validation("--webhook must begin with https:// or http:// (was " + options.webhook_url + ")"));
  }
  if (options.smtp_url.empty()) return {};
  const bool is_tls = options.smtp_url.starts_with("smtps://");
  if (!is_tls && !options.smtp_url.starts_with("smtp://")) {
    return fail(
        Error::validation("--smtp must begin with smtps:// or smtp:// (was " + options.smtp_url + ")"));
  }
  if (options.mail_from.empty())
    return fail(Error::validation("--smtp needs --mail-from, the sender of the e-mails"));
  if (options.smtp_user.empty() != options.smtp_password_file.empty()) {
    return fail(Error::validation("--smtp-user and --smtp-password-file belong together; give both"));
  }
  return {};
}

}  // namespace tavola::inventory
