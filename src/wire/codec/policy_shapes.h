// Shared by the operations on resource policies.
#pragma once

#include <string>
#include <string_view>

#include "wire/codec/fields.h"

namespace tavola::wire {

// Reads the member ResourceArn, as a Database names the resource: a table's name or a stream's. Reports all problems of
// the request first.
Result<std::string> read_policy_resource(const Fields& in);
std::string read_expected_revision(const Fields& in);

// Turns an error of the Database into one that names a resource without a policy by its ARN.
Error policy_error(const Fields& in, std::string_view resource, const Error& error);

// {"RevisionId": …}; empty if there is none.
std::string write_revision(const std::string& revision_id);

}  // namespace tavola::wire
