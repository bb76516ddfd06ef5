#include "engine/read.h"

#include <algorithm>

#include "engine/key_checks.h"
#include "engine/key_range.h"
#include "engine/keys.h"
#include "engine/messages.h"
#include "engine/page.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

// What Query and Scan ask for alike.
struct Wanted {
  const TableSchema& table;
  const IndexSchema* index;  // null for the table itself
  const ReadParameters& parameters;
  std::optional<Select> select;
};

Result<const IndexSchema*> find_index(const TableSchema& table, const std::string& name, bool consistent) {
  if (name.empty()) {
    return nullptr;
  }
  const IndexSchema* index = table.find_index(name);
  if (index == nullptr) {
    return fail(index_not_found(name));
  }
  if (index->kind == IndexKind::Global && consistent) {
    return fail(Error::validation("Consistent reads are not supported on global secondary indexes"));
  }
  return index;
}

std::vector<std::string> unprojected(const IndexSchema& index, const std::vector<std::string>& attributes) {
  std::vector<std::string> missing;
  std::ranges::copy_if(attributes, std::back_inserter(missing),
                       [&](const std::string& name) { return !index.projects(name); });
  return missing;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

// Whether the items behind the index entries must be read: a local index may be asked for what it does not
// hold, a global one may not.
Result<bool> must_fetch(const Wanted& wanted) {
  const IndexSchema* index = wanted.index;
  if (index == nullptr || index->projection.type == ProjectionType::All) {
    return false;
  }
  if (wanted.select == Select::AllAttributes) {
    if (index->kind == IndexKind::Global) {
      return fail(
          invalid_parameter("Select type ALL_ATTRIBUTES is not supported for global secondary index " +
                            index->name + " because its projection type is not ALL"));
    }
    return true;
  }
  std::vector<std::string> missing = unprojected(*index, wanted.parameters.projection.attributes());
  if (index->kind == IndexKind::Global && !missing.empty()) {
    return fail(invalid_parameter("Global secondary index " + index->name + " does not project [" +
                                  joined(missing) + "]"));
  }
  if (index->kind == IndexKind::Local) {
    // A filter on what the index lacks reads the item too, so that it sees the attribute.
    std::ranges::copy(unprojected(*index, wanted.parameters.filter.attributes()),
                      std::back_inserter(missing));
  }
  return !missing.empty();
}

Result<void> check_filter_spares_key(const KeyShape& key, const ReadParameters& parameters) {
  for (const std::string& attribute : parameters.filter.attributes()) {
    if (key.find(attribute) != nullptr) {
      return fail(Error::validation(
          std::string(parameters.older ? "QueryFilter" : "Filter Expression") +
          " can only contain non-primary key attributes: Primary key attribute: " + attribute));
    }
  }
  return {};
}

// ---- ExclusiveStartKey ----

// The right attributes in the right types: the table's key and, for an index, the index's key.
Result<void> check_start_key(const Wanted& wanted, const ItemView& start, bool is_scan) {
  const std::size_t expected = position_attributes(wanted.table, wanted.index).size();
  if (start.size() != expected) {
    return fail(is_scan && wanted.index == nullptr ? start_key_invalid(key_does_not_match_schema().message())
                                                   : start_key_invalid());
  }
  for (const KeyShape* shape : {wanted.index != nullptr ? &wanted.index->key : nullptr, &wanted.table.key}) {
    if (shape == nullptr) {
      continue;
    }
    for (const auto& [attributes, role] :
         {std::pair(&shape->hash, KeyType::Hash), std::pair(&shape->range, KeyType::Range)}) {
      for (const KeyAttribute& attribute : *attributes) {
        const auto value = start.find(attribute.name);
        if (!value) {
          return fail(start_key_invalid());
        }
        if (const auto fits = check_key_value(attribute, *value, role); !fits) {
          return fail(start_key_invalid(fits.error().message()));
        }
      }
    }
  }
  return {};
}

// What is left of a range after `position`, in the direction of reading.
store::KeyRange after_position(store::KeyRange range, std::string position, store::Direction direction) {
  if (direction == store::Direction::Backward) {
    range.to = std::move(position);
  } else {
    range.from = std::move(position) + '\0';  // the smallest key greater than it
  }
  return range;
}

bool contains(const store::KeyRange& range, std::string_view key) {
  return key >= range.from && (range.to.empty() || key < range.to);
}

Result<store::KeyRange> resume_query(const Wanted& wanted, const KeySelection& selection,
                                     const ItemView& start, store::Direction direction) {
  TAVOLA_CHECK(check_start_key(wanted, start, /*is_scan=*/false));
  std::string position = position_key(wanted.table, wanted.index, start);
  if (!contains(selection.range, position)) {
    if (!selection.has_range_condition) {
      return fail(start_key_outside_query());
    }
    return fail(position.starts_with(selection.partition) ? start_key_misses_range()
                                                          : start_key_not_restartable());
  }
  return after_position(selection.range, std::move(position), direction);
}

// ---- Select ----

std::string_view select_name(Select select) {
  switch (select) {
    case Select::AllAttributes:
      return "ALL_ATTRIBUTES";
    case Select::AllProjectedAttributes:
      return "ALL_PROJECTED_ATTRIBUTES";
    case Select::SpecificAttributes:
      return "SPECIFIC_ATTRIBUTES";
    case Select::Count:
      return "COUNT";
  }
  return "";
}

template <class Request>
Result<void> check_select(const Request& request, std::string_view verb) {
  const bool has_expression = !request.projection_expression.empty();
  const bool has_list = request.attributes_to_get.has_value();
  if (!request.select) {
    return {};
  }
  if (*request.select == Select::SpecificAttributes) {
    if (!has_expression && !has_list) {
      return fail(
          invalid_parameter("Must specify the AttributesToGet or ProjectionExpression when choosing to get "
                            "SPECIFIC_ATTRIBUTES"));
    }
    return {};
  }
  if (has_expression || has_list) {
    return fail(invalid_parameter(std::string("Cannot specify the ") +
                                  (has_expression ? "ProjectionExpression" : "AttributesToGet") +
                                  " when choosing to get " + std::string(select_name(*request.select))));
  }
  if (*request.select == Select::AllProjectedAttributes && request.index_name.empty()) {
    return fail(invalid_parameter("ALL_PROJECTED_ATTRIBUTES can be used only when " + std::string(verb) +
                                  " using an IndexName"));
  }
  return {};
}

Error constraint(std::string_view value, std::string_view member, std::string_view words) {
  return Error::validation("1 validation error detected: Value '" + std::string(value) + "' at '" +
                           std::string(member) + "' failed to satisfy constraint: Member must have value " +
                           std::string(words));
}

Result<void> check_limit(const std::optional<std::int64_t>& limit) {
  if (limit && *limit < 1) {
    return fail(constraint(std::to_string(*limit), "limit", "greater than or equal to 1"));
  }
  return {};
}

// Segment s of n holds the hashes [s·65536/n, (s+1)·65536/n). Beyond 65536 segments some are empty.
store::KeyRange segment_range(const TableSchema& table, IndexId index, std::int64_t segment,
                              std::int64_t total) {
  constexpr std::int64_t kHashes = 0x10000;
  return entry_range(table.id, index, static_cast<std::uint32_t>(segment * kHashes / total),
                     static_cast<std::uint32_t>((segment + 1) * kHashes / total));
}

}  // namespace

Result<void> check_query(const QueryRequest& request) {
  TAVOLA_CHECK(check_limit(request.limit));
  return check_select(request, "Querying");
}

Result<void> check_scan(const ScanRequest& request) {
  TAVOLA_CHECK(check_limit(request.limit));
  if (request.total_segments &&
      (*request.total_segments < 1 || *request.total_segments > static_cast<int>(limits::kScanSegmentsMax))) {
    return fail(constraint(
        std::to_string(*request.total_segments), "totalSegments",
        *request.total_segments < 1 ? "greater than or equal to 1" : "less than or equal to 1000000"));
  }
  if (request.segment && *request.segment < 0) {
    return fail(constraint(std::to_string(*request.segment), "segment", "greater than or equal to 0"));
  }
  if (request.segment && !request.total_segments) {
    return fail(
        Error::validation("The TotalSegments parameter is required but was not present in the request when "
                          "Segment parameter is present"));
  }
  if (request.total_segments && !request.segment) {
    return fail(
        Error::validation("The Segment parameter is required but was not present in the request when "
                          "parameter TotalSegments is present"));
  }
  if (request.segment && *request.segment >= *request.total_segments) {
    return fail(Error::validation(
        "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: " +
        std::to_string(*request.segment) +
        " is not less than TotalSegments: " + std::to_string(*request.total_segments)));
  }
  return check_select(request, "Scanning");
}

Result<Page> query_table(const store::Store& store, const TableSchema& table, const QueryRequest& request,
                         const ReadParameters& parameters) {
  TAVOLA_TRY(const IndexSchema* index, find_index(table, request.index_name, request.consistent_read));
  const Wanted wanted{table, index, parameters, request.select};
  TAVOLA_TRY(KeySelection selection, select_entries(table, index, parameters.key));
  TAVOLA_CHECK(check_nested_paths(table, parameters.projection.nested_attributes()));
  TAVOLA_CHECK(check_filter_spares_key(index != nullptr ? index->key : table.key, parameters));
  TAVOLA_CHECK(check_nested_paths(table, parameters.filter.nested_attributes()));
  TAVOLA_TRY(const bool fetch, must_fetch(wanted));

  PageScan scan{
      .table = table,
      .index = index,
      .range = selection.range,
      .direction = request.scan_index_forward ? store::Direction::Forward : store::Direction::Backward,
      .limit = request.limit,
      .filter = parameters.filter,
      .projection = parameters.projection,
      .count_only = request.select == Select::Count,
      .fetch_items = fetch,
      .consistent = request.consistent_read};
  if (request.exclusive_start_key) {
    TAVOLA_TRY(scan.range,
               resume_query(wanted, selection, request.exclusive_start_key->view(), scan.direction));
  }
  return read_page(store, scan, request.return_consumed_capacity);
}

Result<Page> scan_table(const store::Store& store, const TableSchema& table, const ScanRequest& request,
                        const ReadParameters& parameters) {
  TAVOLA_TRY(const IndexSchema* index, find_index(table, request.index_name, request.consistent_read));
  const Wanted wanted{table, index, parameters, request.select};
  TAVOLA_CHECK(check_nested_paths(table, parameters.projection.nested_attributes()));
  TAVOLA_CHECK(check_nested_paths(table, parameters.filter.nested_attributes()));
  TAVOLA_TRY(const bool fetch, must_fetch(wanted));

  PageScan scan{.table = table,
                .index = index,
                .range = segment_range(table, index != nullptr ? index->id : kTableItself,
                                       request.segment.value_or(0), request.total_segments.value_or(1)),
                .limit = request.limit,
                .filter = parameters.filter,
                .projection = parameters.projection,
                .count_only = request.select == Select::Count,
                .fetch_items = fetch,
                .consistent = request.consistent_read};
  if (request.exclusive_start_key) {
    const ItemView start = request.exclusive_start_key->view();
    TAVOLA_CHECK(check_start_key(wanted, start, /*is_scan=*/true));
    std::string position = position_key(table, index, start);
    if (!contains(scan.range, position)) {
      return fail(start_key_wrong_segment(request.segment.value_or(0), request.total_segments.value_or(1)));
    }
    scan.range = after_position(std::move(scan.range), std::move(position), scan.direction);
  }
  return read_page(store, scan, request.return_consumed_capacity);
}

}  // namespace tavola::engine
