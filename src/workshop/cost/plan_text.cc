// Plans as text and as JSON.
#include "json/writer.h"
#include "workshop/cost/plan.h"

namespace tavola::workshop {
namespace {

// Returns the amount with two decimals, rounded up, so that the estimate is never too low.
std::string money(const Number& amount, const std::string& currency) {
  const std::string text = amount.to_string();
  const std::size_t point = text.find('.');
  std::string cents =
      point == std::string::npos ? text + "00" : text.substr(0, point) + (text + "00").substr(point + 1, 2);
  const bool has_rest = point != std::string::npos && text.size() > point + 3;
  if (has_rest) {
    const auto up = *Number::parse(cents) + Number(1);
    if (up) cents = up->to_string();
  }
  cents.erase(0, cents.find_first_not_of('0'));
  if (cents.size() < 3) cents.insert(0, 3 - cents.size(), '0');
  cents.insert(cents.size() - 2, ".");
  return currency == "USD" ? "$" + cents : cents + " " + currency;
}

std::string megabytes(const Number& bytes) {
  const std::string text = bytes.to_string();
  return text.size() > 6 ? text.substr(0, text.size() - 6) + " MB" : text + " bytes";
}

std::string size_text(const SizePlan& size, const std::string& currency) {
  std::string text = size.name + "\n";
  text += "  stored        " + megabytes(size.stored_bytes) + ", " + money(size.storage, currency) +
          " a month" +
          (size.internal_records == Number()
               ? ""
               : ", " + size.internal_records.to_string() + " internal records included") +
          "\n";
  for (const DailyLoad& load : size.loads) {
    text += "  " + load.times.to_string() + " × " + load.name + " a day: " + load.read_units.to_string() +
            " read units, " + load.write_units.to_string() + " write units" +
            (load.pages > 1 ? ", " + std::to_string(load.pages) + " pages each" : "") + "\n";
  }
  text += "  a day         " + size.read_units.to_string() + " read units, " + size.write_units.to_string() +
          " write units\n";
  text += "  on-demand     " + money(size.on_demand, currency) + " a month\n";
  text += "  provisioned   " + std::to_string(size.read_capacity) + " RCU, " +
          std::to_string(size.write_capacity) + " WCU: " + money(size.provisioned, currency) + " a month, " +
          money(size.auto_scaled, currency) + " with auto scaling\n";
  text += "  recommended   " +
          std::string(size.is_on_demand_cheapest ? "on-demand" : "provisioned with auto scaling") + "\n";
  if (!size.mode.empty()) text += "  the design    says: " + size.mode + "\n";
  return text;
}

void write_number(json::Writer& json, std::string_view name, const Number& number) {
  json.name(name).raw() += number.to_string();
}

void write_size(json::Writer& json, const SizePlan& size) {
  json.begin_object();
  json.name("size").text(size.name);
  json.name("mode").text(size.mode);
  write_number(json, "storedBytes", size.stored_bytes);
  write_number(json, "internalRecords", size.internal_records);
  json.name("daily").begin_list();
  for (const DailyLoad& load : size.loads) {
    json.begin_object();
    json.name("name").text(load.name);
    write_number(json, "times", load.times);
    write_number(json, "readUnits", load.read_units);
    write_number(json, "writeUnits", load.write_units);
    json.name("pages").integer(load.pages);
    json.end_object();
  }
  json.end_list();
  write_number(json, "readUnits", size.read_units);
  write_number(json, "writeUnits", size.write_units);
  json.name("readCapacity").integer(size.read_capacity);
  json.name("writeCapacity").integer(size.write_capacity);
  json.name("monthly").begin_object();
  write_number(json, "storage", size.storage);
  write_number(json, "onDemand", size.on_demand);
  write_number(json, "provisioned", size.provisioned);
  write_number(json, "autoScaled", size.auto_scaled);
  json.end_object();
  json.name("recommended").text(size.is_on_demand_cheapest ? "PAY_PER_REQUEST" : "PROVISIONED");
  json.end_object();
}

}  // namespace

std::string to_text(const CapacityPlan& plan) {
  if (plan.sizes.empty()) return "The design has no capacity section.\n";
  std::string text =
      "Prices of " + plan.prices.region + " since " + plan.prices.date + ", in " + plan.prices.currency +
      ". A month has 30 days; the busiest hour has a tenth\nof the day's requests; utilization "
      "is 70 %.\n";
  for (const SizePlan& size : plan.sizes) text += "\n" + size_text(size, plan.prices.currency);
  return text;
}

std::string to_json(const CapacityPlan& plan) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("prices").begin_object();
  json.name("region").text(plan.prices.region);
  json.name("date").text(plan.prices.date);
  json.name("currency").text(plan.prices.currency);
  json.end_object();
  json.name("sizes").begin_list();
  for (const SizePlan& size : plan.sizes) write_size(json, size);
  json.end_list();
  json.end_object();
  return out;
}

}  // namespace tavola::workshop
