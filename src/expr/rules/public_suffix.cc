#include "expr/rules/public_suffix.h"

#include <arpa/inet.h>
#include <libpsl.h>
#include <memory>

#include "base/ascii.h"

namespace tavola::expr {
namespace {

struct FreeString {
  void operator()(char* text) const { psl_free_string(text); }
};

// Unicode's lower case, so that ÖBB.at is öbb.at. Where libpsl cannot tell it, ASCII's.
std::string unicode_lower_case(const std::string& domain) {
  char* lowered = nullptr;
  const bool ok = psl_str_to_utf8lower(domain.c_str(), "utf-8", nullptr, &lowered) == PSL_SUCCESS;
  const std::unique_ptr<char, FreeString> owner(lowered);
  if (ok && lowered != nullptr) return lowered;
  return lower_case(domain);
}

bool is_ip_address(const std::string& text) {
  in6_addr address;
  return inet_pton(AF_INET, text.c_str(), &address) == 1 || inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

}  // namespace

std::string core_domain(std::string_view domain) {
  if (domain.ends_with('.')) domain.remove_suffix(1);
  std::string name = unicode_lower_case(std::string(domain));
  if (is_ip_address(name)) return name;
  const char* const registrable = psl_registrable_domain(psl_builtin(), name.c_str());
  if (registrable == nullptr) return name;
  const std::string_view found = registrable;
  return std::string(found.substr(0, found.find('.')));
}

}  // namespace tavola::expr
