// Explanations as text and as JSON.
#include <algorithm>

#include "base/joined.h"
#include "design/model/plain_json.h"
#include "json/writer.h"
#include "workshop/cost/explain.h"
#include "workshop/texts/indented_json.h"

namespace tavola::workshop {
namespace {

using design::Design;
using design::Operation;

void write_sent_members(json::Writer& json, const Sent& sent) {
  json.name("operation").text(sent.operation);
  json.name("request").raw() += sent.request;
}

void write_sent(json::Writer& json, const Sent& sent) {
  json.begin_object();
  write_sent_members(json, sent);
  json.end_object();
}

void write_number(json::Writer& json, Units units) { json.raw() += to_text(units); }

void write_texts(json::Writer& json, std::string_view name, const std::vector<std::string>& texts) {
  json.name(name).begin_list();
  for (const std::string& text : texts) json.text(text);
  json.end_list();
}

void write_read(json::Writer& json, const ExplainedRead& read) {
  json.begin_object();
  json.name("pattern").text(read.pattern);
  write_sent_members(json, read.sent);
  if (!read.index.empty()) json.name("index").text(read.index);
  json.name("entity").text(read.entity);
  json.name("consistent").boolean(read.consistency == Consistency::Strong);
  json.name("itemBytes").integer(static_cast<std::int64_t>(read.item_bytes));
  json.name("reads").begin_list();
  for (const ReadCost& cost : read.costs) {
    json.begin_object();
    json.name("items").integer(cost.items);
    json.name("units");
    write_number(json, cost.units);
    json.end_object();
  }
  json.end_list();
  write_texts(json, "alsoReturns", read.also);
  write_texts(json, "notes", read.notes);
  json.end_object();
}

void write_accesses(json::Writer& json, std::string_view name, const std::vector<Access>& accesses) {
  json.name(name).begin_list();
  for (const Access& access : accesses) {
    json.begin_object();
    json.name("what").text(access.what);
    json.name("bytes").integer(static_cast<std::int64_t>(access.bytes));
    json.name("units");
    write_number(json, access.units);
    json.end_object();
  }
  json.end_list();
}

std::string_view cause_name(design::Cause::Kind kind) {
  switch (kind) {
    case design::Cause::Kind::Refusal:
      return "refusal";
    case design::Cause::Kind::Changed:
      return "changed";
    default:
      return "gone";
  }
}

std::string costs_text(const ExplainedRead& read) {
  return joined(read.costs, [](const ReadCost& cost) {
    return to_text(cost.units) + (cost.items == 1 ? " for one item" : " for " + std::to_string(cost.items));
  });
}

std::string read_text(const ExplainedRead& read) {
  std::string text = read.sent.operation + " on " +
                     (read.index.empty() ? "the table" : "index " + read.index) + ", " +
                     (read.consistency == Consistency::Strong ? "strongly" : "eventually") + " consistent\n" +
                     indented(read.sent.request) + "\n";
  text += "\nReturns " + read.entity + ", about " + std::to_string(read.item_bytes) + " bytes each.\n";
  if (!read.costs.empty()) text += "Read units: " + costs_text(read) + ".\n";
  if (!read.also.empty()) text += "The same keys also return: " + joined(read.also) + ".\n";
  for (const std::string& note : read.notes) text += note + "\n";
  return text;
}

std::string counted(Units units) { return to_text(units) + (units == Units{2} ? " unit" : " units"); }

std::string accesses_text(const std::vector<Access>& accesses) {
  std::string text;
  for (const Access& access : accesses) {
    text += "  " + access.what + ": about " + std::to_string(access.bytes) + " bytes, " +
            counted(access.units) + "\n";
  }
  return text;
}

std::string heading(const std::string& name, const std::string& title) {
  return name + (title.empty() ? "" : ": " + title) + "\n";
}

// Returns the price of this many read units, each a million times.
Number price_of(Units units, const Prices& prices) {
  const Number count = Number::from_parts(false, static_cast<Number::Digits>(units.halves) * 5, -1);
  return (count * prices.read_million).value_or(Number(0));
}

}  // namespace

std::string to_text(const Explanation& explanation) {
  std::string text = heading(explanation.name, explanation.title);
  if (explanation.reads.empty()) text += "\nNo request serves it.\n";
  for (const ExplainedRead& read : explanation.reads) {
    if (explanation.reads.size() > 1) text += "\n" + read.pattern + ":";
    text += "\n" + read_text(read);
  }
  return text;
}

std::string to_json(const Explanation& explanation) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("pattern").text(explanation.name);
  if (!explanation.title.empty()) json.name("title").text(explanation.title);
  json.name("requests").begin_list();
  for (const ExplainedRead& read : explanation.reads) write_read(json, read);
  json.end_list();
  json.end_object();
  return out;
}

std::string to_text(const Design& design, const Operation& operation) {
  const OperationEstimate cost = estimate(design, operation);
  std::string text = heading(operation.name, operation.notes.title);
  if (!cost.reads.empty())
    text += "\nReads first (" + counted(cost.read_units) + "):\n" + accesses_text(cost.reads);
  const std::string_view how = cost.is_transaction ? "one TransactWriteItems" : "one conditional write";
  text += "\nWrites, by " + std::string(how) + " (" + counted(cost.write_units) + "):\n";
  return text + accesses_text(cost.writes);
}

std::string to_json(const Design& design, const Operation& operation) {
  const OperationEstimate cost = estimate(design, operation);
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("operation").text(operation.name);
  json.name("transaction").boolean(cost.is_transaction);
  write_accesses(json, "reads", cost.reads);
  write_accesses(json, "writes", cost.writes);
  json.name("readUnits");
  write_number(json, cost.read_units);
  json.name("writeUnits");
  write_number(json, cost.write_units);
  json.end_object();
  return out;
}

std::string upstream_text(const Design& design, std::span<const Operation> operations, const Prices& prices) {
  std::string text = "Through a server with --upstream, each time besides:\n";
  for (const Operation& operation : operations) {
    const OperationEstimate cost = estimate(design, operation);
    text += "  " + operation.name + ": ";
    if (cost.read_by_front == Units{}) {
      text += "nothing; it writes new items alone\n";
      continue;
    }
    text += to_text(cost.read_by_front) + " read " + (cost.read_by_front == Units{2} ? "unit" : "units") +
            ", " + price_of(cost.read_by_front, prices).to_string() + " " + prices.currency +
            " for a million times (" + to_text(cost.read_units) + " read and " + to_text(cost.write_units) +
            " write units without it)\n";
  }
  return text + "On demand in " + prices.region + ", prices since " + prices.date +
         ". Each lost race costs the units of the write once more.\n";
}

std::string upstream_json(const Design& design, std::span<const Operation> operations, const Prices& prices) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("region").text(prices.region);
  json.name("currency").text(prices.currency);
  json.name("operations").begin_list();
  for (const Operation& operation : operations) {
    const OperationEstimate cost = estimate(design, operation);
    json.begin_object();
    json.name("operation").text(operation.name);
    json.name("moreReadUnits");
    write_number(json, cost.read_by_front);
    json.name("moreWriteUnits").integer(0);
    json.name("morePerMillion").raw() += price_of(cost.read_by_front, prices).to_string();
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return out;
}

std::string to_json(const std::vector<Sent>& reads) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("reads").begin_list();
  for (const Sent& sent : reads) write_sent(json, sent);
  json.end_list();
  json.end_object();
  return out;
}

std::string to_json(const ExplainedWrites& writes) {
  if (!writes.unread.empty()) return to_json(writes.unread);
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("writes");
  if (writes.sent) {
    write_sent(json, *writes.sent);
  } else {
    json.raw() += "null";
  }
  json.name("causes").begin_list();
  for (const auto& [action, cause] : writes.causes) {
    json.begin_object();
    json.name("action").integer(static_cast<std::int64_t>(action));
    json.name("kind").text(cause_name(cause.kind));
    json.name("name").text(cause.name);
    json.name("reason").text(cause.reason);
    json.name("condition").text(cause.condition);
    json.end_object();
  }
  json.end_list();
  json.name("result").raw() += design::to_plain_json(writes.result);
  if (writes.read_back) {
    json.name("readBack");
    write_sent(json, *writes.read_back);
  }
  json.end_object();
  return out;
}

}  // namespace tavola::workshop
