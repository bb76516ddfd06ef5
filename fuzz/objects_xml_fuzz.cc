// XML of clients: refused or read, and what was read is read the same from what the writer makes of it.
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "objects/codec/xml.h"

namespace {

using namespace tavola::objects;

void write(XmlWriter& xml, const XmlElement& element) {
  xml.open(element.name);
  if (!element.text.empty()) xml.characters(element.text);
  for (const XmlElement& child : element.children) write(xml, child);
  xml.close();
}

bool are_same(const XmlElement& a, const XmlElement& b) {
  if (a.name != b.name || a.text != b.text || a.children.size() != b.children.size()) return false;
  for (std::size_t i = 0; i < a.children.size(); ++i)
    if (!are_same(a.children[i], b.children[i])) return false;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = parse_xml({reinterpret_cast<const char*>(data), size});
  if (!read || read->name.empty()) return 0;
  XmlWriter xml;
  write(xml, *read);
  const auto again = parse_xml(xml.finish());
  TAVOLA_ASSERT(again && are_same(*again, *read));
  return 0;
}
