// Records of jobs: they are read as written, and so are records of versions that wrote no kind.
#include "engine/records/job.h"

#include <gtest/gtest.h>

#include <tavola/packed.h>

namespace tavola::engine {
namespace {

constexpr JobKind kKinds[] = {JobKind::Copies,    JobKind::Cascade,    JobKind::Adoption,
                              JobKind::Migration, JobKind::IndexBuild, JobKind::Restore};

TEST(Job, SaysItsKind) {
  for (const JobKind kind : kKinds) {
    const Result<std::string> record = encode_job(kind, "Music", {{"id", "7"}});
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
    const Result<PackedItem> record = pack({{"table", "Music"}, {attribute, true}});
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
  EXPECT_FALSE(decode_job("no item").has_value());
}

}  // namespace
}  // namespace tavola::engine
