// The table of one action of a transaction, which layers judge by its table alone.
#pragma once

#include <string_view>
#include <variant>

#include <tavola/requests.h>

namespace tavola::server {

inline std::string_view table_of(const TransactWrite& action) {
  return std::visit([](const auto& one) { return std::string_view(one.table_name); }, action);
}

}  // namespace tavola::server
