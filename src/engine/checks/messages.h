// The messages of DynamoDB that the engine uses. testdata/*.cases, the tests beside them and tests/conformance pin
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/requests.h>
#include <tavola/value.h>

namespace tavola::engine {

// "One or more parameter values were invalid: " + what
Error invalid_parameter(std::string_view what);

// ---- Tables ----
Error table_not_found();                        // operations on items
Error table_not_found(std::string_view table);  // operations on tables
Error table_exists(std::string_view table);
Error table_protected();
Error table_is_being_created(std::string_view table);
Error index_not_found(std::string_view index);
Error index_to_change_not_found(std::string_view index, std::string_view table);
Error index_is_backfilling(std::string_view index);
Error one_index_at_a_time();
Error cascade_goes_on();
Error indexes_in_use();  // DeleteTable
// `what` is "table" or names an index; `read` and `write` are the units it already has.
Error throughput_unchanged(std::string_view what, std::string_view read, std::string_view write);

// ---- Keys ----
// Marks faults of a key value that do not depend on the table: it is empty or too long. AWS then refuses the whole
// request, also within a transaction, which other faults of an action cancel.
struct KeyValueRefused final : ErrorDetail {};

Error key_does_not_match_schema();
Error missing_key(std::string_view attribute);
Error key_type_mismatch(std::string_view attribute, Type expected, Type actual);
Error empty_key(std::string_view attribute, Type type);
Error hash_key_too_long();
Error range_key_too_long();
Error index_key_type_mismatch(std::string_view attribute, Type expected, Type actual, std::string_view index);
Error empty_index_key(std::string_view attribute, Type type, std::string_view index);
Error empty_index_key_in_update(Type type);
Error index_key_type_unsupported();  // an update whose value came from the item
Error index_key_too_long(std::string_view attribute, std::size_t bytes, std::size_t bytes_max,
                         std::string_view index);
Error index_key_too_long_in_update();
Error key_not_updatable(std::string_view attribute);
Error key_path_not_scalar(std::string_view key_or_index_key, std::string_view attribute);

// ---- Items ----
Error condition_failed(std::shared_ptr<const ErrorDetail> detail);
Error item_too_large();
Error updated_item_too_large();
Error collection_too_large();

// ---- Batches and transactions ----
Error duplicate_keys();
Error transaction_too_large();       // the request of TransactWriteItems
Error transaction_reads_too_much();  // the items of TransactGetItems
Error transaction_in_progress();
Error token_used_differently();

// ---- Time to live ----
Error time_to_live_already(std::string_view state);  // "enabled" or "disabled"
Error time_to_live_on_other_attribute(std::string_view attribute);

// ---- Tags ----
Error no_tags();
Error no_tag_keys();
Error tag_key_invalid(std::string_view key);
Error tag_value_invalid(std::string_view value);
Error tag_key_reserved(std::string_view key);
Error too_many_tags();

// ---- Tables of a migration ----
// Refuses to change or delete the table now.
Error is_migrating(std::string_view table_name, const Migration& migration);

// ---- Query and Scan ----
Error start_key_invalid();
Error start_key_invalid(std::string_view why);
Error start_key_outside_query();
Error start_key_misses_range();
Error start_key_not_restartable();
Error start_key_wrong_segment(int segment, int total_segments);

}  // namespace tavola::engine
