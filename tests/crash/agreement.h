// Whether what a database holds agrees with itself, whatever was written.
#pragma once

#include <string>
#include <vector>

#include "tests/crash/stored.h"

namespace tavola::crash {

// Sentences for people; none when all is well.
using Violations = std::vector<std::string>;

// Each index holds exactly what the items say (its keys, its projection, nothing else), and DescribeTable
// counts what the scans return.
Violations disagreements(const Stored& stored);

// Each item that the scan returned is what GetItem returns.
Violations disagreements_of_reads(Database& database, const Stored& stored);

// A short text of an item for a sentence: long attributes are cut.
std::string shorten(const Item& item);

}  // namespace tavola::crash
