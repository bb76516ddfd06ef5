// Pages of exports and imports, newest first, and the tokens between them.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace tavola::files {

inline constexpr int kPageMax = 25;

// Of the last one of a page. AWS's tokens of imports have 112 hexadecimal digits at least, which its clients check.
std::string page_token(std::string_view kind, std::string_view id);
// The id in a token of that kind; fails with Validation when it is none.
Result<std::string> id_in_token(std::string_view kind, const std::string& token);

template <class Description>
struct JobPage {
  std::vector<Description> descriptions{};
  std::string next_token{};
};

// Of `records`, a map by id, those that `is_wanted`.
template <class Records, class Wanted>
auto page_of(const Records& records, std::string_view kind, int most, const std::string& token,
             Wanted is_wanted) -> Result<JobPage<decltype(Records::mapped_type::description)>> {
  auto end = records.end();
  if (!token.empty()) {
    TAVOLA_TRY(const std::string last, id_in_token(kind, token));
    end = records.lower_bound(last);
  }
  JobPage<decltype(Records::mapped_type::description)> page;
  std::string last_id;
  for (auto at = end; at != records.begin();) {
    --at;
    if (!is_wanted(at->second.description)) continue;
    if (page.descriptions.size() == static_cast<std::size_t>(most)) {
      page.next_token = page_token(kind, last_id);
      break;
    }
    page.descriptions.push_back(at->second.description);
    last_id = at->first;
  }
  return page;
}

}  // namespace tavola::files
