// The messages of this room, in AWS's words. Sources: paritysuite/dynamodb-conformance and floci-io/floci, whose cases
// were recorded from AWS (September and October 2026). tests/conformance/partiql pins them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <tavola/error.h>

#include "partiql/lexer.h"

namespace tavola::partiql::messages {

// "Statement wasn't well formed, can't be processed: " + what
Error malformed(std::string_view what);
// Refuses a well-formed statement that DynamoDB does not support; with the position where AWS reports it.
Error refused(std::string words);
Error refused(std::string words, Place place);

Error aliased();
Error several_sources();
Error index_in_write();
Error bad_table_name();
Error parameters_missing();
Error key_not_given();
Error several_keys(std::string_view attribute);
Error key_type(std::string_view attribute);
Error overlapping();
Error too_many_reads();
Error multi_attribute_index();
Error consistent_global_index();
Error no_table();
Error duplicate_item();
Error exists_outside_transaction();
Error invalid_token();
Error token_of_another_request();

// The expression engine names the request's parameter in its messages; a statement has no such parameter.
Error without_parameter_name(const Error& error);

}  // namespace tavola::partiql::messages
