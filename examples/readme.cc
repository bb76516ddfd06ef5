#include <iostream>

#include <tavola/tavola.h>

int main() {
  auto db = tavola::open("music-data").value();  // a directory; open_in_memory() needs none
  db->create_table({.table_name = "Music",       // refused, and nothing changed, when it exists
                    .attribute_definitions = {{"Artist"}, {"Song"}},
                    .key_schema = {{"Artist"}, {"Song", tavola::KeyType::Range}}});

  tavola::Table music(*db, "Music");
  music.put({{"Artist", "Nina Simone"}, {"Song", "Feeling Good"}, {"Year", 1965}});
  music.update({{"Artist", "Nina Simone"}, {"Song", "Sinnerman"}},
               "SET Plays = if_not_exists(Plays, :zero) + :one", {.values = {{":zero", 0}, {":one", 1}}});

  for (const auto& song : music.query("Artist = :artist", {.values = {{":artist", "Nina Simone"}}})) {
    if (!song) {  // an error is a value: DynamoDB's exception and its words
      std::cerr << song.error().message() << '\n';
      return 1;
    }
    std::cout << tavola::to_json(*song) << '\n';
  }
}
