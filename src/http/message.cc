#include "http/message.h"

#include <utility>

#include "base/ascii.h"
#include "base/assert.h"

namespace tavola::http {

std::string_view Request::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (same_text(header.name, name)) return header.value;
  }
  return {};
}

void Response::add_header(std::string_view name, std::string_view value) {
  headers += name;
  headers += ": ";
  for (const char c : value) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    headers += is_control ? ' ' : c;
  }
  headers += "\r\n";
}

Reply::Reply(Reply&& other) noexcept : target_(std::exchange(other.target_, nullptr)) {}

Reply& Reply::operator=(Reply&& other) noexcept {
  if (this != &other) {
    if (target_ != nullptr) target_->dropped();
    target_ = std::exchange(other.target_, nullptr);
  }
  return *this;
}

Reply::~Reply() {
  if (target_ != nullptr) target_->dropped();
}

void Reply::operator()(Response response) {
  TAVOLA_ASSERT(target_ != nullptr);
  std::exchange(target_, nullptr)->reply(std::move(response));
}

}  // namespace tavola::http
