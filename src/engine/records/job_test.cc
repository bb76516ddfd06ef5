// Records of jobs: they are read as written, and so are records of versions that wrote no kind.
#include "engine/records/job.h"

#include <gtest/gtest.h>

#include <tavola/packed.h>

namespace tavola::engine {
namespace {

// The attributes that every record of this kind has.
Item attributes_of(JobKind kind) {
  if (kind == JobKind::Copies) {
    const Map key{{"PK", "a"}};
    return {{"id", "7"}, {"source", Value(key)}, {"copies", Value(List{Value(key)})}};
  }
  if (kind == JobKind::Cascade)
    return {{"id", "7"}, {"gone", "Album"}, {"fields", Value(Map{{"album", "a"}})}};
  return {{"id", "7"}};
}

constexpr JobKind kKinds[] = {JobKind::Copies,    JobKind::Cascade,    JobKind::Adoption,
                              JobKind::Migration, JobKind::IndexBuild, JobKind::Restore};

TEST(Job, SaysItsKind) {
  for (const JobKind kind : kKinds) {
    const Result<std::string> record = encode_job(kind, "Music", attributes_of(kind));
    ASSERT_TRUE(record.has_value());
    const Result<Job> job = decode_job(*record);
    ASSERT_TRUE(job.has_value());
    EXPECT_EQ(job->kind, kind);
    EXPECT_EQ(job->table_name, "Music");
    EXPECT_EQ(job->attributes.at("id"), Value("7"));
  }
}

TEST(Job, OfAnOlderVersionIsKnownByItsAttributes) {
  const std::pair<const char*, JobKind> known[] = {
      {"copies", JobKind::Copies},     {"gone", JobKind::Cascade},     {"adopt", JobKind::Adoption},
      {"migrate", JobKind::Migration}, {"build", JobKind::IndexBuild}, {"restore", JobKind::Restore}};
  for (const auto& [attribute, kind] : known) {
    Item attributes = attributes_of(kind);
    attributes["table"] = "Music";
    attributes.try_emplace(attribute, true);
    const Result<PackedItem> record = pack(attributes);
    ASSERT_TRUE(record.has_value());
    const Result<Job> job = decode_job(record->bytes());
    ASSERT_TRUE(job.has_value()) << attribute;
    EXPECT_EQ(job->kind, kind) << attribute;
  }
}

TEST(Job, RefusesDamagedRecords) {
  const Item damaged[] = {{{"kind", 1}},
                          {{"table", 5}, {"kind", 1}},
                          {{"table", "Music"}, {"kind", 0}},
                          {{"table", "Music"}, {"kind", 7}},
                          {{"table", "Music"}, {"kind", "1"}}};
  for (const Item& record : damaged) {
    const Result<Job> job = decode_job(pack(record)->bytes());
    ASSERT_FALSE(job.has_value());
    EXPECT_EQ(job.error().code(), ErrorCode::Corrupt);
  }
  for (const JobKind kind : {JobKind::Copies, JobKind::Cascade}) {
    for (const char* name : {"source", "copies", "gone", "fields"}) {
      if (!attributes_of(kind).contains(name)) continue;
      Item lacks = attributes_of(kind);
      lacks.erase(name);
      Item differs = attributes_of(kind);
      differs[name] = 5;
      for (const Item& attributes : {lacks, differs}) {
        const Result<Job> job = decode_job(encode_job(kind, "Music", attributes).value());
        ASSERT_FALSE(job.has_value()) << name;
        EXPECT_EQ(job.error().code(), ErrorCode::Corrupt);
      }
    }
  }
  Item no_key = attributes_of(JobKind::Copies);
  no_key["copies"] = Value(List{Value("a")});
  EXPECT_FALSE(decode_job(encode_job(JobKind::Copies, "Music", no_key).value()).has_value());
  Item no_source = attributes_of(JobKind::Cascade);
  no_source["source"] = "a";
  EXPECT_FALSE(decode_job(encode_job(JobKind::Cascade, "Music", no_source).value()).has_value());
  EXPECT_FALSE(decode_job("no item").has_value());
}

}  // namespace
}  // namespace tavola::engine
