#include "systems/catalogue/search_page.h"

#include <chrono>
#include <memory>
#include <semaphore>

#include "access/identity/canonical_request.h"
#include "base/utf8.h"
#include "http/pages/page_answers.h"
#include "json/writer.h"
#include "server/v1/problem.h"
#include "systems/catalogue/site_search.h"

namespace tavola::catalogue {
namespace {

constexpr std::size_t kHitsMax = 50;
constexpr std::ptrdiff_t kSearchesAtOnce = 2;
constexpr std::chrono::seconds kPatience{5};

// A place among the searches that run, until its end.
class Place {
 public:
  explicit Place(std::counting_semaphore<>& free) : free_(free) {}
  ~Place() { free_.release(); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  std::counting_semaphore<>& free_;
};

void write_hit(json::Writer& json, const Hit& hit) {
  json.begin_object();
  json.name("site").text(hit.site.site);
  json.name("url").text(hit.site.url);
  json.name("title").text(hit.site.title);
  json.name("tags").begin_list();
  for (const std::string& tag : hit.site.tags.value_or(std::vector<std::string>())) json.text(tag);
  json.end_list();
  json.name("ratingSum").integer(hit.site.ratingSum.value_or(0));
  json.name("ratingCount").integer(hit.site.ratingCount.value_or(0));
  json.name("commentCount").integer(hit.site.commentCount.value_or(0));
  json.name("createdAt").text(hit.site.createdAt);
  json.name("excerpt").text(hit.excerpt);
  json.end_object();
}

std::string asked_words(const http::Request& request) {
  for (const auto& [name, value] : access::query_parameters(request.query)) {
    if (name == "q") return value;
  }
  return {};
}

}  // namespace

systems::Route search_page(const fus_main::FusMain& catalogue) {
  // A search reads all sites, and guests may search: a few at a time leave threads for everything else.
  const auto free = std::make_shared<std::counting_semaphore<>>(kSearchesAtOnce);
  return {"GET", "/api/search", [&catalogue, free](const systems::Visit& visit) {
            if (!free->try_acquire_for(kPatience))
              return server::problem_answer(429, "Many people are searching; try again in a few seconds");
            const Place place(*free);
            const std::string words = asked_words(visit.request);
            if (!is_utf8(words) || words.size() > kQuestionBytesMax)
              return server::problem_answer(400, "q must be UTF-8 with at most 200 bytes");
            SiteSearch search(words, kHitsMax);
            const fus_main::FusMain mine = catalogue.as({visit.who.sub, visit.who.groups});
            for (const auto& site : mine.newestSites()) {
              if (!site) {
                const bool is_denied = site.error().code() == ErrorCode::AccessDenied;
                return server::problem_answer(is_denied ? 403 : 503, site.error().message());
              }
              search.note(*site);
            }
            std::string body;
            json::Writer json(body);
            json.begin_list();
            for (const Hit& hit : search.best()) write_hit(json, hit);
            json.end_list();
            return http::json_answer(std::move(body));
          }};
}

}  // namespace tavola::catalogue
