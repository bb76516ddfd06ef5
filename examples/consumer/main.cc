// A program outside of Tavola's tree: keeps books in memory and on disk, and asks an index for them.
#include <iostream>
#include <memory>

#include <tavola/tavola.h>

namespace {

using tavola::KeyType;
using tavola::Result;

Result<void> create_books(tavola::Database& db) {
  TAVOLA_CHECK(db.create_table({
      .table_name = "Books",
      .attribute_definitions = {{"Isbn"}, {"Author"}, {"Year", tavola::Type::Number}},
      .key_schema = {{"Isbn"}},
      .global_indexes = {{.name = "ByAuthor", .key_schema = {{"Author"}, {"Year", KeyType::Range}}}},
  }));
  tavola::Table books(db, "Books");
  TAVOLA_CHECK(
      books.put({{"Isbn", "1"}, {"Author", "Calvino"}, {"Year", 1972}, {"Title", "Le città invisibili"}}));
  TAVOLA_CHECK(
      books.put({{"Isbn", "2"}, {"Author", "Calvino"}, {"Year", 1957}, {"Title", "Il barone rampante"}}));
  TAVOLA_CHECK(
      books.put({{"Isbn", "3"}, {"Author", "Ginzburg"}, {"Year", 1963}, {"Title", "Lessico famigliare"}}));
  return {};
}

Result<void> print_books_of(tavola::Database& db, const char* author) {
  tavola::Table books(db, "Books");
  for (const auto& book : books.query("Author = :a", {.index = "ByAuthor", .values = {{":a", author}}})) {
    TAVOLA_CHECK(book);
    std::cout << book->at("Year").number().to_string() << ' ' << book->at("Title").string() << '\n';
  }
  return {};
}

Result<void> run(const char* directory) {
  const std::unique_ptr<tavola::Database> in_memory = tavola::open_in_memory();
  TAVOLA_CHECK(create_books(*in_memory));
  TAVOLA_CHECK(print_books_of(*in_memory, "Ginzburg"));

  // The database of a server, which is reached by the first call.
  TAVOLA_CHECK(tavola::connect({.address = "http://127.0.0.1:8000"}, tavola::default_credentials()));

  TAVOLA_TRY(auto on_disk, tavola::open(directory));
  TAVOLA_CHECK(create_books(*on_disk));
  on_disk.reset();
  TAVOLA_TRY(auto again, tavola::open(directory));
  return print_books_of(*again, "Calvino");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: consumer DIRECTORY\n";
    return 2;
  }
  const Result<void> outcome = run(argv[1]);
  if (!outcome) {
    std::cerr << tavola::exception_name(outcome.error().code()) << ": " << outcome.error().message() << '\n';
    return 1;
  }
}
