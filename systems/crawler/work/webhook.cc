#include "work/webhook.h"

#include <algorithm>
#include <curl/curl.h>
#include <fcntl.h>
#include <memory>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include "work/digests.h"

namespace crawler {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kPauseMax = std::chrono::minutes(1);
constexpr milliseconds kLookAgain = std::chrono::seconds(5);  // for messages of other processes that ended
constexpr std::size_t kBatch = 100;

// Held by the process that delivers.
class OutboxLock {
 public:
  explicit OutboxLock(const std::filesystem::path& directory)
      : descriptor_(::open((directory / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)),
        is_held_(descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {}
  ~OutboxLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OutboxLock(const OutboxLock&) = delete;
  OutboxLock& operator=(const OutboxLock&) = delete;
  bool is_held() const { return is_held_; }

 private:
  int descriptor_;
  bool is_held_;
};

}  // namespace

Webhook::Webhook(Outbox outbox, WebhookOptions options)
    : outbox_(std::move(outbox)), options_(std::move(options)), thread_([this] { run(); }) {}

Webhook::~Webhook() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

tavola::Result<void> Webhook::send(std::string_view id, std::string_view message) {
  TAVOLA_CHECK(outbox_.add(id, message));
  {
    const std::lock_guard lock(mutex_);
    has_news_ = true;
  }
  wake_.notify_all();
  return {};
}

bool Webhook::wait_until_delivered(milliseconds patience, const std::atomic<bool>& is_stopping) {
  const auto end = steady_clock::now() + patience;
  while (outbox_.size() > 0) {
    if (steady_clock::now() >= end || is_stopping) return false;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return true;
}

void Webhook::run() {
  milliseconds pause = options_.retry_delay;
  while (!is_ending_) {
    const bool is_done = deliver_all();
    const milliseconds wait = is_done ? kLookAgain : pause;
    pause = is_done ? options_.retry_delay : std::min(pause * 2, kPauseMax);
    std::unique_lock lock(mutex_);
    // After a failure new messages wait, too: they would overtake the one that failed.
    wake_.wait_for(lock, wait, [&] { return is_ending_ || (is_done && has_news_); });
    has_news_ = false;
  }
}

bool Webhook::deliver_all() {
  const OutboxLock lock(outbox_.directory());
  while (lock.is_held() && !is_ending_) {
    const auto messages = outbox_.oldest(kBatch);
    if (!messages || messages->empty()) return true;
    for (const Outbox::Message& message : *messages) {
      if (is_ending_) return true;
      if (!deliver(message)) {
        ++failed_attempts_;
        return false;
      }
      outbox_.remove(message);
      ++delivered_;
    }
  }
  return true;
}

bool Webhook::deliver(const Outbox::Message& message) {
  const auto now =
      std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch().count();
  const std::string time = std::to_string(now);
  const std::string signature = hmac_sha256_hex(options_.secret, time + "." + message.text);
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy(curl_easy_init(), curl_easy_cleanup);
  curl_slist* headers = nullptr;
  for (const std::string& line :
       {std::string("Content-Type: application/json"), std::string("Expect:"),
        "X-Tavola-Delivery: " + message.id, "X-Tavola-Signature: t=" + time + ",v1=" + signature}) {
    headers = curl_slist_append(headers, line.c_str());
  }
  curl_easy_setopt(easy.get(), CURLOPT_URL, options_.url.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy.get(), CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(message.text.size()));
  curl_easy_setopt(easy.get(), CURLOPT_POSTFIELDS, message.text.data());
  curl_easy_setopt(easy.get(), CURLOPT_USERAGENT, "tavola-crawler/0.1");
  curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(options_.timeout.count()));
  curl_easy_setopt(
      easy.get(), CURLOPT_WRITEFUNCTION,
      +[](char*, std::size_t size, std::size_t count, void*) { return size * count; });
  const CURLcode code = curl_easy_perform(easy.get());
  curl_slist_free_all(headers);
  long status = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  return code == CURLE_OK && status >= 200 && status < 300;
}

}  // namespace crawler
