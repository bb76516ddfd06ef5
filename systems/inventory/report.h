// `tavola-inventory report`: the sales of a period by day, the best products, stock and what must be ordered, of one shop or of all.
#pragma once

#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/number.h>

#include "base/clock.h"
#include "generated/inventory_system.h"

namespace tavola::inventory {

struct ReportOptions {
  std::string period =
      "month";  // today, week, month, a month (2024-01), a day, or two days: 2024-01-01..2024-01-31
  std::string format = "table";  // table, csv, json, html
  std::string shop;              // empty: all
};

// The days of a report, both included: 2024-01-01.
struct Days {
  std::string first;
  std::string last;
};
// Reads a period as a person in the zone means it. Fails with Validation.
Result<Days> parse_period(const std::string& period, const std::string& zone, WallTime now);

struct ShopReport {
  inventory_system::Shop shop;
  std::vector<inventory_system::SalesReportRow> days = {};
  std::vector<inventory_system::TopProductsRow> top = {};
  std::vector<inventory_system::StockByCategoryRow> stock = {};
  std::vector<inventory_system::Product> low = {};

  Result<Number> revenue() const;
  std::int64_t sales() const;
  std::int64_t quantity() const;
};

struct Report {
  Days days;
  std::string currency = {};
  std::vector<ShopReport> shops = {};
};

Result<ShopReport> report_of(const inventory_system::InventorySystem& inventory, const std::string& shop_id,
                             const Days& days, const std::string& zone);

// Returns the report in a format of ReportOptions. Numbers are written as they are, never rounded.
Result<std::string> write_report(const Report& report, const std::string& format);

}  // namespace tavola::inventory
