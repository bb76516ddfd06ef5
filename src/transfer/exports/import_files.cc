#include "transfer/exports/import_files.h"

#include <memory>
#include <optional>

#include "transfer/exports/buckets.h"
#include "transfer/formats/byte_stream.h"
#include "transfer/formats/item_reader.h"
#include "transfer/walk/item_loader.h"

namespace tavola::transfer {
namespace {

Compression compression_of(InputCompression compression) {
  switch (compression) {
    case InputCompression::Gzip:
      return Compression::Gzip;
    case InputCompression::Zstd:
      return Compression::Zstd;
    case InputCompression::None:
      break;
  }
  return Compression::None;
}

Error stopped() { return {ErrorCode::Io, "the server was stopped"}; }

// Ends when the server stops, even in the middle of a record, which may be of any length.
class StoppingSource final : public ByteSource {
 public:
  StoppingSource(std::unique_ptr<ByteSource> source, const std::atomic<bool>& is_stopping)
      : source_(std::move(source)), is_stopping_(is_stopping) {}
  Result<std::size_t> read(std::span<char> into) override {
    if (is_stopping_) return fail(stopped());
    return source_->read(into);
  }
  std::uint64_t file_bytes() const override { return source_->file_bytes(); }

 private:
  const std::unique_ptr<ByteSource> source_;
  const std::atomic<bool>& is_stopping_;
};

class Import {
 public:
  explicit Import(const ImportJob& job)
      : job_(job),
        loader_({.database = job.database,
                 .table = job.table,
                 .threads = 4,
                 .keeps_going = true,
                 .report = [this](const Origin& origin, const Error& error) { note(origin, error); },
                 .pause = job.pause}) {}

  Result<ImportedFiles> run() {
    TAVOLA_TRY(files_, files_with_prefix(job_.bucket, job_.request.prefix));
    done_.files = files_.size();
    for (const FoundFile& file : files_) TAVOLA_CHECK(read(file));
    TAVOLA_CHECK(loader_.drain());
    done_.imported = loader_.put();
    done_.wrong = loader_.refused();
    return done_;
  }

 private:
  void note(const Origin& origin, const Error& error) {
    if (done_.first_wrong.empty()) done_.first_wrong = at_origin(origin, error.message());
  }

  Result<void> read(const FoundFile& file) {
    auto source = open_source(file.path, compression_of(job_.request.compression));
    if (!source) return loader_.refuse({file.key, 0}, source.error());
    const ReadOptions options{.format = job_.request.format == InputFormat::Csv ? Format::Csv : Format::Lines,
                              .csv = job_.request.csv,
                              .definitions = job_.request.table.attribute_definitions,
                              .wrapping = Wrapping::Needed};
    const auto reader =
        read_items(std::make_unique<StoppingSource>(*std::move(source), job_.is_stopping), options);
    if (job_.is_stopping) return fail(stopped());
    if (!reader) return loader_.refuse({file.key, 1}, reader.error());
    for (;;) {
      Result<std::optional<Record>> next = (*reader)->next();
      if (job_.is_stopping) return fail(stopped());
      if (!next) {
        TAVOLA_CHECK(loader_.refuse({file.key, 0}, next.error()));
        break;
      }
      std::optional<Record> record = *std::move(next);
      if (!record) break;
      const Origin origin{file.key, record->line};
      if (record->item) {
        TAVOLA_CHECK(loader_.add({.item = *std::move(record->item), .origin = origin}));
        continue;
      }
      TAVOLA_CHECK(loader_.refuse(origin, record->item.error()));
      // On AWS an unreadable item ends its file only.
      if (!record->is_readable) break;
    }
    done_.bytes += (*reader)->text_bytes();
    return {};
  }

  const ImportJob& job_;
  std::vector<FoundFile> files_;  // origins borrow their keys
  ImportedFiles done_;
  ItemLoader loader_;  // destroyed first: its threads call back
};

}  // namespace

Result<ImportedFiles> read_import(const ImportJob& job) { return Import(job).run(); }

}  // namespace tavola::transfer
