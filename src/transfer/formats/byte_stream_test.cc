#include "transfer/formats/byte_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/test_files.h"
#include "transfer/formats/compression.h"
#include "transfer/formats/test_text.h"
#include "value/test_generators.h"

namespace tavola::transfer {
namespace {

constexpr Compression kAll[] = {Compression::None, Compression::Gzip, Compression::Zstd};

Result<std::string> read_to_end(ByteSource& source, std::size_t piece_bytes) {
  std::string text;
  std::string piece(piece_bytes, '\0');
  for (;;) {
    TAVOLA_TRY(const std::size_t got, source.read(piece));
    if (got == 0) return text;
    text.append(piece, 0, got);
  }
}

RC_GTEST_PROP(ByteStream, CompressedBytesComeBack, ()) {
  const std::string bytes = *arbitrary_bytes();
  Dice dice = *arbitrary_dice();
  for (const Compression compression : kAll) {
    // Written in several parts, like a resumed file.
    const std::size_t middle = dice.below(bytes.size() + 1);
    const std::string whole = compressed(std::string_view(bytes).substr(0, middle), compression) +
                              compressed(std::string_view(bytes).substr(middle), compression);
    const auto source = source_of(whole, compression);
    RC_ASSERT(read_to_end(*source, 1 + dice.below(20)).value() == bytes);
    RC_ASSERT(source->file_bytes() == whole.size());
  }
}

TEST(ByteStream, WhatIsCutOrNotCompressedIsTold) {
  const std::string text(100'000, 'x');
  for (const Compression compression : {Compression::Gzip, Compression::Zstd}) {
    const std::string whole = compressed(text + "y", compression);
    for (const std::size_t size : {std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
      const auto cut = source_of(std::string_view(whole).substr(0, size), compression);
      const Result<std::string> read = read_to_end(*cut, 1000);
      ASSERT_FALSE(read) << size;
      EXPECT_THAT(read.error().message(), testing::HasSubstr("truncated")) << size;
    }
    const auto plain = source_of("{\"Item\": {}}", compression);
    EXPECT_THAT(read_to_end(*plain, 1000).error().message(),
                testing::HasSubstr("use --compression none for a plain file"));
    const auto empty = source_of("", compression);
    EXPECT_EQ(read_to_end(*empty, 1000).value(), "");
  }
}

TEST(ByteStream, AFileIsGoneOnWithBehindWhatIsSettled) {
  const TestFolder folder;
  for (const Compression compression : kAll) {
    const auto path = folder.path() / std::string(compression_name(compression));
    std::uint64_t settled = 0;
    {
      const auto sink = open_sink(path, compression).value();
      ASSERT_TRUE(sink->write("first "));
      settled = sink->settle().value();
      ASSERT_TRUE(sink->write("lost"));
      ASSERT_TRUE(sink->settle());
    }
    {
      const auto sink = open_sink(path, compression, settled).value();
      ASSERT_TRUE(sink->write("second"));
      const std::uint64_t whole = sink->settle().value();
      EXPECT_EQ(whole, std::filesystem::file_size(path));
      EXPECT_EQ(sink->settle().value(), whole) << "nothing more";
    }
    EXPECT_EQ(read_to_end(*open_source(path, compression).value(), 4).value(), "first second");
  }
}

TEST(ByteStream, FilesThatCannotBeReadAreTold) {
  const TestFolder folder;
  EXPECT_THAT(open_source(folder.path() / "none", Compression::None).error().message(),
              testing::HasSubstr("No such file"));
  EXPECT_THAT(open_source(folder.path(), Compression::None).error().message(),
              testing::HasSubstr("Is a directory"));
  EXPECT_THAT(open_sink(folder.path() / "no" / "folder", Compression::None).error().message(),
              testing::HasSubstr("No such file"));
}

}  // namespace
}  // namespace tavola::transfer
