// Lists as text: "a, b", and "[a, b]" as Java prints a collection, which is how AWS's messages show one.
#pragma once

#include <functional>
#include <string>

namespace tavola {

template <class Range, class ToText = std::identity>
std::string joined(const Range& elements, ToText to_text = {}) {
  std::string text;
  bool first = true;
  for (const auto& element : elements) {
    if (!first) text += ", ";
    first = false;
    text += std::invoke(to_text, element);
  }
  return text;
}

template <class Range, class ToText = std::identity>
std::string bracketed(const Range& elements, ToText to_text = {}) {
  return "[" + joined(elements, to_text) + "]";
}

}  // namespace tavola
