#include "server/followed_designs.h"

#include <chrono>
#include <stop_token>

namespace tavola::server {

FollowedDesigns::FollowedDesigns(Database& database, ServedDesigns& served, Log& log)
    : database_(database), served_(served), log_(log), thread_([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          look();
          std::unique_lock lock(mutex_);
          stopped_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
        }
      }) {}

FollowedDesigns::~FollowedDesigns() {
  thread_.request_stop();
  stopped_.notify_all();
}

void FollowedDesigns::look() {
  const DesignList served = served_.designs();
  for (const design::Design& design : *served) {
    const auto governing = database_.governing_design(design.table.name);
    if (!governing || *governing == nullptr || (*governing)->text == design.text) continue;
    design::Design next = **governing;
    next.table.name = design.table.name;
    if (served_.replace(next))
      log_.info("the table got another design, which is served from now on",
                {{"table", next.table.name}, {"design", next.name}, {"revision", next.revision}});
  }
}

}  // namespace tavola::server
