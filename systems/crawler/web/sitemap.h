// Sitemaps (sitemaps.org): XML of pages, XML of further sitemaps, or text with an address per line; each may be compressed by gzip.
// Read as a stream: a sitemap of 50,000 entries takes no more memory than one of ten.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/time.h>

namespace crawler {

// The limits of the protocol, of one file, uncompressed.
inline constexpr std::size_t kSitemapEntriesMax = 50'000;
inline constexpr std::size_t kSitemapBytesMax = std::size_t{50} * 1024 * 1024;

struct SitemapEntry {
  enum class Kind : std::uint8_t { Page, Sitemap };
  Kind kind = Kind::Page;
  std::string location{};
  // The latest moment that the entry's lastmod can mean: a date means the end of its day. Nullopt: unknown.
  std::optional<tavola::WallTime> changed_until{};
};

// Thread safety: one thread.
class SitemapReader {
 public:
  using OnEntry = std::function<void(const SitemapEntry&)>;
  explicit SitemapReader(OnEntry on_entry);
  ~SitemapReader();
  SitemapReader(const SitemapReader&) = delete;
  SitemapReader& operator=(const SitemapReader&) = delete;

  // Takes the next bytes of the file. Returns false when the rest is not needed: the file is broken, or a limit is reached. The
  // entries before that place count.
  bool read(std::string_view bytes);
  void finish();  // the file has ended

  std::size_t entries() const;
  const std::string& problem() const;  // empty if there is none

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Reads a date or a time of W3C-DTF ("2024-01-31", "2024-01-31T10:00:00+02:00") as the latest moment that it can mean.
std::optional<tavola::WallTime> latest_moment_of(std::string_view text);

}  // namespace crawler
