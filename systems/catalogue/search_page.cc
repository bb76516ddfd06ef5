#include "systems/catalogue/search_page.h"

#include "access/identity/canonical_request.h"
#include "base/utf8.h"
#include "http/pages/page_answers.h"
#include "json/writer.h"
#include "server/v1/problem.h"
#include "systems/catalogue/site_search.h"

namespace tavola::catalogue {
namespace {

constexpr std::size_t kHitsMax = 50;

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
  return {"GET", "/api/search", [&catalogue](const systems::Visit& visit) {
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
