// gzip and deflate, in both directions, and what a client's Accept-Encoding means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/bytes/byte_budget.h"

namespace tavola::http {

enum class Coding : std::uint8_t { Identity, Gzip, Deflate, Unknown };

// The coding that Content-Encoding names.
Coding content_coding(std::string_view content_encoding);
std::string_view coding_name(Coding coding);

// The coding that a client prefers; Identity when it does not ask for one we have. DynamoDB's reading of the header,
// oddities included: it takes the first "q=" of an entry, a q that is no number counts as 1, and "identity" does not
// compete with the others.
Coding preferred_coding(std::string_view accept_encoding);

// DynamoDB compresses what is larger than this.
inline constexpr std::size_t kCompressionThresholdBytes = 4096;
// More than a page of Query or Scan, and some 20 ms of work: the connections of the same thread wait for it.
inline constexpr std::size_t kCompressedBytesMax = std::size_t{2} << 20U;

// The bytes in `coding`; empty when it fails (there is no memory).
std::string compress(Coding coding, std::string_view bytes);

enum class Decompressed : std::uint8_t { Done, Corrupt, TooLarge, OverBudget };

// Appends to `out` what `bytes` decompress to, at most `bytes_max`. The share grows with `out`, beyond what it is.
// Bytes behind the end are ignored unless they are another gzip member, as DynamoDB does.
Decompressed decompress(std::string_view bytes, std::string& out, std::size_t bytes_max, BudgetShare& share);

}  // namespace tavola::http
