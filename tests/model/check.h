// Compares results of the engine with those of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tavola/requests.h>

#include "tests/model/generator.h"
#include "tests/model/model.h"

namespace tavola::model {

// A description of the difference; nullopt if there is none.
using Verdict = std::optional<std::string>;

std::string describe(const Error& error);
std::string describe(const std::optional<Item>& item);

Verdict check_refusal(const std::vector<Refusal>& expected, const Error& error);
Verdict check_item(const char* what, const std::optional<Item>& expected,
                   const std::optional<PackedItem>& actual);
Verdict check_units(const ModelTable& table, const Units& expected, ReturnConsumedCapacity asked,
                    const std::optional<ConsumedCapacity>& actual);
Verdict check_write(const ModelTable& table, const WriteOutcome& expected, ReturnConsumedCapacity asked,
                    const Result<WriteItemResponse>& actual);
Verdict check_description(const ModelTable& table, const TableDescription& actual);

// One page of a query or scan.
struct PageCheck {
  const ModelTable& table;
  const IndexShape* index = nullptr;
  const ReadTerms& terms;
  std::optional<std::int64_t> limit{};
  ReturnConsumedCapacity capacity = ReturnConsumedCapacity::None;
};
// `remaining`: the entries from the start of the page to the end, in reading order.
Verdict check_page(const PageCheck& check, const std::vector<Entry>& remaining, const Page& page);

}  // namespace tavola::model
