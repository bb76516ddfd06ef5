// The cost of governing: equal writes to a table with a design and to one without. The design has the usual features:
// keys and index keys from templates, derived and automatic fields, bounds, a lifecycle; and no copies.
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
patterns:
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

enum class Table : std::uint8_t { Plain, Governed };

// Returns the orders that clients send repeatedly: each with another note, so that every put changes something.
const std::vector<PackedItem>& sent_orders() {
  static const std::vector<PackedItem> orders = [] {
    std::vector<PackedItem> made;
    made.reserve(2 * kOrders);
    for (std::uint64_t i = 0; i < 2 * kOrders; ++i) {
      Item item = complete_order(i % kOrders).unpack();
      item["note"] = std::to_string(i) + item["note"].string();
      made.push_back(need(pack(item), "order"));
    }
    return made;
  }();
  return orders;
}

std::unique_ptr<Database> open_orders(Where where, Table table) {
  const std::string name = table == Table::Plain ? "orders-plain" : "orders-governed";
  const Durability durability = where == Where::Synced ? Durability::Synced : Durability::Relaxed;
  std::unique_ptr<Database> database =
      where == Where::Memory ? open_in_memory()
                             : need(open(fresh_directory(name), {.durability = durability}), "open");
  const design::Loaded loaded = design::load(kDesign, "orders.yaml");
  if (!loaded.design) give_up("load", "the design has errors");
  need(database->create_table(design::table_schema(*loaded.design)), "create");
  if (table == Table::Governed) {
    need(database->govern_table({.table_name = "orders", .design = kDesign, .file_name = "orders.yaml"}),
         "govern");
  }
  const std::uint64_t count = where == Where::Synced ? kOrders / 10 : kOrders;  // each waits for the disk
  for (std::uint64_t i = 0; i < count; ++i)
    need(database->put_item({.table_name = "orders", .item = sent_orders()[i]}), "put");
  return database;
}

void put_order(State& state, Where where, Table table) {
  const std::unique_ptr<Database> database = open_orders(where, table);
  const std::uint64_t count = where == Where::Synced ? kOrders / 10 : kOrders;
  std::uint64_t turn = kOrders;
  std::uint64_t at = 0;
  for (auto _ : state) {
    need(database->put_item({.table_name = "orders", .item = sent_orders()[turn + at]}), "put");
    if (++at < count) continue;
    at = 0;
    turn = kOrders - turn;
  }
}

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

}  // namespace

void register_governed_benchmarks() {
  constexpr std::array kWheres{std::pair("synced", Where::Synced), std::pair("relaxed", Where::Relaxed),
                               std::pair("memory", Where::Memory)};
  for (const auto& [where_name, where] : kWheres) {
    for (const auto& [name, table] :
         {std::pair("plain", Table::Plain), std::pair("governed", Table::Governed)}) {
      const auto add = [&](const char* what, auto body) {
        const std::string full = std::string(what) + "/" + where_name + "/" + name;
        measured(benchmark::RegisterBenchmark(full.c_str(), body, where, table));
      };
      add("put an order", put_order);
      add("update an order", update_order);
    }
  }
}

}  // namespace tavola::bench
