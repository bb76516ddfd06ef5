#include "transfer/formats/file_kind.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tavola::transfer {
namespace {

constexpr std::pair<std::string_view, Format> kFormats[] = {
    {"jsonl", Format::Lines}, {"csv", Format::Csv}, {"workbench", Format::Workbench}};
constexpr std::pair<std::string_view, Compression> kCompressions[] = {
    {"none", Compression::None}, {"gzip", Compression::Gzip}, {"zstd", Compression::Zstd}};
constexpr std::pair<std::string_view, Compression> kCompressedEnds[] = {{".gz", Compression::Gzip},
                                                                        {".gzip", Compression::Gzip},
                                                                        {".zst", Compression::Zstd},
                                                                        {".zstd", Compression::Zstd}};
constexpr std::pair<std::string_view, Format> kFormatEnds[] = {
    {".jsonl", Format::Lines}, {".ndjson", Format::Lines}, {".json", Format::Lines}, {".csv", Format::Csv}};

template <class E, std::size_t N>
std::string_view name_in(const std::pair<std::string_view, E> (&table)[N], E value) {
  return std::ranges::find(table, value, &std::pair<std::string_view, E>::second)->first;
}

template <class E, std::size_t N>
std::optional<E> find_in(const std::pair<std::string_view, E> (&table)[N], std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &std::pair<std::string_view, E>::first);
  return found == std::end(table) ? std::nullopt : std::optional(found->second);
}

// Removes a suffix of a name.
template <class E, std::size_t N>
std::optional<E> take_end(const std::pair<std::string_view, E> (&table)[N], std::string_view& name) {
  for (const auto& [end, value] : table) {
    if (!name.ends_with(end)) continue;
    name.remove_suffix(end.size());
    return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view format_name(Format format) { return name_in(kFormats, format); }
std::string_view compression_name(Compression compression) { return name_in(kCompressions, compression); }

Result<FileKind> kind_of(std::string_view file_name, std::string_view format, std::string_view compression) {
  std::string_view rest = file_name;
  FileKind kind;
  kind.compression = take_end(kCompressedEnds, rest).value_or(Compression::None);
  if (!compression.empty()) {
    const std::optional<Compression> said = find_in(kCompressions, compression);
    if (!said) {
      return fail(Error::validation("a file is compressed with none, gzip or zstd (was " +
                                    std::string(compression) + ")"));
    }
    kind.compression = *said;
  }
  const std::optional<Format> by_name = take_end(kFormatEnds, rest);
  if (!format.empty()) {
    const std::optional<Format> said = find_in(kFormats, format);
    if (!said) {
      return fail(
          Error::validation("the formats are jsonl, csv and workbench (was " + std::string(format) + ")"));
    }
    kind.format = *said;
    return kind;
  }
  if (!by_name) {
    return fail(Error::validation("the name of " + std::string(file_name) +
                                  " does not show its format; add --format jsonl or csv"));
  }
  kind.format = *by_name;
  return kind;
}

}  // namespace tavola::transfer
