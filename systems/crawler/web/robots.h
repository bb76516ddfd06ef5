// robots.txt (RFC 9309): which addresses of an origin this crawler may read, and how often.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawler {

// RFC 9309, section 2.5: at least this much of a file is read; the rest is ignored.
inline constexpr std::size_t kRobotsBytesMax = std::size_t{500} * 1024;

class Robots {
 public:
  // Reads the rules for a product token ("tavola-crawler"): all groups that name it, or else those of "*". Every text is a valid
  // file; lines that cannot be read are skipped.
  static Robots parse(std::string_view text, std::string_view product_token);
  static Robots allowing_all() { return {}; }

  // Returns whether a path with its query may be read. The longest matching rule decides; of two as long, Allow. Without a matching
  // rule everything is allowed, and so is /robots.txt itself.
  bool allows(std::string_view target) const;

  // Crawl-delay, which RFC 9309 does not know but many files have.
  std::optional<std::chrono::milliseconds> crawl_delay() const { return crawl_delay_; }
  // The addresses of Sitemap lines, as they are written.
  const std::vector<std::string>& sitemaps() const { return sitemaps_; }

 private:
  struct Rule {
    bool allow = false;
    std::string pattern;  // with * for any text, and $ at its end for the end
  };
  std::vector<Rule> rules_;
  std::optional<std::chrono::milliseconds> crawl_delay_;
  std::vector<std::string> sitemaps_;
};

}  // namespace crawler
