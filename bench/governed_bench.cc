// What it costs that a table keeps its design: the same writes on a table with a design and on one without. The design has what
// most have: keys and index keys from templates, derived and automatic fields, bounds, a lifecycle; and no copies.
#include <chrono>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "bench/data.h"
#include "bench/stage.h"
#include "bench/suites.h"
#include "design/load.h"
#include "design/table_schema.h"

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

// The orders as a table without a design must be given them: with all that a design computes.
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

std::unique_ptr<Database> open_orders(Table table) {
  std::unique_ptr<Database> database = open_in_memory();
  const design::Loaded loaded = design::load(kDesign, "orders.yaml");
  need(database->create_table(design::table_schema(*loaded.design)), "create");
  if (table == Table::Governed)
    need(database->govern_table({.table_name = "orders", .design = kDesign, .file_name = "orders.yaml"}),
         "govern");
  for (std::uint64_t i = 0; i < kOrders; ++i)
    need(database->put_item({.table_name = "orders", .item = complete_order(i)}), "put");
  return database;
}

void put_order(State& state, Table table) {
  const std::unique_ptr<Database> database = open_orders(table);
  Random random = fresh_random();
  for (auto _ : state) {
    const std::uint64_t number = random.below(kOrders);
    Item item = complete_order(number).unpack();
    item["note"] = std::to_string(random.below(1'000'000)) + std::string(600, 'n');
    PackedItem packed = need(pack(item), "order");
    const auto started = std::chrono::steady_clock::now();
    need(database->put_item({.table_name = "orders", .item = std::move(packed)}), "put");
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
  }
}

void update_order(State& state, Table table) {
  const std::unique_ptr<Database> database = open_orders(table);
  Random random = fresh_random();
  for (auto _ : state) {
    const Item item = order(random.below(kOrders));
    const PackedItem key = need(pack({{"PK", item.at("PK")}, {"SK", item.at("SK")}}), "key");
    const PackedItem values =
        need(pack({{":n", static_cast<std::int64_t>(random.below(1'000'000))}}), "values");
    const auto started = std::chrono::steady_clock::now();
    need(database->update_item(
             {.table_name = "orders", .key = key, .update_expression = "SET price = :n", .values = values}),
         "update");
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
  }
}

}  // namespace

void register_governed_benchmarks() {
  for (const auto& [name, table] :
       {std::pair("plain", Table::Plain), std::pair("governed", Table::Governed)}) {
    benchmark::RegisterBenchmark((std::string("put an order/memory/") + name).c_str(), put_order, table)
        ->UseManualTime();
    benchmark::RegisterBenchmark((std::string("update an order/memory/") + name).c_str(), update_order, table)
        ->UseManualTime();
  }
}

}  // namespace tavola::bench
