#include "systems/inventory/notices.h"

#include <algorithm>
#include <ranges>
#include <vector>

#include "base/timestamps.h"

namespace tavola::inventory {
namespace {

using inventory_outbox::Message;
using inventory_outbox::WriteRefusal;

// Notices are in the order of their times, and one that is written in the same moment may appear before one that is known. So older ones are looked
// at until they are this much older than the first that is known.
constexpr std::chrono::minutes kOverlap{10};
// A program that gets a mail server, or that stood still, does not send the notices of weeks.
constexpr std::chrono::hours kNewsFor{24};
constexpr std::size_t kKnownMax = 100'000;

std::string date_text(std::chrono::sys_days day) {
  return iso8601(WallTime(day.time_since_epoch())).substr(0, 10);
}

std::string counted(std::int64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

}  // namespace

std::string money_text(const Number& amount, const std::string& currency) {
  std::string text = amount.to_string();
  const std::size_t point = text.find('.');
  if (point == std::string::npos) text += ".00";
  if (point != std::string::npos && point + 2 == text.size()) text += '0';
  return currency.empty() ? text : text + " " + currency;
}

Result<int> MessageWriter::write_to(const Letter& letter, Message::Channel channel,
                                    const std::string& recipient) {
  const std::string id = letter.id + (channel == Message::Channel::email ? "-email" : "-webhook");
  const auto written = parts_.outbox.write({.shopId = letter.shop_id,
                                            .timestamp = letter.timestamp,
                                            .messageId = id,
                                            .channel = channel,
                                            .kind = letter.kind,
                                            .recipient = recipient,
                                            .subject = letter.subject,
                                            .text = letter.text,
                                            .nextAttempt = iso8601(parts_.clock.now())});
  if (written) return 1;
  if (inventory_outbox::refusal<WriteRefusal>(written.error()) == WriteRefusal::ALREADY_EXISTS) return 0;
  return fail(written.error());
}

Result<int> MessageWriter::write(const Letter& letter) {
  int count = 0;
  if (parts_.channels.email && letter.email) {
    TAVOLA_TRY(const int mails, write_to(letter, Message::Channel::email, *letter.email));
    count += mails;
  }
  if (parts_.channels.webhook && letter.phone) {
    TAVOLA_TRY(const int calls, write_to(letter, Message::Channel::webhook, *letter.phone));
    count += calls;
  }
  return count;
}

Result<MessageWriter::Letter> MessageWriter::letter_of(const inventory_system::Notification& notice) const {
  TAVOLA_TRY(const auto shop, parts_.inventory.getShop({.shopId = notice.shopId}));
  const std::string name = notice.productName.value_or(notice.productId);
  const std::string where = shop ? shop->name : notice.shopId;
  return Letter{.id = notice.notificationId,
                .shop_id = notice.shopId,
                .timestamp = notice.timestamp,
                .kind = Message::Kind::low_stock,
                .subject = where + ": " + name + " must be ordered",
                .text = "Only " + std::to_string(notice.currentStock) + " of " + name + " are left in " +
                        where + ". There should be at least " + std::to_string(notice.reorderThreshold) +
                        ".\n",
                .email = notice.email,
                .phone = notice.phone};
}

Result<int> MessageWriter::write_notices(const std::string& shop_id) {
  std::vector<inventory_system::Notification> fresh;
  // Notices before this moment are written, or too old to be news.
  std::string oldest = iso8601(parts_.clock.now() - kNewsFor);
  bool is_known = false;
  for (const auto& notice : parts_.inventory.notifications({.shopId = shop_id})) {  // the newest first
    TAVOLA_CHECK(notice);
    if (notice->timestamp < oldest) break;
    if (!known_.contains(notice->notificationId)) {
      fresh.push_back(*notice);
      continue;
    }
    if (is_known) continue;
    is_known = true;
    const auto time = parse_any_iso8601(notice->timestamp);
    oldest = std::max(oldest, time ? iso8601(*time - kOverlap) : notice->timestamp);
  }
  int count = 0;
  // Older ones come first: if the program ends in between, what is written is what is older.
  for (const auto& notice : fresh | std::views::reverse) {
    TAVOLA_TRY(const Letter letter, letter_of(notice));
    TAVOLA_TRY(const int written, write(letter));
    count += written;
    if (known_.size() >= kKnownMax) known_.clear();  // they are written again, which changes nothing
    known_.insert(notice.notificationId);
  }
  return count;
}

Result<MessageWriter::Letter> MessageWriter::summary_of(const inventory_system::Shop& shop,
                                                        const std::string& day) const {
  const std::string& zone = parts_.options.zone;
  TAVOLA_TRY(
      const auto days,
      parts_.inventory.salesReport({.shopId = shop.shopId, .zone = zone, .firstDay = day, .lastDay = day})
          .all());
  TAVOLA_TRY(const auto low, parts_.inventory.lowStock({.shopId = shop.shopId}).all());
  std::string text = "The day of " + shop.name + ", " + day + "\n\n";
  if (days.empty()) {
    text += "No sales.\n";
  } else {
    const auto& row = days.front();
    text += counted(row.sales, "sale") + ", " + counted(row.quantity, "piece") + ", revenue " +
            money_text(row.revenue, parts_.currency);
    text += row.average ? ", " + money_text(*row.average, parts_.currency) + " on average.\n" : ".\n";
  }
  text += low.empty() ? "\nNothing must be ordered.\n" : "\nTo be ordered:\n";
  for (const auto& product : low) {
    text += "- " + product.name + " (" + product.sku +
            "): " + std::to_string(product.currentStock.value_or(0)) + " left, at least " +
            std::to_string(product.reorderThreshold.value_or(0)) + " wanted\n";
  }
  return Letter{.id = "summary-" + day,
                .shop_id = shop.shopId,
                .timestamp = iso8601(parts_.clock.now()),
                .kind = Message::Kind::summary,
                .subject = shop.name + ": the day " + day,
                .text = std::move(text),
                .email = shop.notificationEmail,
                .phone = shop.notificationPhone};
}

Result<int> MessageWriter::write_summary(const std::string& shop_id) {
  const auto at = parse_time_of_day(parts_.options.summary_at);
  if (!at) return 0;
  TAVOLA_TRY(const auto zone, TimeZone::find(parts_.options.zone));
  const WallTime now = parts_.clock.now();
  const WallTime due = time_on(*zone, zone->day_at(now), *at);
  if (now < due) return 0;
  const std::string day = date_text(zone->day_at(now));
  std::string& last = summaries_[shop_id];
  if (last == day) return 0;
  TAVOLA_TRY(const auto shop, parts_.inventory.getShop({.shopId = shop_id}));
  if (!shop) return 0;
  TAVOLA_TRY(Letter letter, summary_of(*shop, day));
  // The key has the time: every program that writes the same day must make the same one.
  letter.timestamp = iso8601(due);
  TAVOLA_TRY(const int count, write(letter));
  last = day;
  return count;
}

WallTime time_on(const TimeZone& zone, std::chrono::sys_days day, std::chrono::seconds time_of_day) {
  const WallTime start = zone.start_of(day);
  const WallTime without_change = start + time_of_day;
  return without_change - (zone.offset_at(without_change) - zone.offset_at(start));
}

}  // namespace tavola::inventory
