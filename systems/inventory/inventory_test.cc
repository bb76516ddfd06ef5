// Texts that leave the program: mails, webhook messages, reports. tests/systems runs the whole program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/timestamps.h"
#include "systems/inventory/alert_options.h"
#include "systems/inventory/delivery.h"
#include "systems/inventory/notices.h"
#include "systems/inventory/report.h"

namespace tavola::inventory {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Outgoing outgoing() {
  return {.id = "n1-email",
          .kind = "low-stock",
          .shop_id = "s1",
          .recipient = "alerts@example.com",
          .subject = "Corner Shop: Bulb must be ordered",
          .text = "Only 4 are left.\n",
          .timestamp = "2024-01-31T12:00:00Z"};
}

TEST(Mail, HasTheHeadersOfAMessage) {
  const std::string text = mail_text(outgoing(), "till@example.com");
  EXPECT_THAT(text, HasSubstr("From: till@example.com\r\nTo: alerts@example.com\r\nSubject: Corner Shop: "
                              "Bulb must be ordered\r\n"));
  EXPECT_THAT(text,
              HasSubstr("Date: Wed, 31 Jan 2024 12:00:00 +0000\r\nMessage-ID: <n1-email@example.com>\r\n"));
  EXPECT_TRUE(text.ends_with("\r\n\r\nT25seSA0IGFyZSBsZWZ0Lgo=\r\n"));
}

TEST(Mail, ATextCannotAddAHeader) {
  Outgoing message = outgoing();
  message.subject = "Bulb\r\nBcc: everybody@example.com";
  message.recipient = "a@example.com\nCc: b@example.com";
  const std::string text = mail_text(message, "till@example.com");
  EXPECT_THAT(text, HasSubstr("Subject: Bulb  Bcc: everybody@example.com\r\n"));
  EXPECT_THAT(text, Not(HasSubstr("\nBcc:")));
  EXPECT_THAT(text, Not(HasSubstr("\nCc:")));
}

TEST(Mail, OtherCharactersBecomeEncodedWordsThatDivideNone) {
  Outgoing message = outgoing();
  message.subject = "Caf\u00e9 \u2013 ";
  for (int i = 0; i < 40; ++i) message.subject += "\u00fc";
  const std::string text = mail_text(message, "till@example.com");
  const std::size_t begin = text.find("Subject: ");
  const std::string subject = text.substr(begin, text.find("\r\nDate") - begin);
  EXPECT_THAT(subject, HasSubstr("Subject: =?UTF-8?B?Q2Fmw6k"));
  for (std::size_t at = 0; at < subject.size();) {
    const std::size_t end = std::min(subject.find("\r\n", at), subject.size());
    EXPECT_LE(end - at, 90U);  // "Subject: " and a word of at most 75 characters
    at = end + 2;
  }
}

TEST(Summary, IsDueWhenTheClocksShowItsTime) {
  const auto zone = TimeZone::find("Europe/Berlin");
  ASSERT_TRUE(zone);
  const auto due = [&](std::chrono::sys_days day) {
    return iso8601(time_on(**zone, day, std::chrono::hours(20)));
  };
  using namespace std::chrono_literals;
  EXPECT_EQ(due(2024y / 3 / 30), "2024-03-30T19:00:00Z");
  EXPECT_EQ(due(2024y / 3 / 31), "2024-03-31T18:00:00Z");   // clocks are put forward
  EXPECT_EQ(due(2024y / 10 / 27), "2024-10-27T19:00:00Z");  // and back
}

TEST(Money, HasTwoDigitsAtLeast) {
  const auto shown = [](const char* amount) { return money_text(*Number::parse(amount), "EUR"); };
  EXPECT_EQ(shown("12"), "12.00 EUR");
  EXPECT_EQ(shown("12.5"), "12.50 EUR");
  EXPECT_EQ(shown("12.345"), "12.345 EUR");
  EXPECT_EQ(money_text(*Number::parse("0.05"), ""), "0.05");
}

TEST(Webhook, TheBodyIsJson) {
  Outgoing message = outgoing();
  message.subject = "\"quoted\"";
  EXPECT_EQ(
      webhook_body(message),
      R"({"id":"n1-email","kind":"low-stock","shopId":"s1","to":"alerts@example.com","subject":"\"quoted\"",)"
      R"("text":"Only 4 are left.\n","timestamp":"2024-01-31T12:00:00Z"})");
}

TEST(AlertOptions, AreRefusedWhenTheyHaveNoSense) {
  const auto wrong = [](AlertOptions options) { return check_alert_options(options).error().message(); };
  EXPECT_TRUE(check_alert_options({}));
  AlertOptions options;
  options.summary_at = "24:00";
  EXPECT_THAT(wrong(options), HasSubstr("--summary-at"));
  options = {};
  options.smtp_url = "smtp://localhost";
  EXPECT_THAT(wrong(options), HasSubstr("--mail-from"));
  options.mail_from = "a@example.com";
  options.smtp_user = "a";
  EXPECT_THAT(wrong(options), HasSubstr("--smtp-password-file"));
  options = {};
  options.webhook_url = "file:///etc/passwd";
  EXPECT_THAT(wrong(options), HasSubstr("https://"));
  EXPECT_EQ(parse_time_of_day("18:30"), std::chrono::minutes(18 * 60 + 30));
  for (const char* text : {"8:30", "18-30", "18:60", "-1:00", "18:3x", ""})
    EXPECT_FALSE(parse_time_of_day(text)) << text;
}

TEST(Report, PeriodsAreDaysInTheZoneOfTheShop) {
  const WallTime now = *parse_iso8601("2024-02-29T23:30:00Z");  // it is March in Berlin
  const auto days = [&](const std::string& period, const std::string& zone) {
    const auto found = parse_period(period, zone, now);
    return found ? found->first + " " + found->last : found.error().message();
  };
  EXPECT_EQ(days("today", "UTC"), "2024-02-29 2024-02-29");
  EXPECT_EQ(days("today", "Europe/Berlin"), "2024-03-01 2024-03-01");
  EXPECT_EQ(days("week", "UTC"), "2024-02-23 2024-02-29");
  EXPECT_EQ(days("month", "UTC"), "2024-02-01 2024-02-29");
  EXPECT_EQ(days("2023-02", "UTC"), "2023-02-01 2023-02-28");
  EXPECT_EQ(days("2024-01-05", "UTC"), "2024-01-05 2024-01-05");
  EXPECT_EQ(days("2024-01-05..2024-01-07", "UTC"), "2024-01-05 2024-01-07");
  for (const char* wrong : {"year", "2024-13", "2024-01-07..2024-01-05", "..", ""})
    EXPECT_THAT(days(wrong, "UTC"), HasSubstr("--period must be")) << wrong;
}

Report report() {
  ShopReport shop{.shop = {.shopId = "s1", .name = "=Shop, \"best\" <b>"}};
  const Number revenue = *Number::parse("12345678901234567890.12");
  shop.days.push_back(
      {.day = "2024-01-31", .sales = 2, .quantity = 3, .revenue = revenue, .average = *Number::parse("0.5")});
  return {.days = {"2024-01-31", "2024-01-31"}, .currency = "EUR", .shops = {shop}};
}

TEST(Report, NumbersKeepAllDigitsAndTextsAreNoFormulasOrTags) {
  EXPECT_EQ(*write_report(report(), "csv"),
            "shop,day,sales,quantity,revenue,average\r\n\"'=Shop, \"\"best\"\" "
            "<b>\",2024-01-31,2,3,12345678901234567890.12,0.5\r\n");
  EXPECT_THAT(*write_report(report(), "html"), HasSubstr("&lt;b&gt;, 2024-01-31 to 2024-01-31, in EUR</h1>"));
  EXPECT_THAT(*write_report(report(), "json"),
              HasSubstr(R"("revenue":12345678901234567890.12,"days":[{"day":"2024-01-31","sales":2,)"));
  EXPECT_THAT(*write_report(report(), "table"),
              HasSubstr("  day         sales  quantity                  revenue  average\n"
                        "  2024-01-31      2         3  12345678901234567890.12      0.5\n"
                        "  all             2         3  12345678901234567890.12\n"));
  EXPECT_THAT(write_report(report(), "xml").error().message(), HasSubstr("--format"));
}

}  // namespace
}  // namespace tavola::inventory
