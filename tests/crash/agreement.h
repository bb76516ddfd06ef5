// Checks that the content of a database is consistent, whatever was written.
#pragma once

#include <string>
#include <vector>

#include "tests/crash/stored.h"

namespace tavola::crash {

// Sentences for people; none if all is well.
using Violations = std::vector<std::string>;

// Each index holds exactly the entries of the items (keys, projection, nothing else), and DescribeTable
// counts the items of the scans.
Violations disagreements(const Stored& stored);

// GetItem returns each item as the scan did.
Violations disagreements_of_reads(Database& database, const Stored& stored);

// Returns a short text of an item for a sentence: long attributes are cut.
std::string shorten(const Item& item);

}  // namespace tavola::crash
