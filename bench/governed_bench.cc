// The cost of governing: equal writes to a table with a design and to one without. The design has the usual features:
// keys and index keys from templates, derived and automatic fields, bounds, a lifecycle; and no copies. With `counted`, the
// database also keeps an aggregate of the orders, which changes with every put; `add to a counter` is the write that keeps
// such an aggregate in a table without a design.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/data.h"
#include "bench/stage.h"
#include "bench/suites.h"
#include "design/items/table_schema.h"
#include "design/load.h"

namespace tavola::bench {
namespace {

using benchmark::State;

constexpr const char* kDesign = R"yaml(design: 1
name: orders
table: { name: orders, hash: PK, range: SK, entity_attribute: kind }
indexes:
  byCustomer: { hash: GSI1PK, range: GSI1SK, project: all }
  byState: { hash: GSI2PK, range: GSI2SK, project: all }
entities:
  Order:
    key: { PK: SHOP#<shop>, SK: ORDER#<order> }
    ids: { shop: string, order: string }
    index:
      byCustomer: { hash: CUSTOMER#<customer>, range: ORDER#<order> }
      byState: { hash: SHOP#<shop>#<state>, range: ORDER#<order> }
    attributes:
      customer: { type: string, required: true, max_length: 64 }
      state: { type: enum, values: [NEW, PAID, SENT], default: NEW }
      quantity: { type: integer, required: true, min: 1 }
      price: { type: number, required: true, min: 0 }
      total: { type: number, derive: quantity * price }
      note: { type: string, max_length: 1000 }
      createdAt: { type: timestamp, auto: create }
      updatedAt: { type: timestamp, auto: update }
    lifecycles:
      sale:
        in: state
        states: { NEW: { initial: true }, PAID: {}, SENT: { terminal: true } }
        transitions: { pay: { from: [NEW], to: PAID }, send: { from: [PAID], to: SENT } }
  Customer:
    key: { PK: CUSTOMER#<customer>, SK: META }
    attributes: { customer: string, name: { type: string, required: true } }
)yaml";

// Follow kDesign for Table::Counted: orders are counted and summed per shop.
constexpr const char* kKeptTotals = R"yaml(  Totals:
    key: { PK: SHOP#<shop>, SK: TOTALS }
    attributes: { shop: { type: string, required: true }, orders: integer, revenue: number }
copies:
  totals: { kind: counter, from: Order, to: Totals, count: orders, sum: { revenue: total }, create: true }
)yaml";
constexpr const char* kPatterns = R"yaml(patterns:
  order: { get: Order }
)yaml";

constexpr std::uint64_t kOrders = 10'000;

Item order(std::uint64_t number) {
  const std::string id = std::to_string(number);
  return {{"PK", "SHOP#s" + std::to_string(number % 100)},
          {"SK", "ORDER#" + id},
          {"customer", "c" + std::to_string(number % 1000)},
          {"state", "NEW"},
          {"quantity", static_cast<std::int64_t>(1 + number % 9)},
          {"price", 19},
          {"note", std::string(600, 'n')}};
}

// Returns the orders for a table without a design: with all computed fields.
PackedItem complete_order(std::uint64_t number) {
  Item item = order(number);
  const std::string shop = item["PK"].string();
  item["GSI1PK"] = "CUSTOMER#" + item["customer"].string();
  item["GSI1SK"] = item["SK"];
  item["GSI2PK"] = shop + "#NEW";
  item["GSI2SK"] = item["SK"];
  item["kind"] = "Order";
  item["total"] = static_cast<std::int64_t>((1 + number % 9) * 19);
  item["createdAt"] = "2026-01-01T00:00:00Z";
  item["updatedAt"] = "2026-01-01T00:00:00Z";
  return need(pack(item), "order");
}

enum class Table : std::uint8_t { Plain, Governed, Counted };

// The difference between two puts of an order: its note alone, or its total as well.
enum class Change : std::uint8_t { Note, Total };

// Returns the orders that clients send repeatedly: each differs from the stored one, so that every put changes something.
std::vector<PackedItem> made_orders(Change change) {
  std::vector<PackedItem> made;
  made.reserve(2 * kOrders);
  for (std::uint64_t i = 0; i < 2 * kOrders; ++i) {
    Item item = complete_order(i % kOrders).unpack();
    item["note"] = std::to_string(i) + item["note"].string();
    if (change == Change::Total && i >= kOrders) {
      const auto quantity = static_cast<std::int64_t>(10 + i % 9);
      item["quantity"] = quantity;
      item["total"] = quantity * 19;
    }
    made.push_back(need(pack(item), "order"));
  }
  return made;
}

const std::vector<PackedItem>& sent_orders(Change change = Change::Note) {
  if (change == Change::Total) {
    static const std::vector<PackedItem> other_totals = made_orders(Change::Total);
    return other_totals;
  }
  static const std::vector<PackedItem> other_notes = made_orders(Change::Note);
  return other_notes;
}

std::string design_of(Table table) {
  return std::string(kDesign) + (table == Table::Counted ? kKeptTotals : "") + kPatterns;
}

std::unique_ptr<Database> open_orders(Where where, Table table, Change change = Change::Note) {
  const std::string name = table == Table::Plain ? "orders-plain" : "orders-governed";
  const std::string design = design_of(table);
  const Durability durability = where == Where::Synced ? Durability::Synced : Durability::Relaxed;
  std::unique_ptr<Database> database =
      where == Where::Memory ? open_in_memory()
                             : need(open(fresh_directory(name), {.durability = durability}), "open");
  const design::Loaded loaded = design::load(design, "orders.yaml");
  if (!loaded.design) give_up("load", "the design has errors");
  need(database->create_table(design::table_schema(*loaded.design)), "create");
  if (table != Table::Plain) {
    need(database->govern_table({.table_name = "orders", .design = design, .file_name = "orders.yaml"}),
         "govern");
  }
  const std::uint64_t count = where == Where::Synced ? kOrders / 10 : kOrders;  // each waits for the disk
  const std::vector<PackedItem>& orders = sent_orders(change);
  for (std::uint64_t i = 0; i < count; ++i)
    need(database->put_item({.table_name = "orders", .item = orders[i]}), "put");
  return database;
}

void put_orders(State& state, Where where, Table table, Change change) {
  const std::unique_ptr<Database> database = open_orders(where, table, change);
  const std::uint64_t count = where == Where::Synced ? kOrders / 10 : kOrders;
  std::uint64_t turn = kOrders;
  std::uint64_t at = 0;
  for (auto _ : state) {
    need(database->put_item({.table_name = "orders", .item = sent_orders(change)[turn + at]}), "put");
    if (++at < count) continue;
    at = 0;
    turn = kOrders - turn;
  }
}

void put_order(State& state, Where where, Table table) { put_orders(state, where, table, Change::Note); }
void put_total(State& state, Where where, Table table) { put_orders(state, where, table, Change::Total); }

void update_order(State& state, Where where, Table table) {
  const std::unique_ptr<Database> database = open_orders(where, table);
  const std::uint64_t count = where == Where::Synced ? kOrders / 10 : kOrders;
  std::vector<PackedItem> keys;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Item item = order(i);
    keys.push_back(need(pack({{"PK", item.at("PK")}, {"SK", item.at("SK")}}), "key"));
  }
  std::uint64_t number = 0;
  for (auto _ : state) {
    ItemWriter values;
    values.name(":n");
    values.number(static_cast<std::int64_t>(++number));
    need(database->update_item({.table_name = "orders",
                                .key = keys[number % count],
                                .update_expression = "SET price = :n",
                                .values = std::move(values).finish()}),
         "update");
  }
}

// Keeps the totals of a shop as a client must where no design does it.
void add_to_counter(State& state, Where where, Table table) {
  const std::unique_ptr<Database> database = open_orders(where, table);
  std::vector<PackedItem> keys;
  for (std::uint64_t i = 0; i < 100; ++i)
    keys.push_back(need(pack({{"PK", "SHOP#s" + std::to_string(i)}, {"SK", "TOTALS"}}), "key"));
  std::int64_t number = 0;
  for (auto _ : state) {
    ItemWriter values;
    values.name(":n");
    values.number(++number);
    values.name(":one");
    values.number(1);
    need(database->update_item({.table_name = "orders",
                                .key = keys[static_cast<std::size_t>(number) % keys.size()],
                                .update_expression = "ADD orders :one, revenue :n",
                                .values = std::move(values).finish()}),
         "add");
  }
}

}  // namespace

void register_governed_benchmarks() {
  constexpr std::array kWheres{std::pair("synced", Where::Synced), std::pair("relaxed", Where::Relaxed),
                               std::pair("memory", Where::Memory)};
  for (const auto& [where_name, where] : kWheres) {
    const auto add = [&](const std::string& what, const char* who, auto body, Table table) {
      const std::string full = what + "/" + where_name + "/" + who;
      measured(benchmark::RegisterBenchmark(full.c_str(), body, where, table));
    };
    for (const auto& [name, table] :
         {std::pair("plain", Table::Plain), std::pair("governed", Table::Governed)}) {
      add("put an order", name, put_order, table);
      add("update an order", name, update_order, table);
      add("put an order, other total", name, put_total, table);
    }
    add("put an order, other total", "counted", put_total, Table::Counted);
    add("add to a counter", "plain", add_to_counter, Table::Plain);
  }
}

}  // namespace tavola::bench
