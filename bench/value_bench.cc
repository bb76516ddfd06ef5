// Numbers, keys and items in memory: the parts of every operation.
#include <array>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>

#include "bench/data.h"
#include "bench/suites.h"
#include "value/key_codec.h"

namespace tavola::bench {

namespace {

constexpr const char* kPrice = "29.99";
constexpr const char* kLongest = "-1.2345678901234567890123456789012345678E-100";  // 38 digits

void number_parse(benchmark::State& state, const char* text) {
  for (auto _ : state) benchmark::DoNotOptimize(Number::parse(text));
}

void number_format(benchmark::State& state, const char* text) {
  const Number number = need(Number::parse(text), "number");
  std::string out;
  for (auto _ : state) {
    out.clear();
    number.append_to(out);
    benchmark::DoNotOptimize(out.data());
  }
}

void number_add(benchmark::State& state) {
  const Number a = need(Number::parse("1234.56"), "number");
  const Number b = need(Number::parse("0.0000078"), "number");
  for (auto _ : state) {
    benchmark::DoNotOptimize(&a);
    benchmark::DoNotOptimize(a + b);
  }
}

void key_encode(benchmark::State& state) {
  const PackedItem key = key_of(123'456);
  std::string out;
  for (auto _ : state) {
    out.clear();
    append_key_part(out, attribute(key, kPartition));
    append_key_part(out, attribute(key, kSort));
    benchmark::DoNotOptimize(out.data());
  }
}

void key_decode(benchmark::State& state) {
  const PackedItem key = key_of(123'456);
  std::string encoded;
  append_key_part(encoded, attribute(key, kPartition));
  append_key_part(encoded, attribute(key, kSort));
  for (auto _ : state) {
    std::string_view in = encoded;
    ItemWriter writer;
    writer.name(kPartition);
    need(read_key_part(in, Type::String, writer), "decode");
    writer.name(kSort);
    need(read_key_part(in, Type::Number, writer), "decode");
    benchmark::DoNotOptimize(std::move(writer).finish());
  }
}

void item_pack(benchmark::State& state) {
  const Item item = big_item(1);
  for (auto _ : state) benchmark::DoNotOptimize(pack(item));
}

void item_unpack(benchmark::State& state) {
  const PackedItem item = need(pack(big_item(1)), "pack");
  for (auto _ : state) benchmark::DoNotOptimize(item.unpack());
}

void item_find(benchmark::State& state, const char* name) {
  const PackedItem item = need(pack(big_item(1)), "pack");
  for (auto _ : state) {
    benchmark::DoNotOptimize(&item);
    benchmark::DoNotOptimize(item.find(name));
  }
}

void item_check(benchmark::State& state) {
  const PackedItem item = need(pack(big_item(1)), "pack");
  for (auto _ : state) benchmark::DoNotOptimize(check_packed(item.bytes()));
}

void item_charge(benchmark::State& state) {
  const PackedItem item = need(pack(big_item(1)), "pack");
  for (auto _ : state) {
    benchmark::DoNotOptimize(&item);
    benchmark::DoNotOptimize(item_size(item.view()));
  }
}

}  // namespace

void register_value_benchmarks() {
  measured(benchmark::RegisterBenchmark("number parse 29.99/value/tavola", number_parse, kPrice));
  measured(benchmark::RegisterBenchmark("number parse 38 digits/value/tavola", number_parse, kLongest));
  measured(benchmark::RegisterBenchmark("number format 29.99/value/tavola", number_format, kPrice));
  measured(benchmark::RegisterBenchmark("number format 38 digits/value/tavola", number_format, kLongest));
  measured(benchmark::RegisterBenchmark("number add/value/tavola", number_add));
  measured(benchmark::RegisterBenchmark("key encode S+N/value/tavola", key_encode));
  measured(benchmark::RegisterBenchmark("key decode S+N/value/tavola", key_decode));
  measured(benchmark::RegisterBenchmark("item pack 1 KB/value/tavola", item_pack));
  measured(benchmark::RegisterBenchmark("item unpack 1 KB/value/tavola", item_unpack));
  measured(benchmark::RegisterBenchmark("item find first attribute/value/tavola", item_find, "active"));
  measured(benchmark::RegisterBenchmark("item find last attribute/value/tavola", item_find, "tags"));
  measured(benchmark::RegisterBenchmark("item check 1 KB/value/tavola", item_check));
  measured(benchmark::RegisterBenchmark("item size 1 KB/value/tavola", item_charge));
}

}  // namespace tavola::bench
