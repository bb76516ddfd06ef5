// The building blocks of generated headers. tests/gen compiles whole ones; these are the cases they cannot show.
#include <gtest/gtest.h>

#include <tavola/detail/typed_design.h>

namespace tavola {
namespace {

constexpr std::string_view kSongs = R"(design: 1
name: songs
table: { name: songs, hash: PK, range: SK }
entities:
  Song:
    key: { PK: ARTIST#<artist>, SK: SONG#<title> }
    attributes:
      artist: { type: string, required: true }
      title: { type: string, required: true }
      year: { type: integer }
patterns:
  songsOf: { query: Song, via: table, hash: ARTIST#<artist>, range: begins_with SONG#, limit: 2 }
operations:
  addSong: { steps: [{ put: Song }] }
)";

struct Song {
  std::string title{};
  std::optional<std::int64_t> year{};
  static void fields(auto& song, auto& each) {
    each("title", song.title);
    each("year", song.year);
  }
};

// A struct that was generated from another revision.
struct NumberedSong {
  std::int64_t title{};
  static void fields(auto& song, auto& each) { each("title", song.title); }
};

class TypedDesignTest : public testing::Test {
 protected:
  TypedDesignTest() : database_(open_in_memory()), design_(*RunningDesign::open(*database_, kSongs)) {
    EXPECT_TRUE(design_.prepare_table());
    for (const char* title : {"a", "b", "c", "d", "e"}) {
      EXPECT_TRUE(design_.perform("addSong", {{"artist", "x"}, {"title", title}}));
    }
  }

  std::unique_ptr<Database> database_;
  RunningDesign design_;
};

TEST(RunningDesignTest, IsForAPersonWhatTheirRolesAllow) {
  constexpr std::string_view kNotes = R"(design: 1
name: notes
table: { name: notes, hash: PK, range: SK }
entities:
  Note:
    key: { PK: USER#<user>, SK: NOTE#<note> }
    ids: { user: { type: string, only: caller() }, note: string }
    attributes: { text: string, by: { type: string, only: caller() } }
patterns:
  notesOf: { query: Note, via: table, hash: USER#<user>, filter: by = caller() }
operations:
  write: { steps: [{ put: Note, as: written }], returns: written }
roles:
  user: { is: logged-in, run: [notesOf, write], read: [Note], write: [Note], own: user }
)";
  const auto database = open_in_memory();
  auto design = *RunningDesign::open(*database, kNotes);
  ASSERT_TRUE(design.prepare_table());
  const RunningDesign anna = design.as({.sub = "anna"});
  const auto written = anna.perform("write", {{"note", "1"}, {"text", "a"}});
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(written->returned->fields.at("by"), Value("anna"));
  EXPECT_EQ(anna.perform("write", {{"note", "1"}, {"user", "ben"}}).error().code(), ErrorCode::AccessDenied);
  EXPECT_EQ(anna.perform("write", {{"note", "1"}, {"by", "ben"}}).error().message(),
            "by is caller(), which is \"anna\" (was \"ben\"); leave it out");
  EXPECT_EQ(design.as({}).perform("write", {{"note", "2"}}).error().code(), ErrorCode::AccessDenied);
  // The program itself must pass the user.
  EXPECT_EQ(design.perform("write", {{"note", "2"}}).error().message(), "user is required");
  EXPECT_TRUE(design.perform("write", {{"note", "2"}, {"user", "anna"}, {"by", "ben"}}));
  const auto found = anna.ask("notesOf", {});
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_EQ(found->entities.size(), 1);
  EXPECT_EQ(found->entities.front().fields.at("note"), Value("1"));
}

TEST_F(TypedDesignTest, AllPagesAreOneRange) {
  const auto all = Entities<Song>(design_, "songsOf", {{"artist", "x"}}).all();
  ASSERT_TRUE(all) << all.error().message();
  ASSERT_EQ(all->size(), 5);
  EXPECT_EQ(all->back().title, "e");
  EXPECT_FALSE(all->back().year);
}

TEST_F(TypedDesignTest, AnErrorIsTheLastElement) {
  int count = 0;
  for (const Result<NumberedSong>& song : Entities<NumberedSong>(design_, "songsOf", {{"artist", "x"}})) {
    EXPECT_FALSE(song);
    ++count;
  }
  EXPECT_EQ(count, 1);
  count = 0;
  for (const Result<Song>& song : Entities<Song>(design_, "songsOff", {})) {
    ASSERT_FALSE(song);
    EXPECT_NE(song.error().message().find("did you mean songsOf?"), std::string::npos);
    ++count;
  }
  EXPECT_EQ(count, 1);
}

TEST_F(TypedDesignTest, AWrongDesignIsToldLineByLine) {
  const auto wrong = RunningDesign::open(*database_, "design: 1\nnam: x\n", {.file_name = "x.yaml"});
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message().find("x.yaml:2:1: "), std::string::npos) << wrong.error().message();
}

}  // namespace
}  // namespace tavola
