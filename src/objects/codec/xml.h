// XML as S3 uses it: elements with text, hardly any attributes. fuzz/objects_xml_fuzz.cc feeds the reader random bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace tavola::objects {

// Writes a document of S3's namespace.
//
//   XmlWriter xml("ListBucketResult");
//   xml.text("Name", bucket).open("Contents").text("Key", key).close();
//   response.body = xml.finish();
class XmlWriter {
 public:
  explicit XmlWriter(std::string_view root);
  // For a document without a namespace: S3's errors have none.
  XmlWriter() = default;

  XmlWriter& open(std::string_view name);
  XmlWriter& close();
  XmlWriter& characters(std::string_view text);
  XmlWriter& text(std::string_view name, std::string_view value);
  XmlWriter& number(std::string_view name, std::uint64_t value);
  XmlWriter& boolean(std::string_view name, bool value);
  // Closes what is open and returns the document.
  std::string finish();

 private:
  std::string out_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  std::vector<std::string> open_;
};

struct XmlElement {
  std::string name;  // without a prefix
  std::string text;  // of all pieces between its children, decoded
  std::vector<XmlElement> children{};

  // Returns the first child of a name; null if there is none.
  const XmlElement* find(std::string_view child) const;
  // Returns the text of a child; empty if it is missing.
  std::string_view text_of(std::string_view child) const;
};

// Reads one document: elements, attributes (which are dropped), text, comments, and the five named entities with
// character references. Fails with MalformedXML for everything else, a document type above all: a small document must
// not name files or expand to a large one.
Result<XmlElement> parse_xml(std::string_view document);

}  // namespace tavola::objects
