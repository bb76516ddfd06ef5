// tavola-inventory: shops, their stock and their sales.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "json/reader.h"
#include "systems/host/login_options.h"
#include "systems/host/run.h"
#include "systems/inventory/alert_options.h"
#include "systems/inventory/alerts.h"
#include "systems/inventory/archiver.h"
#include "systems/inventory/inventory.h"
#include "systems/inventory/messages_page.h"
#include "systems/inventory/report.h"
#include "systems/inventory/shop_rights.h"
#include "systems/inventory/shops_page.h"

namespace tavola::inventory {
namespace {

constexpr std::uint16_t kPort = 8014;

struct InventoryOptions {
  systems::HostOptions host{.data = "inventory-data", .port = kPort};
  AlertOptions alerts;
  ArchiveOptions archive;
  ReportOptions report;
  std::string currency;
};

std::vector<systems::Option> options_of(InventoryOptions& options) {
  using systems::text_option;
  std::vector<systems::Option> all = systems::host_options(options.host);
  all.push_back(
      text_option("--currency", "CODE", "Currency of all prices, for example EUR", options.currency));
  for (systems::Option& option : alert_options(options.alerts)) all.push_back(std::move(option));
  all.push_back(
      text_option("--archive-to", "PLACE",
                  "Folder, or s3://BUCKET/PREFIX: old changes of stock and notices go there, every hour",
                  options.archive.to));
  all.push_back(text_option("--archive-s3-endpoint", "URL", "S3's protocol elsewhere than at AWS",
                            options.archive.s3_endpoint));
  all.push_back(text_option("--period", "PERIOD",
                            "report: today, week, month, 2024-01, 2024-01-31 or 2024-01-01..2024-01-31",
                            options.report.period));
  all.push_back(text_option("--format", "FORMAT", "report: table, csv, json or html", options.report.format));
  all.push_back(text_option("--shop", "ID", "report: one shop. By default all", options.report.shop));
  return all;
}

constexpr systems::Program kProgram{.name = "tavola-inventory",
                                    .usage =
                                        "tavola-inventory: shops, their stock and their sales\n\n"
                                        "  tavola-inventory [OPTION…]           serves the pages\n"
                                        "  tavola-inventory report [OPTION…]    prints sales, best products, "
                                        "stock and what must be ordered\n"};

int failed(const Error& error) {
  std::fprintf(stderr, "tavola-inventory: %s\n", error.message().c_str());
  return 1;
}

// The people whom the login page proposes: owners of shops and their staff; in a new database, somebody who can begin.
Result<std::vector<design::Identity>> known_people(const inventory_system::InventorySystem& inventory,
                                                   AllShops& shops) {
  constexpr std::size_t kPeopleMax = 4;
  std::vector<design::Identity> people;
  TAVOLA_TRY(const std::vector<std::string> ids, shops.ids());
  for (const std::string& id : ids) {
    if (people.size() >= kPeopleMax) break;
    TAVOLA_TRY(const auto shop, inventory.getShop({.shopId = id}));
    const std::string owner = shop ? shop->ownerId.value_or("") : "";
    if (owner.empty() || std::ranges::find(people, owner, &design::Identity::sub) != people.end()) continue;
    people.push_back({.sub = owner, .groups = {"owner"}});
  }
  if (people.empty()) people.push_back({.sub = "anna", .groups = {"owner"}});
  people.push_back({.sub = "ben", .groups = {"staff", "shop:" + (ids.empty() ? "s1" : ids.front())}});
  return people;
}

// Returns the id of the shop that an operation returned; empty if it returned something else.
std::string shop_in(const http::Response& response) {
  const auto body = json::parse(response.body);
  return body ? body->text_at("shopId") : std::string();
}

// The channels that the options give, and the thread that sends on them; no thread without a channel.
std::unique_ptr<Alerts> start_alerts(const Inventory& inventory, const InventoryOptions& options,
                                     AllShops& shops, const Delivery& delivery, server::Log& log,
                                     std::function<void()> changed) {
  const Channels channels{delivery.sends_mail(), delivery.sends_webhook()};
  if (!channels.email && !channels.webhook) return nullptr;
  return std::make_unique<Alerts>(Alerts::Parts{.outbox = inventory.outbox(),
                                                .shops = shops,
                                                .writer = MessageWriter({.inventory = inventory.shops(),
                                                                         .outbox = inventory.outbox(),
                                                                         .options = options.alerts,
                                                                         .currency = options.currency,
                                                                         .channels = channels}),
                                                .delivery = delivery,
                                                .retry_first = options.alerts.retry_first,
                                                .log = log,
                                                .changed = std::move(changed)});
}

int serve(const InventoryOptions& options, server::Log& log, server::StopSignals& signals) {
  const auto delivery = Delivery::open(options.alerts);
  if (!delivery) return failed(delivery.error());
  const auto inventory = Inventory::open(options.host, log);
  if (!inventory) return failed(inventory.error());
  const auto archiver = Archiver::start((*inventory)->design(), options.archive, log);
  if (!archiver) return failed(archiver.error());
  const ShopRights rights((*inventory)->shops());
  AllShops shops((*inventory)->design().database(), (*inventory)->design().design().table.name);
  systems::Application::Parts parts{.name = "tavola-inventory",
                                    .design = (*inventory)->design(),
                                    .assets = http::embedded_assets(),
                                    .settings = {{"currency", options.currency}}};
  auto people = known_people((*inventory)->shops(), shops);
  if (!people) return failed(people.error());
  auto providers =
      systems::login_providers({parts.name, options.host, parts.assets, *std::move(people), log});
  if (!providers) return failed(providers.error());
  parts.providers = *std::move(providers);
  const Channels channels{delivery->sends_mail(), delivery->sends_webhook()};
  parts.routes = {shops_page((*inventory)->shops(), rights),
                  messages_page((*inventory)->outbox(), rights, channels), (*archiver)->route()};
  parts.refuse = [&rights](const systems::Visit& visit) { return rights.refuse(visit); };
  // Both are set before the first request is served.
  systems::Application* pages = nullptr;
  Alerts* sender = nullptr;
  parts.performed = [&](const http::Request& request, const http::Response& response) {
    const std::string shop = shop_in(response);
    if (request.path.ends_with("/createShop")) shops.add(shop);
    pages->events().publish("changed", "{}");
    if (sender != nullptr && !shop.empty()) sender->wake(shop);
  };
  systems::Application application(std::move(parts));
  pages = &application;
  const std::unique_ptr<Alerts> alerts =
      start_alerts(**inventory, options, shops, *delivery, log,
                   [&application] { application.events().publish("messages", "{}"); });
  sender = alerts.get();
  return systems::serve_until_stopped(application, options.host, "Inventory of shops", signals, log);
}

int print_report(const InventoryOptions& options, server::Log& log) {
  const auto days = parse_period(options.report.period, options.alerts.zone, Clock::system().now());
  if (!days) return systems::refuse_command_line(kProgram, days.error());
  Report report{.days = *days, .currency = options.currency};
  if (const auto known = write_report(report, options.report.format); !known)
    return systems::refuse_command_line(kProgram, known.error());
  const auto inventory = Inventory::open(options.host, log);
  if (!inventory) return failed(inventory.error());
  std::vector<std::string> ids{options.report.shop};
  if (options.report.shop.empty()) {
    AllShops shops((*inventory)->design().database(), (*inventory)->design().design().table.name);
    const auto found = shops.ids();
    if (!found) return failed(found.error());
    ids = *found;
  }
  for (const std::string& id : ids) {
    auto shop = report_of((*inventory)->shops(), id, *days, options.alerts.zone);
    if (!shop) return failed(shop.error());
    report.shops.push_back(*std::move(shop));
  }
  const auto text = write_report(report, options.report.format);
  if (!text) return failed(text.error());
  std::fwrite(text->data(), 1, text->size(), stdout);
  return 0;
}

Result<void> check(const InventoryOptions& options) {
  TAVOLA_CHECK(systems::check_host_options(options.host));
  return check_alert_options(options.alerts);
}

int run(const std::vector<std::string>& arguments) {
  InventoryOptions options;
  const std::vector<systems::Option> known = options_of(options);
  if (systems::tell_about(kProgram, arguments, known)) return 0;
  const auto words = systems::read_options(arguments, known);
  if (!words) return systems::refuse_command_line(kProgram, words.error());
  if (const auto checked = check(options); !checked)
    return systems::refuse_command_line(kProgram, checked.error());
  server::StopSignals signals;
  server::Log log(server::LogFormat::Text);
  if (words->empty()) return serve(options, log, signals);
  if (*words == std::vector<std::string>{"report"}) return print_report(options, log);
  return systems::refuse_command_line(kProgram, Error::validation("there is no command " + words->front()));
}

}  // namespace
}  // namespace tavola::inventory

int main(int count, char** arguments) {
  return tavola::inventory::run(std::vector<std::string>(arguments + 1, arguments + count));
}
