// The example of README.md, which shows play(). tests/readme.py compares and runs it.
#include <iostream>

#include <tavola/tavola.h>

using namespace tavola;

// A table that is there already, with its items, is used.
Result<void> create_music(Database& db) {
  auto created = db.create_table({.table_name = "Music",
                                  .attribute_definitions = {{"Artist"}, {"Song"}},
                                  .key_schema = {{"Artist"}, {"Song", KeyType::Range}}});
  if (!created && created.error().code() != ErrorCode::ResourceInUse) return fail(created.error());
  return {};
}

Result<void> play() {
  TAVOLA_TRY(auto db, tavola::open("music-data"));  // a directory; open_in_memory() needs none
  TAVOLA_CHECK(create_music(*db));
  Table music(*db, "Music");
  TAVOLA_CHECK(music.update({{"Artist", "Nina Simone"}, {"Song", "Sinnerman"}}, "ADD Plays :one",
                            {.values = {{":one", 1}}}));
  for (const auto& song : music.query("Artist = :a", {.values = {{":a", "Nina Simone"}}})) {
    TAVOLA_CHECK(song);  // an error is a value: DynamoDB's exception with its message
    std::cout << to_json(*song) << '\n';
  }
  return {};
}

int main() {
  const Result<void> played = play();
  if (!played) std::cerr << played.error().message() << '\n';
  return played ? 0 : 1;
}
