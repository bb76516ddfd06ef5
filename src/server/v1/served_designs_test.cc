// A changed design takes the place of the older one; requests that began before keep theirs.
#include "server/v1/served_designs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/load.h"

namespace tavola::server {
namespace {

design::Design design_of(const std::string& name, const std::string& table, const std::string& file) {
  const std::string text =
      "design: 1\nname: " + name + "\ntable: { name: " + table +
      ", hash: PK }\nentities:\n  Song:\n    key: { PK: SONG#<song> }\n    ids: { song: string "
      "}\npatterns:\n  getSong: { get: Song }\n";
  design::Loaded loaded = design::load(text, file);
  EXPECT_TRUE(loaded.design);
  return *loaded.design;
}

struct Place {
  std::string name;
  std::string table;
  std::string file;
  std::string older;  // name of the design whose place it takes; empty: none
};

class FindOlder : public testing::TestWithParam<Place> {};
TEST_P(FindOlder, FindsThePlaceOfTheNewerOne) {
  const std::vector<design::Design> served{design_of("music", "music", "music.yaml"),
                                           design_of("films", "media", "films.yaml"),
                                           design_of("books", "media", "books.yaml")};
  const Place& place = GetParam();
  const design::Design* const older =
      ServedDesigns::find_older(served, design_of(place.name, place.table, place.file));
  EXPECT_EQ(older == nullptr ? "" : older->name, place.older);
}
INSTANTIATE_TEST_SUITE_P(Places, FindOlder,
                         testing::Values(Place{"music", "music", "other.yaml", "music"},
                                         Place{"music", "music-test", "music.yaml", ""},
                                         Place{"songs", "music", "other.yaml", "music"},
                                         Place{"songs", "songs", "music.yaml", ""},
                                         Place{"songs", "media", "other.yaml", ""},
                                         Place{"books", "music", "music.yaml", ""}));

TEST(ServedDesigns, AChangeReplacesTheOlderDesignForNewRequests) {
  ServedDesigns served({.designs = {design_of("music", "music", "music.yaml")}});
  std::vector<std::string> heard;
  served.on_change([&](const std::shared_ptr<const DesignService>& next) {
    for (const DesignService::Route& route : next->routes()) heard.push_back(route.path);
  });
  const std::shared_ptr<const DesignService> before = served.service();
  served.replace(design_of("songs", "music", "songs.yaml"));
  EXPECT_EQ(before->designs().front().name, "music");
  EXPECT_EQ(served.designs()->front().name, "songs");
  EXPECT_EQ(served.designs()->front().file, "music.yaml");  // with which the server was started
  EXPECT_THAT(heard, testing::ElementsAre("/v1/songs/getSong"));
}

TEST(ServedDesigns, AnAppliedDesignIsServedAsLongAsItsTableExists) {
  ServedDesigns served({.designs = {design_of("music", "music", "music.yaml")}});
  EXPECT_TRUE(served.add(design_of("films", "films", "films.yaml")));
  EXPECT_FALSE(served.add(design_of("music", "other", "other.yaml")));  // the name is taken
  EXPECT_EQ(served.designs()->size(), 2U);
  EXPECT_TRUE(served.is_of_options(served.designs()->front()));
  EXPECT_FALSE(served.is_of_options(served.designs()->back()));
  served.forget_table("films");
  served.forget_table("music");  // the next table of this name gets the design of the options
  ASSERT_EQ(served.designs()->size(), 1U);
  EXPECT_EQ(served.designs()->front().name, "music");
}

}  // namespace
}  // namespace tavola::server
