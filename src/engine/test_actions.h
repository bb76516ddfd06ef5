// The actions of transactions, and their results, in short form. For tests only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/requests.h>

#include "engine/test_tables.h"

namespace tavola::engine {

// A condition with its values: If{"n = :n", "{:n: 1}"}.
struct If {
  std::string condition{};
  std::string_view values = "{}";
};

inline PutItemRequest put(std::string table, std::string_view put_item, const If& when = {}) {
  return {.table_name = std::move(table),
          .item = item(put_item),
          .condition_expression = when.condition,
          .values = item(when.values)};
}
inline DeleteItemRequest remove(std::string table, std::string_view key, const If& when = {}) {
  return {.table_name = std::move(table),
          .key = item(key),
          .condition_expression = when.condition,
          .values = item(when.values)};
}
inline UpdateItemRequest update(std::string table, std::string_view key, std::string change,
                                const If& when = {}) {
  return {.table_name = std::move(table),
          .key = item(key),
          .update_expression = std::move(change),
          .condition_expression = when.condition,
          .values = item(when.values)};
}
inline ConditionCheck check(std::string table, std::string_view key, const If& when) {
  return {.table_name = std::move(table),
          .key = item(key),
          .condition_expression = when.condition,
          .values = item(when.values)};
}

inline std::string text_of(const Error& error) {
  return std::string(exception_name(error.code())) + ": " + error.message();
}

// "None", or "Code: message", for each action.
inline std::vector<std::string> reasons_of(const Error& error) {
  std::vector<std::string> texts;
  const auto* cancellation = error.detail<TransactionCancellation>();
  if (cancellation == nullptr) return {text_of(error)};
  for (const CancellationReason& reason : cancellation->reasons) {
    texts.push_back(reason.message.empty() ? reason.code : reason.code + ": " + reason.message);
  }
  return texts;
}

}  // namespace tavola::engine
