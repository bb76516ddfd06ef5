#include "systems/inventory/report.h"

#include <algorithm>

#include "base/time_zone.h"
#include "base/timestamps.h"
#include "json/writer.h"

namespace tavola::inventory {
namespace {

using std::chrono::sys_days;

std::string day_text(sys_days day) { return iso8601(WallTime(day.time_since_epoch())).substr(0, 10); }

std::optional<sys_days> parse_day(std::string_view text) {
  const auto time = parse_date(text);
  return time ? std::optional(std::chrono::floor<std::chrono::days>(*time)) : std::nullopt;
}

// The last day of the month that begins with this day.
sys_days month_end(sys_days first) {
  const std::chrono::year_month_day date(first);
  return sys_days(date.year() / date.month() / std::chrono::last);
}

Error wrong_period(const std::string& period) {
  return Error::validation(
      "--period must be today, week, month, a month such as 2024-01, a day such as 2024-01-31, or two days "
      "such as "
      "2024-01-01..2024-01-31 (was " +
      period + ")");
}

// ---- Tables: the rows of every format but JSON

struct Section {
  std::string title;
  std::vector<std::string> columns;  // those that begin with '#' are numbers
  std::vector<std::vector<std::string>> rows;
};

std::string number_text(const std::optional<Number>& number) { return number ? number->to_string() : ""; }

Result<std::vector<Section>> sections_of(const ShopReport& shop) {
  std::vector<Section> all;
  TAVOLA_TRY(const Number revenue, shop.revenue());
  Section days{"Sales by day", {"day", "#sales", "#quantity", "#revenue", "#average"}, {}};
  for (const auto& row : shop.days)
    days.rows.push_back({row.day.value_or(""), std::to_string(row.sales), std::to_string(row.quantity),
                         row.revenue.to_string(), number_text(row.average)});
  days.rows.push_back(
      {"all", std::to_string(shop.sales()), std::to_string(shop.quantity()), revenue.to_string(), ""});
  Section top{"Best products", {"product", "#sales", "#quantity", "#revenue"}, {}};
  for (const auto& row : shop.top)
    top.rows.push_back({row.productName.value_or(row.productId), std::to_string(row.sales),
                        std::to_string(row.quantity), row.revenue.to_string()});
  Section stock{"Stock by category", {"category", "#products", "#units", "#value"}, {}};
  for (const auto& row : shop.stock)
    stock.rows.push_back({row.category.value_or("none"), std::to_string(row.products),
                          std::to_string(row.units), row.value.to_string()});
  Section low{"To be ordered", {"product", "sku", "#stock", "#threshold"}, {}};
  for (const auto& row : shop.low)
    low.rows.push_back({row.name, row.sku, std::to_string(row.currentStock.value_or(0)),
                        std::to_string(row.reorderThreshold.value_or(0))});
  all = {std::move(days), std::move(top), std::move(stock), std::move(low)};
  return all;
}

bool is_number(const std::string& column) { return column.starts_with('#'); }
std::string name_of(const std::string& column) { return is_number(column) ? column.substr(1) : column; }

// Characters, not bytes: continuation bytes of UTF-8 take no room.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t width, const std::string& column) {
  const std::string blanks(width - std::min(width, width_of(text)), ' ');
  return is_number(column) ? blanks + text : text + blanks;
}

std::string table_of(const Section& section) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < section.columns.size(); ++i) {
    std::size_t width = name_of(section.columns[i]).size();
    for (const auto& row : section.rows) width = std::max(width, width_of(row[i]));
    widths.push_back(width);
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += "  " + padded(cells[i], widths[i], section.columns[i]);
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::vector<std::string> names;
  for (const std::string& column : section.columns) names.push_back(name_of(column));
  std::string text = section.title + "\n" + line(names);
  for (const auto& row : section.rows) text += line(row);
  return text + "\n";
}

// A cell as in RFC 4180. A text that a spreadsheet would take for a formula gets an apostrophe.
std::string csv_cell(const std::string& text, bool is_text) {
  const bool is_formula = is_text && !text.empty() && std::string_view("=+-@\t\r").contains(text.front());
  std::string cell = (is_formula ? "'" : "") + text;
  if (cell.find_first_of("\",\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string html_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string heading(const Report& report, const ShopReport& shop) {
  return shop.shop.name + ", " + report.days.first + " to " + report.days.last +
         (report.currency.empty() ? "" : ", in " + report.currency);
}

Result<std::string> as_table(const Report& report) {
  std::string text;
  for (const ShopReport& shop : report.shops) {
    TAVOLA_TRY(const std::vector<Section> sections, sections_of(shop));
    text += heading(report, shop) + "\n\n";
    for (const Section& section : sections) text += table_of(section);
  }
  return text;
}

// One table for all: spreadsheets and programs read it without headings in between.
Result<std::string> as_csv(const Report& report) {
  std::string text = "shop,day,sales,quantity,revenue,average\r\n";
  for (const ShopReport& shop : report.shops) {
    for (const auto& row : shop.days) {
      text += csv_cell(shop.shop.name, true) + "," + row.day.value_or("") + "," + std::to_string(row.sales) +
              "," + std::to_string(row.quantity) + "," + row.revenue.to_string() + "," +
              number_text(row.average) + "\r\n";
    }
  }
  return text;
}

void write_section(json::Writer& json, const Section& section) {
  json.begin_list();
  for (const auto& row : section.rows) {
    json.begin_object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      json.name(name_of(section.columns[i]));
      if (!is_number(section.columns[i])) {
        json.text(row[i]);
      } else {
        json.raw() += row[i].empty() ? "null" : row[i];  // a number keeps all its digits
      }
    }
    json.end_object();
  }
  json.end_list();
}

Result<std::string> as_json(const Report& report) {
  std::string text;
  json::Writer json(text);
  json.begin_object();
  json.name("first").text(report.days.first);
  json.name("last").text(report.days.last);
  json.name("currency").text(report.currency);
  json.name("shops").begin_list();
  for (const ShopReport& shop : report.shops) {
    TAVOLA_TRY(std::vector<Section> sections, sections_of(shop));
    TAVOLA_TRY(const Number revenue, shop.revenue());
    sections.front().rows.pop_back();  // the sum has members of its own
    json.begin_object();
    json.name("shopId").text(shop.shop.shopId);
    json.name("name").text(shop.shop.name);
    json.name("sales").integer(shop.sales());
    json.name("quantity").integer(shop.quantity());
    json.name("revenue").raw() += revenue.to_string();
    static constexpr const char* kNames[] = {"days", "products", "stock", "low"};
    for (std::size_t i = 0; i < sections.size(); ++i) {
      json.name(kNames[i]);
      write_section(json, sections[i]);
    }
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return text + "\n";
}

Result<std::string> as_html(const Report& report) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Report</title><style>"
      "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:52rem;padding:0 1rem;color:#1d211f}"
      "table{border-collapse:collapse;width:100%;margin-bottom:2rem}th,td{padding:.35rem "
      ".6rem;text-align:left;"
      "border-bottom:1px solid "
      "#e2dfd8}.n{text-align:right;font-variant-numeric:tabular-nums}h2{font-size:1rem}"
      "</style></head><body>\n";
  for (const ShopReport& shop : report.shops) {
    TAVOLA_TRY(const std::vector<Section> sections, sections_of(shop));
    text += "<h1>" + html_text(heading(report, shop)) + "</h1>\n";
    for (const Section& section : sections) {
      text += "<h2>" + section.title + "</h2>\n<table><thead><tr>";
      const auto kind = [&](std::size_t i) { return is_number(section.columns[i]) ? " class=\"n\"" : ""; };
      for (std::size_t i = 0; i < section.columns.size(); ++i)
        text += "<th" + std::string(kind(i)) + ">" + name_of(section.columns[i]) + "</th>";
      text += "</tr></thead><tbody>\n";
      for (const auto& row : section.rows) {
        text += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i)
          text += "<td" + std::string(kind(i)) + ">" + html_text(row[i]) + "</td>";
        text += "</tr>\n";
      }
      text += "</tbody></table>\n";
    }
  }
  return text + "</body></html>\n";
}

}  // namespace

Result<Days> parse_period(const std::string& period, const std::string& zone, WallTime now) {
  TAVOLA_TRY(const auto found, TimeZone::find(zone));
  const sys_days today = found->day_at(now);
  const auto days = [](sys_days first, sys_days last) { return Days{day_text(first), day_text(last)}; };
  if (period == "today") return days(today, today);
  if (period == "week") return days(today - std::chrono::days(6), today);
  if (period == "month") {
    const std::chrono::year_month_day date(today);
    return days(sys_days(date.year() / date.month() / 1), today);
  }
  if (const std::size_t dots = period.find(".."); dots != std::string::npos) {
    const auto first = parse_day(period.substr(0, dots));
    const auto last = parse_day(period.substr(dots + 2));
    if (first && last && *first <= *last) return days(*first, *last);
    return fail(wrong_period(period));
  }
  if (const auto day = parse_day(period)) return days(*day, *day);
  if (const auto first = parse_day(period + "-01")) return days(*first, month_end(*first));
  return fail(wrong_period(period));
}

Result<Number> ShopReport::revenue() const {
  Number sum;
  for (const auto& row : days) {
    TAVOLA_TRY(sum, sum + row.revenue);
  }
  return sum;
}

std::int64_t ShopReport::sales() const {
  std::int64_t sum = 0;
  for (const auto& row : days) sum += row.sales;
  return sum;
}

std::int64_t ShopReport::quantity() const {
  std::int64_t sum = 0;
  for (const auto& row : days) sum += row.quantity;
  return sum;
}

Result<ShopReport> report_of(const inventory_system::InventorySystem& inventory, const std::string& shop_id,
                             const Days& days, const std::string& zone) {
  TAVOLA_TRY(const auto shop, inventory.getShop({.shopId = shop_id}));
  if (!shop) return fail(Error::validation("there is no shop " + shop_id));
  ShopReport report{.shop = *shop};
  TAVOLA_TRY(const auto found, TimeZone::find(zone));
  const auto first = parse_day(days.first);
  const auto last = parse_day(days.last);
  const std::string start = iso8601(found->start_of(first.value_or(sys_days())));
  const std::string end =
      iso8601(found->start_of(last.value_or(sys_days()) + std::chrono::days(1)) - std::chrono::seconds(1));
  TAVOLA_TRY(
      report.days,
      inventory.salesReport({.shopId = shop_id, .zone = zone, .firstDay = days.first, .lastDay = days.last})
          .all());
  TAVOLA_TRY(report.top,
             inventory.topProducts({.shopId = shop_id, .zone = zone, .start = start, .end = end}).all());
  TAVOLA_TRY(report.stock, inventory.stockByCategory({.shopId = shop_id}).all());
  TAVOLA_TRY(report.low, inventory.lowStock({.shopId = shop_id}).all());
  return report;
}

Result<std::string> write_report(const Report& report, const std::string& format) {
  if (format == "table") return as_table(report);
  if (format == "csv") return as_csv(report);
  if (format == "json") return as_json(report);
  if (format == "html") return as_html(report);
  return fail(Error::validation("--format must be table, csv, json or html (was " + format + ")"));
}

}  // namespace tavola::inventory
