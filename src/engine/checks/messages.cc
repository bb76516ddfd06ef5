#include "engine/checks/messages.h"

#include <memory>

#include "database/index_not_ready.h"

namespace tavola::engine {
namespace {

constexpr std::string_view kEmptyKeyWords[] = {"string", "binary"};

std::string cannot_be_empty(Type type) {
  const std::string_view kind = kEmptyKeyWords[type == Type::Binary ? 1 : 0];
  return "The AttributeValue for a key attribute cannot contain an empty " + std::string(kind) + " value.";
}

Error key_value_refused(std::string message) {
  return {ErrorCode::Validation, std::move(message), std::make_shared<KeyValueRefused>()};
}

}  // namespace

Error invalid_parameter(std::string_view what) {
  return Error::validation("One or more parameter values were invalid: " + std::string(what));
}

Error table_not_found() { return Error::resource_not_found("Requested resource not found"); }

Error table_not_found(std::string_view table) {
  return Error::resource_not_found("Requested resource not found: Table: " + std::string(table) +
                                   " not found");
}

Error table_exists(std::string_view table) {
  return Error::resource_in_use("Table already exists: " + std::string(table));
}

Error table_is_being_created(std::string_view table) {
  return Error::resource_in_use(
      "Attempt to change a resource which is still in use: Table is being created: " + std::string(table));
}

Error table_protected() {
  return Error::validation(
      "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection "
      "first.");
}

Error index_not_found(std::string_view index) {
  return Error::validation("The table does not have the specified index: " + std::string(index));
}

Error index_to_change_not_found(std::string_view index, std::string_view table) {
  return Error::resource_not_found("Requested resource not found: Index " + std::string(index) +
                                   " for table " + std::string(table));
}

Error index_is_backfilling(std::string_view index) {
  return {ErrorCode::Validation, "Cannot read from backfilling global secondary index: " + std::string(index),
          std::make_shared<IndexNotReady>()};
}

Error one_index_at_a_time() {
  return Error::limit_exceeded(
      "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table");
}

Error indexes_in_use() {
  return Error::resource_in_use(
      "Attempt to change a resource which is still in use: Cannot delete table while indexes are being "
      "created, updated, or deleted.");
}

Error cascade_goes_on() {
  return {
      ErrorCode::TransactionConflict,
      "Tavola: dependents of the deleted item with this key are still being deleted. Try again in a moment."};
}

Error throughput_unchanged(std::string_view what, std::string_view read, std::string_view write) {
  const auto same = [what](std::string_view units, std::string_view value) {
    return " Current " + std::string(units) + " provisioned for " + (what == "table" ? "the " : "") +
           std::string(what) + ": " + std::string(value) + ". Requested " + std::string(units) + ": " +
           std::string(value) + ".";
  };
  return Error::validation(
      "The provisioned throughput for the " + std::string(what) +
      " will not change. The requested value equals the current value." + same("ReadCapacityUnits", read) +
      same("WriteCapacityUnits", write) +
      " Refer to the Amazon DynamoDB Developer Guide for current limits and how to request "
      "higher limits.");
}

Error key_does_not_match_schema() {
  return Error::validation("The provided key element does not match the schema");
}

Error missing_key(std::string_view attribute) {
  return invalid_parameter("Missing the key " + std::string(attribute) + " in the item");
}

Error key_type_mismatch(std::string_view attribute, Type expected, Type actual) {
  return invalid_parameter("Type mismatch for key " + std::string(attribute) + " expected: " +
                           std::string(type_name(expected)) + " actual: " + std::string(type_name(actual)));
}

Error empty_key(std::string_view attribute, Type type) {
  return key_value_refused("One or more parameter values are not valid. " + cannot_be_empty(type) +
                           " Key: " + std::string(attribute));
}

Error hash_key_too_long() {
  // "of2048" is AWS's own spelling.
  return key_value_refused(
      "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 "
      "bytes");
}

Error range_key_too_long() {
  return key_value_refused(
      "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size "
      "limit of 1024 bytes");
}

Error index_key_type_mismatch(std::string_view attribute, Type expected, Type actual,
                              std::string_view index) {
  return invalid_parameter("Type mismatch for Index Key " + std::string(attribute) + " Expected: " +
                           std::string(type_name(expected)) + " Actual: " + std::string(type_name(actual)) +
                           " IndexName: " + std::string(index));
}

Error empty_index_key(std::string_view attribute, Type type, std::string_view index) {
  return key_value_refused(
      "One or more parameter values are not valid. A value specified for a secondary index key is not "
      "supported. " +
      cannot_be_empty(type) + " IndexName: " + std::string(index) + ", IndexKey: " + std::string(attribute));
}

Error index_key_type_unsupported() {
  return Error::validation(
      "The update expression attempted to update the secondary index key to unsupported type");
}

Error index_key_too_long(std::string_view attribute, std::size_t bytes, std::size_t bytes_max,
                         std::string_view index) {
  return key_value_refused("One or more parameter values were invalid: Size limit exceeded for Index Key " +
                           std::string(attribute) + " Actual Size: " + std::to_string(bytes) +
                           " bytes Max Size: " + std::to_string(bytes_max) +
                           " bytes IndexName: " + std::string(index));
}

Error index_key_too_long_in_update() {
  return Error::validation(
      "The update expression attempted to update the secondary index key beyond allowed size limits");
}

Error empty_index_key_in_update(Type type) {
  return key_value_refused(
      "One or more parameter values are not valid. The update expression attempted to update a secondary "
      "index key to a value that is not supported. " +
      cannot_be_empty(type));
}

Error key_not_updatable(std::string_view attribute) {
  return invalid_parameter("Cannot update attribute " + std::string(attribute) +
                           ". This attribute is part of the key");
}

Error key_path_not_scalar(std::string_view key_or_index_key, std::string_view attribute) {
  return Error::validation(
      "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: " +
      std::string(key_or_index_key) + ": " + std::string(attribute));
}

Error condition_failed(std::shared_ptr<const ErrorDetail> detail) {
  return {ErrorCode::ConditionalCheckFailed, "The conditional request failed", std::move(detail)};
}

Error item_too_large() { return Error::validation("Item size has exceeded the maximum allowed size"); }

Error updated_item_too_large() {
  return Error::validation("Item size to update has exceeded the maximum allowed size");
}

Error collection_too_large() {
  return {ErrorCode::ItemCollectionSizeLimitExceeded, "Collection size exceeded."};
}

Error duplicate_keys() { return Error::validation("Provided list of item keys contains duplicates"); }

// AWS speaks of the "transaction payload" whose "size cannot exceed" 4 MB (scylladb test/alternator/test_transact.py);
// its whole sentence is not known.
Error transaction_too_large() { return Error::validation("Transaction payload size cannot exceed 4 MB"); }

Error transaction_reads_too_much() {
  return Error::validation("The aggregate size of the items in the transaction cannot exceed 4 MB");
}

Error transaction_in_progress() {
  return {ErrorCode::TransactionInProgress, "Transaction from previous request is still in progress"};
}

// AWS documents the exception, but not its words.
Error token_used_differently() {
  return {ErrorCode::IdempotentParameterMismatch,
          "The request uses the same client token as a previous, but non-identical request."};
}

Error time_to_live_already(std::string_view state) {
  return Error::validation("TimeToLive is already " + std::string(state));
}

Error time_to_live_on_other_attribute(std::string_view attribute) {
  return Error::validation("TimeToLive is active on a different AttributeName: current AttributeName is " +
                           std::string(attribute));
}

// "Atleast" is AWS's own spelling.
Error no_tags() { return Error::validation("Atleast one Tag needs to be provided as Input."); }
Error no_tag_keys() { return Error::validation("Atleast one Tag Key needs to be provided as Input."); }

Error tag_key_invalid(std::string_view key) {
  return Error::validation("The Tag Key provided is invalid, Key: " + std::string(key));
}

Error tag_value_invalid(std::string_view value) {
  return Error::validation("The Tag Value provided is invalid, Value: " + std::string(value));
}

Error tag_key_reserved(std::string_view key) {
  return Error::validation("Tag Key cannot be prefixed with aws:, Key: " + std::string(key));
}

Error too_many_tags() {
  return Error::validation("Number of Tags exceed the current limit for the provided ResourceArn");
}

Error start_key_invalid() { return Error::validation("The provided starting key is invalid"); }

Error start_key_invalid(std::string_view why) {
  return Error::validation("The provided starting key is invalid: " + std::string(why));
}

Error start_key_outside_query() {
  return Error::validation(
      "The provided starting key is outside query boundaries based on provided conditions");
}

Error start_key_misses_range() {
  return Error::validation("The provided starting key does not match the range key predicate");
}

Error start_key_not_restartable() {
  return Error::validation("The query can return at most one row and cannot be restarted");
}

Error start_key_wrong_segment(int segment, int total_segments) {
  return start_key_invalid(
      "Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: " +
      std::to_string(total_segments) + " Segment: " + std::to_string(segment));
}

Error is_migrating(std::string_view table_name, const Migration& migration) {
  const bool is_older = migration.role == Migration::Role::Older;
  return Error::resource_in_use("The table " + std::string(table_name) + " is being migrated " +
                                (is_older ? "to " : "from ") + migration.other_table +
                                ". End this first, with `tavola migrate … finish` or `abort`.");
}

}  // namespace tavola::engine
