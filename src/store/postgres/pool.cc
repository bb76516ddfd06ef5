#include "store/postgres/pool.h"

#include <algorithm>
#include <thread>

namespace tavola::store {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

LentConnection::~LentConnection() {
  if (connection_) pool_->give_back(std::move(connection_));
}

Result<Pool::Lent> Pool::lend(std::chrono::milliseconds patience) {
  {
    MutexLock lock(mutex_);
    const auto until = Clock::now() + patience;
    while (idle_.empty() && open_ >= options_.connections_max) {
      if (returned_.wait_until(mutex_, until) == std::cv_status::timeout && idle_.empty() &&
          open_ >= options_.connections_max) {
        return fail(
            Error(ErrorCode::Io, "all " + std::to_string(options_.connections_max) +
                                     " connections to PostgreSQL are in use; try again, or allow more"));
      }
    }
    if (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      return Lent(*this, std::move(connection));
    }
    ++open_;
  }
  Result<std::unique_ptr<Connection>> opened = open_patiently(patience);
  if (opened) return Lent(*this, *std::move(opened));
  give_back(nullptr);
  return fail(opened.error());
}

Result<std::unique_ptr<Connection>> Pool::open_patiently(std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kLongestPause{500};
  std::chrono::milliseconds pause{20};
  const auto until = Clock::now() + patience;
  for (;;) {
    Result<std::unique_ptr<Connection>> opened = Connection::open(pq_, options_.place);
    if (opened || !is_lost_connection(opened.error()) || Clock::now() + pause > until) return opened;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

void Pool::add(std::unique_ptr<Connection> connection) {
  const MutexLock lock(mutex_);
  ++open_;
  idle_.push_back(std::move(connection));
}

void Pool::give_back(std::unique_ptr<Connection> connection) {
  const bool is_usable = connection != nullptr && !connection->is_broken();
  if (!is_usable) connection.reset();
  {
    const MutexLock lock(mutex_);
    if (is_usable) {
      idle_.push_back(std::move(connection));
    } else {
      --open_;
    }
  }
  returned_.notify_one();
}

std::size_t Pool::connections() const {
  const MutexLock lock(mutex_);
  return open_;
}

void Pool::close_idle() {
  std::vector<std::unique_ptr<Connection>> closed;
  const MutexLock lock(mutex_);
  open_ -= idle_.size();
  closed.swap(idle_);
}

}  // namespace tavola::store
