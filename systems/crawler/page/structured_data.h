// The structured data of a page: JSON-LD 1.1, Microdata (HTML standard), RDFa Lite 1.1 and Open Graph, each read from the parsed tree.
#pragma once

#include <string>
#include <vector>

#include "page/document.h"
#include "page/thing.h"

namespace crawler {

struct StructuredData {
  std::vector<std::string>
      standards{};  // "json-ld", "microdata", "rdfa", "opengraph": those that were found, in this order
  std::vector<Thing> things{};  // of all of them but Open Graph
  // Open Graph's properties as they are written: "og:type", "product:price:amount".
  Thing graph{};
};

StructuredData read_structured_data(const Document& document);

// The readers of one standard each. They return the things that are in no other thing.
std::vector<Thing> read_json_ld(std::string_view text);  // of one script; empty if it is not JSON
std::vector<Thing> read_microdata(const Document& document);
std::vector<Thing> read_rdfa(const Document& document);
Thing read_open_graph(const Document& document);

}  // namespace crawler
