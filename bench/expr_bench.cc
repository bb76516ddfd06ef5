// Expressions: "compile" binds a text that was parsed before (parsing is cached by text), "evaluate" applies
// the compiled expression to an item of 1 KB.
#include <benchmark/benchmark.h>

#include "bench/data.h"
#include "bench/suites.h"
#include "expr/evaluate/compile.h"

namespace tavola::bench {

namespace {

constexpr const char* kCondition =
    "attribute_exists(pk) AND #p BETWEEN :low AND :high AND contains(tags, :tag)";
constexpr const char* kUpdate = "SET #s = :state, address.zip = :zip ADD #c :one";
constexpr const char* kProjection = "pk, sk, #p, address.city";
constexpr const char* kKeyCondition = "pk = :pk AND sk BETWEEN :low AND :high";

struct Parameters {
  AttributeNames names{{"#p", "price"}, {"#s", "state"}, {"#c", "count"}};
  PackedItem values = need(pack({{":low", 0},
                                 {":high", 2000},
                                 {":tag", "gift"},
                                 {":state", "delivered"},
                                 {":zip", "34100"},
                                 {":one", 1},
                                 {":pk", "customer#00000001"}}),
                           "values");
};

template <class Compile>
void compile(benchmark::State& state, Compile one) {
  const Parameters parameters;
  for (auto _ : state) {
    expr::Compiler compiler(parameters.names, parameters.values.view());
    benchmark::DoNotOptimize(need(one(compiler), "compile"));
  }
}

template <class Compile, class Evaluate>
void evaluate(benchmark::State& state, Compile one, Evaluate use) {
  const Parameters parameters;
  const PackedItem item = need(pack(big_item(1)), "pack");
  expr::Compiler compiler(parameters.names, parameters.values.view());
  const auto compiled = need(one(compiler), "compile");
  for (auto _ : state) benchmark::DoNotOptimize(use(compiled, item.view()));
}

}  // namespace

void register_expr_benchmarks() {
  const auto condition = [](expr::Compiler& compiler) { return compiler.condition(kCondition); };
  const auto update = [](expr::Compiler& compiler) { return compiler.update(kUpdate); };
  const auto projection = [](expr::Compiler& compiler) { return compiler.projection(kProjection); };
  const auto key_condition = [](expr::Compiler& compiler) { return compiler.key_condition(kKeyCondition); };
  using benchmark::RegisterBenchmark;
  using benchmark::State;
  measured(
      RegisterBenchmark("condition compile/expr/tavola", [=](State& state) { compile(state, condition); }));
  measured(RegisterBenchmark("update compile/expr/tavola", [=](State& state) { compile(state, update); }));
  measured(
      RegisterBenchmark("projection compile/expr/tavola", [=](State& state) { compile(state, projection); }));
  measured(RegisterBenchmark("key condition compile/expr/tavola",
                             [=](State& state) { compile(state, key_condition); }));
  measured(RegisterBenchmark("condition evaluate/expr/tavola", [=](State& state) {
    evaluate(state, condition,
             [](const expr::Condition& one, const ItemView& item) { return one.holds(item); });
  }));
  measured(RegisterBenchmark("update evaluate/expr/tavola", [=](State& state) {
    evaluate(state, update,
             [](const expr::Update& one, const ItemView& item) { return need(one.apply(item), "update"); });
  }));
  measured(RegisterBenchmark("projection evaluate/expr/tavola", [=](State& state) {
    evaluate(state, projection,
             [](const expr::Projection& one, const ItemView& item) { return one.apply(item); });
  }));
}

}  // namespace tavola::bench
