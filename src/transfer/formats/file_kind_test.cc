#include "transfer/formats/file_kind.h"

#include <gtest/gtest.h>

namespace tavola::transfer {
namespace {

struct NamedFile {
  const char* file;
  const char* format;
  const char* compression;
  FileKind kind;
};

TEST(FileKind, IsToldByTheNameOrSaid) {
  const NamedFile cases[] = {
      {"a.jsonl", "", "", {Format::Lines, Compression::None}},
      {"a.ndjson.gz", "", "", {Format::Lines, Compression::Gzip}},
      {"a.json.zst", "", "", {Format::Lines, Compression::Zstd}},
      {"dir.csv/a.json", "", "", {Format::Lines, Compression::None}},
      {"a.csv.gzip", "", "", {Format::Csv, Compression::Gzip}},
      {"a.csv.zstd", "", "", {Format::Csv, Compression::Zstd}},
      {"a.json", "workbench", "", {Format::Workbench, Compression::None}},
      {"a", "csv", "", {Format::Csv, Compression::None}},
      {"a.gz", "jsonl", "", {Format::Lines, Compression::Gzip}},
      {"a.csv", "", "gzip", {Format::Csv, Compression::Gzip}},
      {"a.csv.gz", "jsonl", "none", {Format::Lines, Compression::None}},
  };
  for (const NamedFile& one : cases) {
    const Result<FileKind> kind = kind_of(one.file, one.format, one.compression);
    ASSERT_TRUE(kind) << one.file;
    EXPECT_EQ(*kind, one.kind) << one.file;
  }
}

TEST(FileKind, IsRefusedWithWhatToDo) {
  EXPECT_EQ(kind_of("a.txt").error().message(),
            "the name of a.txt does not show its format; add --format jsonl or csv");
  EXPECT_EQ(kind_of("a.csv", "xml").error().message(), "the formats are jsonl, csv and workbench (was xml)");
  EXPECT_EQ(kind_of("a.csv", "", "bz2").error().message(),
            "a file is compressed with none, gzip or zstd (was bz2)");
}

}  // namespace
}  // namespace tavola::transfer
