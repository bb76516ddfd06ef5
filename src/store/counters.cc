#include "store/counters.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "store/store.h"

namespace tavola::store {
namespace {

constexpr std::size_t kCounterBytes = sizeof(std::int64_t);

// Counters are little-endian. memcpy compiles to one instruction where a loop over bytes does not.
std::uint64_t in_file_order(std::uint64_t value) {
  return std::endian::native == std::endian::little ? value : std::byteswap(value);
}

std::uint64_t load(const char* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, kCounterBytes);
  return in_file_order(value);
}

void save(char* bytes, std::uint64_t value) {
  const std::uint64_t ordered = in_file_order(value);
  std::memcpy(bytes, &ordered, kCounterBytes);
}

}  // namespace

Write Write::add(std::string key, std::span<const std::int64_t> deltas) {
  std::string bytes(deltas.size() * kCounterBytes, '\0');
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    save(bytes.data() + i * kCounterBytes, static_cast<std::uint64_t>(deltas[i]));
  }
  return {Kind::Add, std::move(key), std::move(bytes)};
}

Result<std::vector<std::int64_t>> decode_counters(std::string_view bytes, std::size_t count) {
  if (bytes.size() % kCounterBytes != 0) {
    return fail(Error::corrupt("counters take a multiple of 8 bytes, found " + std::to_string(bytes.size())));
  }
  std::vector<std::int64_t> counters(count, 0);
  for (std::size_t i = 0; i < std::min(count, bytes.size() / kCounterBytes); ++i) {
    counters[i] = static_cast<std::int64_t>(load(bytes.data() + i * kCounterBytes));
  }
  return counters;
}

bool add_counters(std::string& total, std::string_view deltas) {
  if (total.size() % kCounterBytes != 0 || deltas.size() % kCounterBytes != 0) return false;
  if (total.size() < deltas.size()) total.resize(deltas.size(), '\0');
  for (std::size_t at = 0; at < deltas.size(); at += kCounterBytes) {
    save(total.data() + at, load(total.data() + at) + load(deltas.data() + at));
  }
  return true;
}

}  // namespace tavola::store
