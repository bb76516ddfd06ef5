#include "tests/model/check.h"

#include <algorithm>
#include <sstream>

namespace tavola::model {
namespace {

constexpr std::size_t kPageBytes = std::size_t{1024} * 1024;

template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

std::string describe(const std::map<std::string, double, std::less<>>& units) {
  std::string all;
  for (const auto& [name, value] : units) all += text(" ", name, "=", value);
  return all;
}

// Returns whether the items of this read come from the table though an index was read: a local index does
// that for attributes it does not hold.
bool is_fetched(const PageCheck& check) {
  if (check.index == nullptr || check.index->global) return false;
  const auto projected = check.table.projected(check.index);
  if (!projected) return false;
  if (check.terms.select == Select::AllAttributes) return true;
  return std::ranges::any_of(check.terms.projection, [&](const Path& path) {
    return std::ranges::find(*projected, path.head) == projected->end();
  });
}

Item shaped(const PageCheck& check, const Entry& entry) {
  const Item& source = is_fetched(check) ? *entry.item : entry.image;
  return check.terms.projection.empty() ? source : project(source, check.terms.projection);
}

Units units_of(const PageCheck& check, const std::vector<Entry>& evaluated) {
  std::size_t bytes = 0;
  for (const Entry& entry : evaluated) bytes += size_of(entry.image);
  const double units = read_units(bytes, check.terms.consistent);
  if (check.index == nullptr) return {.table = units};
  Units all{.indexes = {{check.index->name, units}}};
  if (is_fetched(check)) {
    for (const Entry& entry : evaluated)
      all.table += read_units(size_of(*entry.item), check.terms.consistent);
  }
  return all;
}

// A page ends at Limit, at 1 MB, or at the end; it has a LastEvaluatedKey unless it ran into the end.
Verdict check_page_end(const PageCheck& check, const std::vector<Entry>& remaining, const Page& page) {
  const auto count = static_cast<std::size_t>(page.scanned_count);
  const bool at_limit = check.limit && page.scanned_count == *check.limit;
  if (check.limit && page.scanned_count > *check.limit) return "more items evaluated than Limit allows";
  // Fetched items count with their own size, which is never less than that of their entry.
  const bool fetched = is_fetched(check);
  const auto size = [fetched](const Entry& entry) { return size_of(fetched ? *entry.item : entry.image); };
  std::size_t bytes = 0;
  std::size_t bytes_before_last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bytes_before_last = bytes;
    bytes += size(remaining[i]);
  }
  if (bytes_before_last > kPageBytes) return text("a page of ", bytes, " bytes goes on past 1 MB");
  const bool full =
      bytes >= kPageBytes || (count < remaining.size() && bytes + size(remaining[count]) > kPageBytes);
  if (!page.last_evaluated_key) {
    if (count != remaining.size()) {
      return text("no LastEvaluatedKey, though ", remaining.size() - count, " items are left");
    }
    if (at_limit) return "no LastEvaluatedKey, though the page ended at Limit";
    return std::nullopt;
  }
  if (!at_limit && !full) return text("a LastEvaluatedKey after ", count, " items and ", bytes, " bytes");
  if (count == 0) return "a LastEvaluatedKey though nothing was evaluated";
  const Item expected = keep(*remaining[count - 1].item, check.table.start_key_attributes(check.index));
  return check_item("LastEvaluatedKey", expected, page.last_evaluated_key);
}

}  // namespace

std::string describe(const Error& error) {
  return text(exception_name(error.code()), " \"", error.message(), "\"");
}

std::string describe(const std::optional<Item>& item) { return item ? to_json(*item) : "nothing"; }

Verdict check_refusal(const std::vector<Refusal>& expected, const Error& error) {
  std::string wanted;
  for (const Refusal& refusal : expected) {
    if (refusal.code == error.code() && refusal.message == error.message()) return std::nullopt;
    wanted += text("\n    ", exception_name(refusal.code), " \"", refusal.message, "\"");
  }
  if (expected.empty()) return "refused with " + describe(error) + ", expected success";
  return "refused with " + describe(error) + ", expected" + wanted;
}

Verdict check_item(const char* what, const std::optional<Item>& expected,
                   const std::optional<PackedItem>& actual) {
  std::optional<Item> unpacked;
  if (actual) unpacked = actual->unpack();
  if (unpacked == expected) return std::nullopt;
  return text(what, " is\n    ", describe(unpacked), "\n  expected\n    ", describe(expected));
}

Verdict check_units(const ModelTable& table, const Units& expected, ReturnConsumedCapacity asked,
                    const std::optional<ConsumedCapacity>& actual) {
  if (asked == ReturnConsumedCapacity::None) {
    if (actual) return "ConsumedCapacity, though it was not asked for";
    return std::nullopt;
  }
  if (!actual) return "no ConsumedCapacity";
  if (actual->table_name != table.name()) return "ConsumedCapacity of " + actual->table_name;
  if (actual->units != expected.total()) {
    return text(actual->units, " capacity units, expected ", expected.total(), ": table=", expected.table,
                describe(expected.indexes));
  }
  if (asked == ReturnConsumedCapacity::Total) {
    if (actual->table_units || !actual->local_index_units.empty() || !actual->global_index_units.empty()) {
      return "units by index, though only the total was asked for";
    }
    return std::nullopt;
  }
  Units divided{.table = actual->table_units.value_or(0)};
  for (const auto* by_name : {&actual->local_index_units, &actual->global_index_units}) {
    for (const auto& [name, units] : *by_name) {
      const IndexShape* index = table.index(name);
      if (index == nullptr || index->global != (by_name == &actual->global_index_units)) {
        return "units of " + name + " on the wrong side";
      }
      if (units != 0) divided.indexes[name] = units;
    }
  }
  if (divided.table == expected.table && divided.indexes == expected.indexes) return std::nullopt;
  return text("units are table=", divided.table, describe(divided.indexes),
              ", expected table=", expected.table, describe(expected.indexes));
}

Verdict check_write(const ModelTable& table, const WriteOutcome& expected, ReturnConsumedCapacity asked,
                    const Result<WriteItemResponse>& actual) {
  if (!actual) {
    if (auto wrong = check_refusal(expected.refusals, actual.error())) return wrong;
    const auto* failure = actual.error().detail<ConditionFailure>();
    return check_item("the failed condition's item", expected.failed_on,
                      failure == nullptr ? std::nullopt : std::optional(failure->item));
  }
  if (!expected.refusals.empty()) {
    return "succeeded, expected " + describe(Error(expected.refusals[0].code, expected.refusals[0].message));
  }
  if (auto wrong = check_item("Attributes", expected.attributes, actual->attributes)) return wrong;
  return check_units(table, expected.units, asked, actual->consumed_capacity);
}

Verdict check_description(const ModelTable& table, const TableDescription& actual) {
  const CreateTableRequest& shape = table.shape();
  if (actual.table_name != shape.table_name) return "the description of " + actual.table_name;
  if (actual.status != TableStatus::Active) return "the table is not active";
  if (actual.key_schema != shape.key_schema) return "another key schema than was given";
  if (actual.attribute_definitions != shape.attribute_definitions) return "other attribute definitions";
  std::vector<GlobalIndex> global_indexes = actual.global_indexes;
  for (GlobalIndex& index : global_indexes) index.warm_throughput.reset();  // reported though not given
  if (global_indexes != shape.global_indexes) return "other global indexes than were given";
  if (actual.local_indexes != shape.local_indexes) return "other local indexes than were given";
  const auto compare = [&](const std::string& what, IndexStatistics expected, std::int64_t count,
                           std::int64_t bytes) -> Verdict {
    if (count == expected.item_count && bytes == expected.size_bytes) return std::nullopt;
    return text(what, " has ", count, " items of ", bytes, " bytes, expected ", expected.item_count, " of ",
                expected.size_bytes);
  };
  if (auto wrong = compare("the table", table.statistics(nullptr), actual.item_count, actual.size_bytes)) {
    return wrong;
  }
  if (actual.index_statistics.size() != table.indexes().size()) return "statistics of other indexes";
  for (const IndexShape& index : table.indexes()) {
    const auto found = actual.index_statistics.find(index.name);
    if (found == actual.index_statistics.end()) return "no statistics of " + index.name;
    const auto& [count, bytes] = found->second;
    if (auto wrong = compare(index.name, table.statistics(&index), count, bytes)) return wrong;
  }
  return std::nullopt;
}

Verdict check_page(const PageCheck& check, const std::vector<Entry>& remaining, const Page& page) {
  if (page.scanned_count < 0 || static_cast<std::size_t>(page.scanned_count) > remaining.size()) {
    return text("ScannedCount ", page.scanned_count, ", but only ", remaining.size(), " entries are left");
  }
  if (auto wrong = check_page_end(check, remaining, page)) return wrong;
  const std::vector<Entry> evaluated(remaining.begin(), remaining.begin() + page.scanned_count);
  std::vector<const Entry*> matching;
  for (const Entry& entry : evaluated) {
    if (!check.terms.filter || holds(*check.terms.filter, entry.image)) matching.push_back(&entry);
  }
  if (page.count != static_cast<std::int64_t>(matching.size())) {
    return text("Count ", page.count, " of ", page.scanned_count, " scanned, expected ", matching.size());
  }
  const std::size_t returned = check.terms.select == Select::Count ? 0 : matching.size();
  if (page.items.size() != returned) return text(page.items.size(), " items, expected ", returned);
  for (std::size_t i = 0; i < returned; ++i) {
    const std::string what = "item " + std::to_string(i) + " of the page";
    if (auto wrong = check_item(what.c_str(), shaped(check, *matching[i]), page.items[i])) return wrong;
  }
  return check_units(check.table, units_of(check, evaluated), check.capacity, page.consumed_capacity);
}

}  // namespace tavola::model
