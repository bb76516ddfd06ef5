#include "transfer/walk/patience.h"

#include <thread>

namespace tavola::transfer {
namespace {

constexpr int kTriesOfBusyMax = 40;
constexpr int kTriesOfBrokenMax = 10;

bool is_broken(const Error& error) {
  return error.code() == ErrorCode::Io || error.code() == ErrorCode::Internal;
}

}  // namespace

Pause sleep() {
  return [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); };
}

bool Patience::wait_after(const Error& error) {
  if (!is_passing(error) || (is_broken(error) && tries_ >= kTriesOfBrokenMax)) return false;
  return wait();
}

bool Patience::wait() {
  if (++tries_ > kTriesOfBusyMax) return false;
  pause_(pause_after(tries_));
  return true;
}

}  // namespace tavola::transfer
