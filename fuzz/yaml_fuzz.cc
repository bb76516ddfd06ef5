// Any bytes are read, and every reported position lies in the text.
#include <cstdlib>

#include "yaml/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const tavola::yaml::Document document = tavola::yaml::parse(text);
  for (const tavola::yaml::Problem& problem : document.problems) {
    if (problem.span.end < problem.span.begin || problem.span.end.line > size + 1) std::abort();
  }
  return 0;
}
