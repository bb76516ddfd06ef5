#include "systems/catalogue/found_page.h"

#include <memory>
#include <semaphore>

#include "access/identity/sessions.h"
#include "http/pages/page_answers.h"
#include "json/reader.h"
#include "json/writer.h"
#include "server/v1/problem.h"
#include "systems/crawler/page/readable.h"
#include "systems/crawler/web/one_page.h"
#include "systems/host/rights.h"

namespace tavola::catalogue {
namespace {

constexpr std::size_t kPagesPerMinute = 30;  // of one person
constexpr std::ptrdiff_t kPagesAtOnce = 4;
// Those of designs/fus-main.yaml. They count characters, and a character has one byte at least.
constexpr crawler::ReadableLimits kLimits{
    .title_bytes_max = 300, .description_bytes_max = 5'000, .text_bytes_max = 80'000};

// Reads pages, for a few people at a time: a page takes seconds, and threads of the server.
class PageReader {
 public:
  explicit PageReader(crawler::AddressRule addresses)
      : options_{.user_agent = "tavola-catalogue/0.1",
                 .addresses = addresses,
                 .timeout = std::chrono::seconds(8)} {}

  http::Response answer(const http::Request& request, const std::string& person) {
    const auto body = json::parse(request.body);
    const auto address = crawler::parse_url(body && body->is_object() ? body->text_at("url") : "");
    if (!address) return server::problem_answer(422, "An address begins with https:// or http://");
    const std::chrono::seconds wait = pages_.note(person);
    if (wait.count() > 0)
      return server::problem_answer(429,
                                    "Too many pages; try again in " + std::to_string(wait.count()) + " s");
    if (!free_.try_acquire())
      return server::problem_answer(429, "Other pages are being read; try again in a few seconds");
    const auto page = crawler::read_one_page(options_, *address);
    free_.release();
    if (!page) return server::problem_answer(422, page.error().message());
    return found(*page);
  }

 private:
  static http::Response found(const crawler::OnePage& page) {
    const crawler::Readable readable = crawler::read_readable(crawler::Document(page.html), kLimits);
    std::string answer;
    json::Writer json(answer);
    json.begin_object();
    json.name("url").text(page.address.text());
    json.name("title").text(readable.title);
    json.name("description").text(readable.description);
    json.name("text").text(readable.text);
    json.end_object();
    return http::json_answer(std::move(answer));
  }

  const crawler::FetcherOptions options_;
  access::AttemptLimit pages_{Clock::system(), kPagesPerMinute, std::chrono::minutes(1)};
  std::counting_semaphore<> free_{kPagesAtOnce};
};

}  // namespace

systems::Route found_page(const systems::SystemDesign& design, crawler::AddressRule addresses) {
  return {"POST", "/api/page",
          [&design, reader = std::make_shared<PageReader>(addresses)](const systems::Visit& visit) {
            const auto is_allowed = systems::may_do_any(design, visit.who, {"createSite", "updateSite"});
            if (!is_allowed) return server::problem_answer(503, is_allowed.error().message());
            if (!*is_allowed)
              return server::problem_answer(403, "Only who adds or changes sites may have pages read");
            return reader->answer(visit.request, visit.who.sub);
          }};
}

}  // namespace tavola::catalogue
