#include "yaml/node.h"

#include <algorithm>

namespace tavola::yaml {

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::Null:
      return "nothing";
    case Kind::Bool:
      return "true or false";
    case Kind::Number:
      return "a number";
    case Kind::Text:
      return "a text";
    case Kind::List:
      return "a list";
    case Kind::Map:
      return "a map";
  }
  return "";
}

const Node* Node::find(std::string_view key) const {
  const auto found = std::ranges::find_if(entries, [&](const Entry& entry) { return entry.key.text == key; });
  return found == entries.end() ? nullptr : &found->value;
}

}  // namespace tavola::yaml
