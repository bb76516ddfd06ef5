#include "partiql/messages.h"

#include <array>
#include <utility>

namespace tavola::partiql::messages {

Error malformed(std::string_view what) {
  return Error::validation("Statement wasn't well formed, can't be processed: " + std::string(what));
}
Error refused(std::string words) { return Error::validation(std::move(words)); }
Error refused(std::string words, Place place) {
  return Error::validation(std::move(words) + " at " + to_text(place));
}

Error aliased() { return refused("Aliasing is not supported"); }
Error several_sources() { return refused("Only select from a single table or index is supported."); }
Error index_in_write() { return refused("This operation is not supported on an index"); }
Error bad_table_name() {
  return refused(
      "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', '_', '.'.");
}
Error parameters_missing() { return refused("Number of parameters in request and statement don't match."); }
Error key_not_given() {
  return refused("Where clause does not contain a mandatory equality on all key attributes");
}
Error several_keys(std::string_view attribute) {
  return refused("Multiple conditions on same key " + std::string(attribute) +
                 ". Only single item Update/Insert/Delete are supported");
}
Error key_type(std::string_view attribute) {
  return refused("Key attribute's data type should match its data type in table's schema: Key " +
                 std::string(attribute));
}
Error overlapping() {
  return refused("Overlapping conditions with range keys are not supported in where clause");
}
Error too_many_reads() { return refused("Too many decomposed read operations for a given query."); }
Error multi_attribute_index() {
  return refused(
      "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute "
      "RANGE "
      "keys.");
}
Error consistent_global_index() {
  return refused("Strongly consistent read is not supported on Global Secondary Indexes");
}
Error no_table() { return Error::resource_not_found("Requested resource not found"); }
Error duplicate_item() { return {ErrorCode::DuplicateItem, "Duplicate primary key exists in table"}; }
Error exists_outside_transaction() {
  return refused("EXISTS can only be used in ExecuteTransaction write requests.");
}
Error invalid_token() { return refused("Invalid NextToken"); }
Error token_of_another_request() { return refused("NextToken does not match request"); }

Error without_parameter_name(const Error& error) {
  if (error.code() != ErrorCode::Validation) return error;
  static constexpr std::array<std::string_view, 5> kPrefixes{
      "Invalid ConditionExpression: ", "Invalid FilterExpression: ", "Invalid KeyConditionExpression: ",
      "Invalid ProjectionExpression: ", "Invalid UpdateExpression: "};
  for (const std::string_view prefix : kPrefixes) {
    if (error.message().starts_with(prefix)) return Error::validation(error.message().substr(prefix.size()));
  }
  return error;
}

}  // namespace tavola::partiql::messages
