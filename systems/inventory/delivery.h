// Sends one message: by mail (RFC 5321, with TLS and login) or to a webhook. Both wait until the other side has accepted it.
#pragma once

#include <chrono>
#include <string>

#include <tavola/error.h>

#include "systems/inventory/alert_options.h"

namespace tavola::inventory {

// One message as it leaves. Its id is the same for every attempt: receivers can drop a second one.
struct Outgoing {
  std::string id;
  std::string kind;
  std::string shop_id;
  std::string recipient;
  std::string subject;
  std::string text;
  std::string timestamp;
};

// The routes of messages. Thread safety: all methods.
class Delivery {
 public:
  // Reads the password and the secret. Fails with a message for people.
  static Result<Delivery> open(const AlertOptions& options);

  bool sends_mail() const { return !options_.smtp_url.empty(); }
  bool sends_webhook() const { return !options_.webhook_url.empty(); }

  Result<void> send_mail(const Outgoing& message) const;
  Result<void> send_webhook(const Outgoing& message) const;

 private:
  explicit Delivery(AlertOptions options) : options_(std::move(options)) {}

  AlertOptions options_;
  std::string password_;
  std::string secret_;
};

// Returns the message as RFC 5322 writes it, with lines that end in CR LF. Texts may have any characters: headers are encoded as in RFC 2047, the
// text in base64.
std::string mail_text(const Outgoing& message, const std::string& from);
// Returns the body of the webhook.
std::string webhook_body(const Outgoing& message);

}  // namespace tavola::inventory
