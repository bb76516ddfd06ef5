#include "store/postgres/marks.h"

#include <chrono>

#include "base/random.h"
#include "store/postgres/stored_key.h"

namespace tavola::store {
namespace {

constexpr std::int64_t kDaySeconds = 86'400;

std::string all_prefix() { return std::string(kReservedPrefix) + 'm'; }

std::int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string own_prefix() {
  Random& random = Random::system();
  return all_prefix() + binary_int64(static_cast<std::int64_t>(random.next())) +
         binary_int64(static_cast<std::int64_t>(random.next()));
}

}  // namespace

Marks::Marks() : prefix_(own_prefix()) {}

Marks::Mark Marks::take() {
  const MutexLock lock(mutex_);
  Mark mark{.place = places_, .key = {}, .value = {}};
  if (free_.empty()) {
    ++places_;
  } else {
    mark.place = free_.back();
    free_.pop_back();
  }
  mark.key = prefix_ + binary_int64(mark.place);
  mark.value = binary_int64(seconds_now()) + binary_int64(static_cast<std::int64_t>(++number_));
  return mark;
}

void Marks::release(const Mark& mark) {
  const MutexLock lock(mutex_);
  free_.push_back(mark.place);
}

KeyRange Marks::own() const { return {prefix_, prefix_ + std::string(sizeof(std::uint64_t), '\xff')}; }

KeyRange Marks::all() { return {all_prefix(), std::string(kReservedPrefix) + 'n'}; }

bool Marks::is_old(std::string_view value) {
  const auto seconds = int_in(value.substr(0, sizeof(std::uint64_t)));
  return seconds && *seconds < seconds_now() - kDaySeconds;
}

}  // namespace tavola::store
