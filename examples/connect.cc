// Counts the visits of a page on a server: `tavola serve --in-memory`, then `connect http://127.0.0.1:8000`.
//
// Several of these programs may run at once: no visit is lost.
#include <iostream>

#include <tavola/tavola.h>

namespace {

using tavola::Result;

Result<void> create_visits(tavola::Database& db) {
  const auto created = db.create_table(
      {.table_name = "Visits", .attribute_definitions = {{"Page"}}, .key_schema = {{"Page"}}});
  if (!created && created.error().code() != tavola::ErrorCode::ResourceInUse) return fail(created.error());
  return {};
}

Result<void> visit(const char* address) {
  // A server that verifies credentials needs its own: tavola::default_credentials() finds them where AWS's tools do.
  TAVOLA_TRY(const auto db,
             tavola::connect({.address = address}, tavola::Credentials{"anybody", "anything"}));
  TAVOLA_CHECK(create_visits(*db));
  TAVOLA_TRY(const auto key, tavola::pack({{"Page", "start"}}));
  TAVOLA_TRY(const auto one, tavola::pack({{":one", 1}}));
  TAVOLA_TRY(const auto updated, db->update_item({.table_name = "Visits",
                                                  .key = key,
                                                  .update_expression = "ADD Visits :one",
                                                  .values = one,
                                                  .return_values = tavola::ReturnValues::UpdatedNew}));
  std::cout << updated.attributes->unpack().at("Visits").number().to_string() << " visits\n";
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: connect URL\n";
    return 2;
  }
  const Result<void> outcome = visit(argv[1]);
  if (!outcome) {
    std::cerr << tavola::exception_name(outcome.error().code()) << ": " << outcome.error().message() << '\n';
    return 1;
  }
}
