// TagResource, UntagResource and ListTagsOfResource on both stores. The words were seen on AWS (and collected by the
// project ack-api-quirks, DDB-TABLE-105 to 108 and 372).
#include "engine/checks/tags.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_actions.h"
#include "engine/test_database.h"
#include "engine/test_tables.h"

namespace tavola::engine {
namespace {

using testing::IsEmpty;

class TagsOfTables : public testing::TestWithParam<StoreKind> {
 protected:
  TagsOfTables() : db_(GetParam()) { EXPECT_TRUE(db_->create_table(good_table("Music"))); }

  void tag(const Tags& tags) {
    const auto done = db_->tag_resource({"Music", tags});
    EXPECT_TRUE(done) << text_of(done.error());
  }
  void untag(const std::vector<std::string>& keys) {
    const auto done = db_->untag_resource({"Music", keys});
    EXPECT_TRUE(done) << text_of(done.error());
  }
  Tags listed(const std::string& table = "Music") {
    const auto response = db_->list_tags_of_resource({table});
    EXPECT_TRUE(response) << text_of(response.error());
    return response ? response->tags : Tags();
  }
  std::string tag_error(const Tags& tags) {
    return error_of([&] { return db_->tag_resource({"Music", tags}); });
  }
  std::string untag_error(const std::vector<std::string>& keys) {
    return error_of([&] { return db_->untag_resource({"Music", keys}); });
  }

  TestDatabase db_;

 private:
  template <class Call>
  std::string error_of(const Call& call) {
    const Dump before = db_.dump();
    const auto done = call();
    EXPECT_TRUE(done || db_.dump() == before) << "a failed request changed the store";
    return done ? "done" : text_of(done.error());
  }
};

INSTANTIATE_TEST_SUITE_P(Engine, TagsOfTables, testing::ValuesIn(kStoreKinds),
                         [](const auto& kind) { return to_string(kind.param); });

Tags numbered(int from, int to) {
  Tags tags;
  for (int i = from; i < to; ++i) tags.emplace("key" + std::to_string(i), "value");
  return tags;
}

TEST_P(TagsOfTables, AddedReplacedAndRemoved) {
  EXPECT_THAT(listed(), IsEmpty());
  tag({{"team", "blue"}, {"Team", ""}});
  tag({{"team", "red"}, {"cost centre", "a+b-c=d.e_f:g/h@i"}});
  EXPECT_EQ(listed(), (Tags{{"team", "red"}, {"Team", ""}, {"cost centre", "a+b-c=d.e_f:g/h@i"}}));
  untag({"Team", "nobody"});
  EXPECT_EQ(listed(), (Tags{{"team", "red"}, {"cost centre", "a+b-c=d.e_f:g/h@i"}}));
  untag({"team", "cost centre"});
  EXPECT_THAT(listed(), IsEmpty());
}

TEST_P(TagsOfTables, GivenWithTheTable) {
  CreateTableRequest request = simple_table("Tagged");
  request.tags = {{"a", "1"}, {"b", "2"}};
  ASSERT_TRUE(db_->create_table(request));
  EXPECT_EQ(listed("Tagged"), request.tags);
  EXPECT_THAT(listed("Music"), IsEmpty());
}

TEST_P(TagsOfTables, FiftyAtMost) {
  const std::string too_many =
      "ValidationException: Number of Tags exceed the current limit for the provided ResourceArn";
  tag(numbered(0, 49));
  EXPECT_EQ(tag_error(numbered(40, 51)), too_many) << "together they would be 51";
  tag(numbered(40, 50));
  tag(numbered(0, 50));
  EXPECT_EQ(tag_error({{"one more", ""}}), too_many);
  EXPECT_EQ(tag_error(numbered(0, 51)), too_many);
  EXPECT_EQ(untag_error(std::vector<std::string>(51, "key")), too_many) << "so does AWS";
  EXPECT_EQ(listed().size(), 50U);

  CreateTableRequest request = simple_table("Tagged");
  request.tags = numbered(0, 51);
  const auto created = db_->create_table(request);
  ASSERT_FALSE(created);
  EXPECT_EQ(text_of(created.error()), too_many);
  EXPECT_FALSE(db_->describe_table({"Tagged"})) << "nothing is created";
}

TEST_P(TagsOfTables, WhatATagMayBe) {
  const auto bad_key = [](const std::string& key) {
    return "ValidationException: The Tag Key provided is invalid, Key: " + key;
  };
  const auto bad_value = [](const std::string& value) {
    return "ValidationException: The Tag Value provided is invalid, Value: " + value;
  };
  const std::string long_key(129, 'k');
  const std::string long_value(257, 'v');
  EXPECT_EQ(tag_error({}), "ValidationException: Atleast one Tag needs to be provided as Input.");
  EXPECT_EQ(untag_error({}), "ValidationException: Atleast one Tag Key needs to be provided as Input.");
  EXPECT_EQ(tag_error({{"", "x"}}), bad_key(""));
  EXPECT_EQ(untag_error({""}), bad_key(""));
  EXPECT_EQ(tag_error({{"good", "x"}, {long_key, "x"}}), bad_key(long_key));
  EXPECT_EQ(untag_error({long_key}), bad_key(long_key));
  EXPECT_EQ(tag_error({{"k", long_value}}), bad_value(long_value));
  EXPECT_EQ(tag_error({{"bad#char", "x"}}), bad_key("bad#char"));
  EXPECT_EQ(tag_error({{"k", "100%"}}), bad_value("100%"));
  EXPECT_EQ(tag_error({{"\xff", "x"}}), bad_key("\xff"));
  for (const std::string key : {"aws:x", "AWS:x"}) {
    const std::string reserved = "ValidationException: Tag Key cannot be prefixed with aws:, Key: " + key;
    EXPECT_EQ(tag_error({{key, "x"}}), reserved);
    EXPECT_EQ(untag_error({key}), reserved);
  }
  EXPECT_THAT(listed(), IsEmpty()) << "the good one of them was not kept";
  // Characters are counted, not bytes.
  std::string umlauts;
  for (int i = 0; i < 128; ++i) umlauts += "\u00e4";
  tag({{umlauts, umlauts + umlauts},
       {"myaws:x", " leading"},
       {std::string(128, 'k'), std::string(256, 'v')}});
  EXPECT_EQ(listed().size(), 3U);
}

TEST_P(TagsOfTables, OfNoTable) {
  const std::string not_found =
      "ResourceNotFoundException: Requested resource not found: Table: Nowhere not found";
  EXPECT_EQ(text_of(db_->tag_resource({"Nowhere", {{"a", "b"}}}).error()), not_found);
  EXPECT_EQ(text_of(db_->untag_resource({"Nowhere", {"a"}}).error()), not_found);
  EXPECT_EQ(text_of(db_->list_tags_of_resource({"Nowhere"}).error()), not_found);
}

TEST_P(TagsOfTables, GoWithTheTable) {
  tag({{"a", "b"}});
  ASSERT_TRUE(db_->delete_table({"Music"}));
  EXPECT_THAT(db_.leftovers(), IsEmpty());
  ASSERT_TRUE(db_->create_table(good_table("Music")));
  EXPECT_THAT(listed(), IsEmpty());
}

// Writers of items and of tags do not disturb each other, even if the table is replaced concurrently.
TEST_P(TagsOfTables, ChangedByManyAtOnce) {
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 60; ++i) {
          const std::string key = std::to_string(t) + "-" + std::to_string(i % 10);
          const auto done =
              i % 3 == 2 ? db_->untag_resource({"Music", {key}}) : db_->tag_resource({"Music", {{key, "x"}}});
          EXPECT_TRUE(done || done.error().code() == ErrorCode::ResourceNotFound) << text_of(done.error());
          const auto put = db_->put_item({.table_name = "Music", .item = *pack({{"pk", key}, {"sk", i}})});
          EXPECT_TRUE(put || put.error().code() == ErrorCode::ResourceNotFound) << text_of(put.error());
        }
      });
    }
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(db_->delete_table({"Music"}));
      EXPECT_TRUE(db_->create_table(good_table("Music")));
    }
  }
  ASSERT_TRUE(db_->delete_table({"Music"}));
  EXPECT_THAT(db_.leftovers(), IsEmpty());
}

TEST(TagsOnDisk, OutliveTheProcess) {
  TestDatabase db(StoreKind::Rocks);
  CreateTableRequest request = simple_table("Tagged");
  request.tags = {{"a", "1"}};
  request.stream = StreamView::OldImage;
  ASSERT_TRUE(db->create_table(request));
  ASSERT_TRUE(db->tag_resource({"Tagged", {{"b", "2"}}}));
  ASSERT_TRUE(db->update_time_to_live({"Tagged", "expires", true}));
  const TableDescription before = db->describe_table({"Tagged"})->table;
  db.reopen();
  EXPECT_EQ(db->list_tags_of_resource({"Tagged"})->tags, (Tags{{"a", "1"}, {"b", "2"}}));
  const TableDescription after = db->describe_table({"Tagged"})->table;
  EXPECT_EQ(after.stream, StreamView::OldImage);
  EXPECT_EQ(after.stream_since, before.stream_since);
  EXPECT_TRUE(after.stream_since.has_value());
  EXPECT_EQ(after.time_to_live_attribute, "expires");
}

}  // namespace
}  // namespace tavola::engine
