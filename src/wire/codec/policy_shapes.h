// What the operations on resource policies share.
#pragma once

#include <string>
#include <string_view>

#include "wire/codec/fields.h"

namespace tavola::wire {

// The member ResourceArn, as a Database calls the resource: a table's name or a stream's. Tells all that is wrong with the request
// first.
Result<std::string> read_policy_resource(const Fields& in);
std::string read_expected_revision(const Fields& in);

// An error of the Database, which calls a resource without a policy by its ARN.
Error policy_error(const Fields& in, std::string_view resource, const Error& error);

// "RevisionId" alone; nothing inside when there is none.
std::string write_revision(const std::string& revision_id);

}  // namespace tavola::wire
