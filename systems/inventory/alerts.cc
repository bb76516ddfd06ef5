#include "systems/inventory/alerts.h"

#include <algorithm>
#include <vector>

#include "base/timestamps.h"

namespace tavola::inventory {
namespace {

using inventory_outbox::ClaimRefusal;
using inventory_outbox::MarkFailed;
using inventory_outbox::Message;

constexpr std::size_t kErrorBytesMax = 400;

std::string_view channel_name(Message::Channel channel) {
  return channel == Message::Channel::email ? "email" : "webhook";
}

// A server's words may be any bytes; the table takes UTF-8.
std::string storable(std::string text) {
  text.resize(std::min(text.size(), kErrorBytesMax));
  std::ranges::replace_if(text, [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return text;
}

Outgoing outgoing(const Message& message) {
  return {.id = message.messageId,
          .kind = message.kind == Message::Kind::low_stock ? "low-stock" : "summary",
          .shop_id = message.shopId,
          .recipient = message.recipient,
          .subject = message.subject,
          .text = message.text,
          .timestamp = message.timestamp};
}

}  // namespace

Alerts::Alerts(Parts parts) : parts_(std::move(parts)), thread_([this] { run(); }) {}

Alerts::~Alerts() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Alerts::wake(const std::string& shop_id) {
  {
    const std::scoped_lock lock(mutex_);
    changed_shops_.insert(shop_id);
  }
  changed_.notify_one();
}

void Alerts::run() {
  for (;;) {
    {
      const std::scoped_lock lock(mutex_);
      if (is_stopping_) return;
    }
    if (const auto written = write_messages(); !written)
      parts_.log.error("messages could not be written", {{"error", written.error().message()}});
    const auto next = send_messages();
    if (!next) parts_.log.error("messages could not be sent", {{"error", next.error().message()}});
    const std::chrono::milliseconds pause =
        next ? std::clamp<std::chrono::milliseconds>(*next - parts_.clock.now(),
                                                     std::chrono::milliseconds(50), kPause)
             : kPause;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, pause, [this] { return !changed_shops_.empty() || is_stopping_; });
  }
}

Result<std::vector<std::string>> Alerts::shops_to_look_at() {
  std::set<std::string> changed;
  {
    const std::scoped_lock lock(mutex_);
    changed.swap(changed_shops_);
  }
  const auto now = std::chrono::steady_clock::now();
  if (looked_at_all_ && now - *looked_at_all_ < kPause)
    return std::vector<std::string>(changed.begin(), changed.end());
  looked_at_all_ = now;
  return parts_.shops.ids();
}

Result<void> Alerts::write_messages() {
  TAVOLA_TRY(const std::vector<std::string> shops, shops_to_look_at());
  int count = 0;
  Result<void> all;  // one shop whose message cannot be written does not keep the others from theirs
  for (const std::string& shop : shops) {
    for (const Result<int>& written :
         {parts_.writer.write_notices(shop), parts_.writer.write_summary(shop)}) {
      if (!written) all = fail(written.error());
      count += written.value_or(0);
    }
  }
  if (count > 0 && parts_.changed) parts_.changed();
  return all;
}

Result<WallTime> Alerts::send_messages() {
  const WallTime now = parts_.clock.now();
  WallTime next = now + kPause;
  for (const auto& message : parts_.outbox.waitingMessages()) {
    TAVOLA_CHECK(message);
    const WallTime due = parse_any_iso8601(message->nextAttempt).value_or(now);
    if (due > now) {
      next = std::min(next, due);
      break;  // all others are due later
    }
    {
      const std::scoped_lock lock(mutex_);
      if (is_stopping_) return now;
    }
    TAVOLA_TRY(const std::optional<WallTime> again, send(*message));
    if (again) next = std::min(next, *again);
  }
  return next;
}

WallTime Alerts::later(const Message& message, WallTime now) const {
  std::chrono::seconds pause = parts_.retry_first;
  for (std::int64_t attempt = 0; attempt < message.attempts.value_or(0) && pause < kLongestPause; ++attempt)
    pause *= 2;
  return now + std::min<std::chrono::seconds>(pause, kLongestPause);
}

Result<std::optional<WallTime>> Alerts::send(const Message& message) {
  const WallTime now = parts_.clock.now();
  const auto claimed = parts_.outbox.claim({.shopId = message.shopId,
                                            .timestamp = message.timestamp,
                                            .messageId = message.messageId,
                                            .seen = message.nextAttempt,
                                            .until = iso8601(now + kClaim)});
  if (!claimed) {
    if (inventory_outbox::refusal<ClaimRefusal>(claimed.error()))
      return std::nullopt;  // another program has it
    return fail(claimed.error());
  }
  const bool is_mail = message.channel == Message::Channel::email;
  const Result<void> sent = is_mail ? parts_.delivery.send_mail(outgoing(message))
                                    : parts_.delivery.send_webhook(outgoing(message));
  std::optional<WallTime> again;
  if (sent) {
    TAVOLA_CHECK(parts_.outbox.markSent(
        {.shopId = message.shopId, .timestamp = message.timestamp, .messageId = message.messageId}));
    parts_.log.info("message sent", {{"id", message.messageId}, {"channel", channel_name(message.channel)}});
  } else {
    const WallTime cause = parse_any_iso8601(message.timestamp).value_or(now);
    const bool is_over = now - cause > kGiveUpAfter;
    const WallTime next = later(message, now);
    if (!is_over) again = next;
    TAVOLA_CHECK(parts_.outbox.markFailed(
        {.shopId = message.shopId,
         .timestamp = message.timestamp,
         .messageId = message.messageId,
         .lastError = storable(sent.error().message()),
         .nextAttempt = iso8601(next),
         .state = is_over ? MarkFailed::State::GIVEN_UP : MarkFailed::State::WAITING}));
    parts_.log.warning(is_over ? "message given up" : "message could not be sent",
                       {{"id", message.messageId}, {"error", sent.error().message()}});
  }
  if (parts_.changed) parts_.changed();
  return again;
}

}  // namespace tavola::inventory
