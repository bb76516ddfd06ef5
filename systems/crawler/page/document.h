// A page of HTML as a tree, parsed by the HTML standard (Gumbo).
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct GumboInternalNode;

namespace crawler {

class Visitor;

// An element of a Document, which must outlive it. Cheap to copy.
class Element {
 public:
  explicit Element(const GumboInternalNode& node) : node_(&node) {}

  std::string_view name() const;  // "a"; empty for elements that HTML does not know
  std::optional<std::string_view> attribute(const char* name) const;
  bool has(const char* name) const { return attribute(name).has_value(); }
  // Returns the attributes whose names begin so, with the rest of their names.
  std::vector<std::pair<std::string_view, std::string_view>> attributes_with_prefix(
      std::string_view prefix) const;
  // Calls `visit(child)` for the elements among the children, from the last to the first: as a stack wants them.
  template <class Visit>
  void for_each_child_backwards(const Visit& visit) const {
    for (std::size_t i = child_count(); i > 0; --i) {
      if (const auto child = child_at(i - 1)) visit(*child);
    }
  }
  // Returns the text of the element and all within it, at most 64 KB; that of script and style is left out.
  std::string text() const;
  // Returns the text of a script as it stands.
  std::string raw_text() const;
  friend auto operator<=>(const Element&, const Element&) = default;
  friend void visit(const Element& element, Visitor& visitor);

 private:
  std::size_t child_count() const;
  std::optional<Element> child_at(std::size_t i) const;  // nullopt: not an element

  const GumboInternalNode* node_;
};

// Receives the pieces of a page, in their order.
class Visitor {
 public:
  virtual ~Visitor() = default;
  // Returns false to leave out what is within the element; then leave() is not called.
  virtual bool enter(const Element& element) = 0;
  virtual void leave(const Element& element) = 0;
  virtual void text(std::string_view text) = 0;
};

// Visits the element and all within it but scripts, styles, templates and what a browser with scripts does not show.
void visit(const Element& element, Visitor& visitor);

class Document {
 public:
  // Every text is a page. A page with thousands of unclosed elements, which a parser needs minutes for, is cut there.
  explicit Document(std::string utf8);
  ~Document();
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;

  Element root() const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

// Calls `visit(element)` for the element and all within it, in the order of the page.
template <class Visit>
void for_each_element(Element element, const Visit& visit) {
  std::vector<Element> waiting{element};  // no recursion: pages may nest thousands of levels
  while (!waiting.empty()) {
    const Element next = waiting.back();
    waiting.pop_back();
    visit(next);
    next.for_each_child_backwards([&waiting](const Element& child) { waiting.push_back(child); });
  }
}

// The words of an attribute that is a list separated by white space.
std::vector<std::string_view> words_of(std::string_view text);
std::string single_spaced(std::string_view text);  // without white space at the ends, and one space within

}  // namespace crawler
