#include "engine/read/read.h"

#include <algorithm>

#include "base/joined.h"
#include "database/enum_names.h"
#include "engine/checks/key_checks.h"
#include "engine/checks/member_checks.h"
#include "engine/checks/messages.h"
#include "engine/read/key_range.h"
#include "engine/read/page.h"
#include "engine/read/start_key.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

// Members shared by Query and Scan.
struct Wanted {
  Source source;
  const ReadParameters& parameters;
  std::optional<Select> select;
};

Result<const IndexSchema*> find_index(const TableSchema& table, const std::string& name,
                                      ReadConsistency consistency) {
  if (name.empty()) {
    return nullptr;
  }
  const IndexSchema* index = table.find_index(name);
  if (index == nullptr) {
    return fail(index_not_found(name));
  }
  if (index->kind == IndexKind::Global && consistency == ReadConsistency::Strong) {
    return fail(Error::validation("Consistent reads are not supported on global secondary indexes"));
  }
  if (table.building_index == index->id) {
    return fail(index_is_backfilling(name));
  }
  return index;
}

std::vector<std::string> unprojected(const IndexSchema& index, const std::vector<std::string>& attributes) {
  std::vector<std::string> missing;
  std::ranges::copy_if(attributes, std::back_inserter(missing),
                       [&](const std::string& name) { return !index.projects(name); });
  return missing;
}

// Observed on AWS for global indexes (sensedeep/dynamodb-onetable issues 93 and 377), and for both kinds in PartiQL
// (paritysuite/dynamodb-conformance). A scan of an index finds nothing instead.
Result<void> check_filter_is_projected(const IndexSchema* index, const expr::Condition& filter) {
  if (index == nullptr || index->projection.type == ProjectionType::All) return {};
  std::vector<std::string> missing = unprojected(*index, filter.attributes());
  if (missing.empty()) return {};
  std::ranges::sort(missing);
  return fail(invalid_parameter("Secondary index " + index->name +
                                " does not project one or more filter attributes: " + bracketed(missing)));
}

// Returns whether the items of index entries must be read: a local index may be asked for attributes that it does not
// project, a global one may not.
Result<bool> must_fetch(const Wanted& wanted) {
  const IndexSchema* index = wanted.source.index;
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
  const std::vector<std::string> missing = unprojected(*index, wanted.parameters.projection.attributes());
  if (index->kind == IndexKind::Global && !missing.empty()) {
    return fail(invalid_parameter("Global secondary index " + index->name + " does not project " +
                                  bracketed(missing)));
  }
  return !missing.empty();
}

Result<void> check_filter_spares_key(const KeyShape& key, const ReadParameters& parameters) {
  const std::vector<std::string> filtered = parameters.filter.attributes();
  return key.check_each([&](const KeyAttribute& attribute, KeyType) -> Result<void> {
    if (std::ranges::find(filtered, attribute.name) == filtered.end()) {
      return {};
    }
    return fail(Error::validation(
        std::string(parameters.older ? "QueryFilter" : "Filter Expression") +
        " can only contain non-primary key attributes: Primary key attribute: " + attribute.name));
  });
}

// ---- Select ----

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
    const std::string given = has_expression ? "ProjectionExpression" : "AttributesToGet";
    if (*request.select == Select::Count) {
      return fail(Error::validation("Cannot specify the " + given + " when choosing to get only the Count"));
    }
    return fail(invalid_parameter("Cannot specify the " + given + " when choosing to get " +
                                  std::string(enum_name(*request.select))));
  }
  if (*request.select == Select::AllProjectedAttributes && request.index_name.empty()) {
    return fail(invalid_parameter("ALL_PROJECTED_ATTRIBUTES can be used only when " + std::string(verb) +
                                  " using an IndexName"));
  }
  return {};
}

// A governed table whose keys are text may have internal records (keys.h).
bool may_have_records(const TableSchema& table) {
  const auto is_text = [](const KeyAttribute& attribute) { return attribute.type == Type::String; };
  return table.description.governed_by && std::ranges::all_of(table.key.hash, is_text) &&
         std::ranges::all_of(table.key.range, is_text);
}

// Returns a position before the first internal record, where a scan as it is continues after the last item.
Result<PackedItem> before_records(const TableSchema& table) {
  Item position;
  for (const auto* attributes : {&table.key.hash, &table.key.range}) {
    for (const KeyAttribute& attribute : *attributes) position.emplace(attribute.name, "$");
  }
  return pack(position);
}

store::KeyRange records_after(const TableSchema& table, const ItemView& position) {
  store::KeyRange range = all_records(table.id);
  range.from = item_key(table, position) + '\0';
  return range;
}

}  // namespace

Result<void> check_query(const QueryRequest& request) {
  TAVOLA_CHECK(check_members(request));
  return check_select(request, "Querying");
}

Result<void> check_scan(const ScanRequest& request) {
  TAVOLA_CHECK(check_members(request));
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

Result<PageScan> scan_of_query(const TableSchema& table, const QueryRequest& request,
                               const ReadParameters& parameters) {
  TAVOLA_TRY(const IndexSchema* index, find_index(table, request.index_name, consistency_of(request)));
  const Wanted wanted{{table, index}, parameters, request.select};
  if (request.exclusive_start_key) {
    TAVOLA_CHECK(check_query_start(wanted.source, request.exclusive_start_key->view()));
  }
  TAVOLA_TRY(KeySelection selection, select_entries(table, index, parameters.key));
  PageScan scan{
      .table = table,
      .index = index,
      .range = selection.range,
      .direction = request.scan_index_forward ? store::Direction::Forward : store::Direction::Backward,
      .limit = request.limit,
      .filter = parameters.filter,
      .projection = parameters.projection,
      .count_only = request.select == Select::Count,
      .consistency = consistency_of(request),
      .may_see = request.may_see};
  if (request.exclusive_start_key) {
    TAVOLA_TRY(scan.range,
               after_start(wanted.source, selection, request.exclusive_start_key->view(), scan.direction));
  }
  TAVOLA_CHECK(check_nested_paths(table, parameters.projection.nested_attributes()));
  TAVOLA_CHECK(check_filter_spares_key(wanted.source.key(), parameters));
  TAVOLA_TRY(scan.fetch_items, must_fetch(wanted));
  TAVOLA_CHECK(check_filter_is_projected(index, parameters.filter));
  TAVOLA_CHECK(check_nested_paths(table, parameters.filter.nested_attributes()));
  return scan;
}

Result<Page> query_table(const store::Store& store, const TableSchema& table, const QueryRequest& request,
                         const ReadParameters& parameters) {
  TAVOLA_TRY(const PageScan scan, scan_of_query(table, request, parameters));
  return read_page(store, scan, request.return_consumed_capacity);
}

Result<Page> scan_table(const store::Store& store, const TableSchema& table, const ScanRequest& request,
                        const ReadParameters& parameters) {
  if (request.exclusive_start_key && !request.index_name.empty() &&
      table.find_index(request.index_name) == nullptr) {
    return fail(start_key_invalid());  // AWS checks the key before the existence of the index
  }
  TAVOLA_TRY(const IndexSchema* index, find_index(table, request.index_name, consistency_of(request)));
  const Wanted wanted{{table, index}, parameters, request.select};
  const Segment segment{request.segment.value_or(0), request.total_segments.value_or(1)};
  PageScan scan{.table = table,
                .index = index,
                .range = segment_range(wanted.source, segment),
                .limit = request.limit,
                .filter = parameters.filter,
                .projection = parameters.projection,
                .count_only = request.select == Select::Count,
                .consistency = consistency_of(request),
                .may_see = request.may_see};
  const bool has_records =
      request.as_is && index == nullptr && segment.number == 0 && may_have_records(table);
  bool reads_records = false;
  if (request.exclusive_start_key) {
    const ItemView start = request.exclusive_start_key->view();
    TAVOLA_CHECK(check_scan_start(wanted.source, start));
    reads_records = has_records && is_record_key(item_key(table, start));
    if (reads_records) {
      scan.range = records_after(table, start);
    } else {
      TAVOLA_TRY(scan.range, after_start(wanted.source, segment, start));
    }
  }
  TAVOLA_TRY(scan.fetch_items, must_fetch(wanted));
  TAVOLA_CHECK(check_nested_paths(table, parameters.projection.nested_attributes()));
  TAVOLA_CHECK(check_nested_paths(table, parameters.filter.nested_attributes()));
  TAVOLA_TRY(Page page, read_page(store, scan, request.return_consumed_capacity));
  if (has_records && !reads_records && !page.last_evaluated_key) {
    TAVOLA_TRY(page.last_evaluated_key, before_records(table));
  }
  return page;
}

}  // namespace tavola::engine
