#include "access/identity/sessions.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/digest.h"

namespace tavola::access {
namespace {

constexpr std::size_t kSendersMax = 10'000;

}  // namespace

std::string random_secret(Random& random) {
  std::string secret;
  for (int part = 0; part < 4; ++part) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), random.next(), 16).ptr;
    secret.append(16 - static_cast<std::size_t>(end - digits.data()), '0').append(digits.data(), end);
  }
  return secret;
}

bool Sessions::has_ended(const Kept& kept, WallTime now) const {
  return now - kept.used > limits_.idle || now - kept.begun > limits_.whole;
}

void Sessions::make_room(WallTime now) {
  std::erase_if(by_hash_, [&](const auto& one) { return has_ended(one.second, now); });
  if (by_hash_.size() < limits_.count) return;
  by_hash_.erase(std::ranges::min_element(by_hash_, {}, [](const auto& one) { return one.second.used; }));
}

std::string Sessions::begin(design::Identity who, LoginOrigin origin) {
  std::string id = random_secret(random_);
  Kept kept{
      .session = {.who = std::move(who), .page_token = random_secret(random_), .origin = std::move(origin)},
      .begun = clock_.now(),
      .used = clock_.now()};
  const MutexLock lock(mutex_);
  if (by_hash_.size() >= limits_.count) make_room(kept.begun);
  by_hash_.insert_or_assign(sha256({id}), std::move(kept));
  return id;
}

std::optional<Session> Sessions::find(std::string_view id) {
  const std::string hash = sha256({id});
  const WallTime now = clock_.now();
  const MutexLock lock(mutex_);
  const auto found = by_hash_.find(hash);
  if (found == by_hash_.end()) return std::nullopt;
  if (has_ended(found->second, now)) {
    by_hash_.erase(found);
    return std::nullopt;
  }
  found->second.used = now;
  return found->second.session;
}

void Sessions::end(std::string_view id) {
  const std::string hash = sha256({id});
  const MutexLock lock(mutex_);
  by_hash_.erase(hash);
}

std::size_t Sessions::size() const {
  const MutexLock lock(mutex_);
  return by_hash_.size();
}

std::chrono::seconds AttemptLimit::note(const std::string& sender) {
  const WallTime now = clock_.now();
  const MutexLock lock(mutex_);
  if (by_sender_.size() >= kSendersMax)
    std::erase_if(by_sender_, [&](const auto& one) { return now - one.second.begun >= period_; });
  Window& window = by_sender_.try_emplace(sender, Window{.begun = now}).first->second;
  if (now - window.begun >= period_) window = {.begun = now};
  if (window.count < attempts_) {
    ++window.count;
    return {};
  }
  return std::chrono::ceil<std::chrono::seconds>(window.begun + period_ - now);
}

std::string_view cookie_of(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find(';'), header.size());
    std::string_view one = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) return one.substr(name.size() + 1);
  }
  return {};
}

}  // namespace tavola::access
