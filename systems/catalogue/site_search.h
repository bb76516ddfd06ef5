// Finds sites by words in their title, tags, description and text. Every word must be somewhere; a word may be a part of a longer one, and
// capitals do not matter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generated/fus_main.h"

namespace tavola::catalogue {

inline constexpr std::size_t kQuestionBytesMax = 200;

// Returns the text in small letters, byte for byte as long as before: a letter whose small form has another length in UTF-8 stays, so that
// positions in both texts are the same.
std::string small_letters(std::string_view text);

struct Hit {
  fus_main::Site site;  // without its text
  std::string excerpt;  // of the description or the text, around the first word
  int score = 0;
};

// Thread safety: belongs to one thread. Keeps the best sites and no texts, whatever the size of the catalogue.
class SiteSearch {
 public:
  SiteSearch(std::string_view question, std::size_t hits_max);

  // Considers a site. Of two with the same score the one that came first is better.
  void note(const fus_main::Site& site);
  const std::vector<Hit>& best() const { return hits_; }

 private:
  std::vector<std::string> words_;
  const std::size_t hits_max_;
  std::vector<Hit> hits_;  // the best first
};

}  // namespace tavola::catalogue
