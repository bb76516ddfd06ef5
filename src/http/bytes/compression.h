// gzip and deflate, in both directions, and the meaning of a client's Accept-Encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/bytes/byte_budget.h"

namespace tavola::http {

enum class Coding : std::uint8_t { Identity, Gzip, Deflate, Unknown };

// Returns the coding that Content-Encoding names.
Coding content_coding(std::string_view content_encoding);
std::string_view coding_name(Coding coding);

// Returns the coding that a client prefers; Identity if it asks for none that we have. Interprets the header like
// DynamoDB, oddities included: the first "q=" of an entry counts, a q that is not a number counts as 1, and "identity"
// does not compete with the others.
Coding preferred_coding(std::string_view accept_encoding);

// DynamoDB compresses bodies larger than this.
inline constexpr std::size_t kCompressionThresholdBytes = 4096;
// More than a page of Query or Scan, and some 20 ms of work, for which the connections of the same thread wait.
inline constexpr std::size_t kCompressedBytesMax = std::size_t{2} << 20U;

// Returns the bytes in `coding`; empty on failure (no memory).
std::string compress(Coding coding, std::string_view bytes);

enum class Decompressed : std::uint8_t { Done, Corrupt, TooLarge, OverBudget };

// Appends the decompressed `bytes` to `out`, at most `bytes_max`. The share grows with `out`. Bytes after the end are
// ignored unless they are another gzip member, as in DynamoDB.
Decompressed decompress(std::string_view bytes, std::string& out, std::size_t bytes_max, BudgetShare& share);

}  // namespace tavola::http
