// A request's JSON, from bytes to a response: any body gets one JSON response, and a refused request changes nothing.
// The first byte chooses the operation.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <tavola/tavola.h>

#include "base/assert.h"
#include "wire/codec/json.h"
#include "wire/service.h"

namespace {

using namespace tavola;

// Created again after a while, so that stored inputs cannot pile up.
Database& database() {
  static std::unique_ptr<Database> made;
  static int uses = 0;
  if (!made || ++uses % 10'000 == 0) {
    made = open_in_memory();
    const auto created = made->create_table(
        {.table_name = "Music",
         .attribute_definitions = {{"Artist"}, {"Song"}, {"Year", Type::Number}},
         .key_schema = {{"Artist"}, {"Song", KeyType::Range}},
         .global_indexes = {{.name = "byYear", .key_schema = {{"Year"}}}},
         .local_indexes = {{.name = "local", .key_schema = {{"Artist"}, {"Year", KeyType::Range}}}}});
    TAVOLA_ASSERT(created.has_value());
  }
  return *made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto operations = wire::all_operations();
  const wire::KnownOperation& operation = operations[data[0] % operations.size()];
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const wire::Answer answer = wire::run(operation, database(), ServerIdentity{}, body);
  TAVOLA_ASSERT(answer.status == 200 || answer.status == 400);  // never a server error
  TAVOLA_ASSERT(answer.body.empty() || wire::JsonDocument::parse(answer.body).has_value());
  return 0;
}
