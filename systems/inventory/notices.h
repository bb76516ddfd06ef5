// Messages from their causes: the design's notices of low stock, and the days of shops. A cause makes the same messages whenever it is seen, with the
// same ids, so that writing them again changes nothing.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>

#include <tavola/error.h>

#include "base/clock.h"
#include "base/time_zone.h"
#include "generated/inventory_outbox.h"
#include "generated/inventory_system.h"
#include "systems/inventory/alert_options.h"

namespace tavola::inventory {

// The channels that this program has.
struct Channels {
  bool email = false;
  bool webhook = false;
};

// Returns an amount for people, with two digits after the point at least: "12.50 EUR"; "12.50" without a currency.
std::string money_text(const Number& amount, const std::string& currency);

// Thread safety: one thread at a time. Borrows the designs and the clock.
class MessageWriter {
 public:
  struct Parts {
    const inventory_system::InventorySystem& inventory;
    const inventory_outbox::InventoryOutbox& outbox;
    AlertOptions options;
    std::string currency;  // of all prices; empty: not known
    Channels channels;
    const Clock& clock = Clock::system();
  };
  explicit MessageWriter(Parts parts) : parts_(std::move(parts)) {}

  // Writes the messages of all notices of a shop that have none. Returns how many there were.
  Result<int> write_notices(const std::string& shop_id);
  // Writes the summary of a shop's day, if its time has come and it is not written. Returns how many messages there were.
  Result<int> write_summary(const std::string& shop_id);

 private:
  struct Letter {
    std::string id;
    std::string shop_id;
    std::string timestamp;
    inventory_outbox::Message::Kind kind;
    std::string subject;
    std::string text;
    std::optional<std::string> email;
    std::optional<std::string> phone;
  };
  // Writes a letter to each channel that the program has and the shop wants. Returns how many are new.
  Result<int> write(const Letter& letter);
  Result<int> write_to(const Letter& letter, inventory_outbox::Message::Channel channel,
                       const std::string& recipient);
  Result<Letter> letter_of(const inventory_system::Notification& notice) const;
  Result<Letter> summary_of(const inventory_system::Shop& shop, const std::string& day) const;

  Parts parts_;
  std::set<std::string, std::less<>> known_;  // ids of letters that are written, of the last notices
  std::map<std::string, std::string, std::less<>> summaries_;  // the last day of each shop
};

// Returns when clocks of the zone show this time on a day, also if they change on that day.
WallTime time_on(const TimeZone& zone, std::chrono::sys_days day, std::chrono::seconds time_of_day);

}  // namespace tavola::inventory
