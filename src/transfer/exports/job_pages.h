// Pages of exports and imports, newest first, and the tokens between them.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace tavola::transfer {

inline constexpr int kPageMax = 25;

// Returns the token of the last item of a page. AWS's tokens of imports have at least 112 hexadecimal digits, which
// its clients check.
std::string page_token(std::string_view kind, std::string_view id);
// Returns the id in a token of that kind; fails with Validation if it is invalid.
Result<std::string> id_in_token(std::string_view kind, const std::string& token);

// The maximum of concurrent imports on AWS, and here of exports, too: each has threads, and an export keeps a view of a
// table.
inline constexpr std::ptrdiff_t kJobsMax = 50;

// Fails with LimitExceeded if no further job may begin.
template <class Records>
Result<void> check_under_way(const Records& records) {
  const std::ptrdiff_t under_way =
      std::ranges::count_if(records, [](const auto& job) { return !job.second.description.ended_at; });
  if (under_way < kJobsMax) return {};
  return fail(Error::limit_exceeded("Subscriber limit exceeded: there are " + std::to_string(kJobsMax) +
                                    " under way, and no more are made at a time; wait until one has ended"));
}

template <class Description>
struct JobPage {
  std::vector<Description> descriptions{};
  std::string next_token{};
};

// Returns the wanted entries of `records`, a map by id.
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

}  // namespace tavola::transfer
