#include "page/document.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <gumbo.h>
#include <map>
#include <memory_resource>
#include <utility>

#include "web/url.h"

namespace crawler {
namespace {

constexpr std::string_view kHtmlSpace = " \t\n\r\f";
constexpr std::size_t kTextBytesMax = std::size_t{64} * 1024;

const GumboVector* children_of(const GumboNode& node) {
  if (node.type == GUMBO_NODE_ELEMENT || node.type == GUMBO_NODE_TEMPLATE) return &node.v.element.children;
  return node.type == GUMBO_NODE_DOCUMENT ? &node.v.document.children : nullptr;
}

const GumboNode& node_at(const GumboVector& children, unsigned i) {
  return *static_cast<const GumboNode*>(children.data[i]);
}

bool is_text(const GumboNode& node) {
  return node.type == GUMBO_NODE_TEXT || node.type == GUMBO_NODE_WHITESPACE || node.type == GUMBO_NODE_CDATA;
}

bool is_hidden(const GumboNode& node) {
  if (node.type == GUMBO_NODE_TEMPLATE) return true;
  if (node.type != GUMBO_NODE_ELEMENT) return false;
  const GumboTag tag = node.v.element.tag;
  return tag == GUMBO_TAG_SCRIPT || tag == GUMBO_TAG_STYLE || tag == GUMBO_TAG_NOSCRIPT;
}

// Elements that may stay open: they are void, or the next one of their kind closes them.
bool may_stay_open(std::string_view name) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"area", "base", "br",     "col", "dd",    "dt",     "embed", "hr", "img", "input", "li",
       "link", "meta", "option", "p",   "param", "source", "td",    "th", "tr",  "track", "wbr"});
  return std::ranges::find(kNames, name) != kNames.end();
}

// The attributes of a tag, and how long it is.
struct TagExtent {
  std::size_t attributes = 0;
  std::size_t bytes = 0;
};

// Reads a tag as the HTML standard says (13.2.5.32 to 13.2.5.39), from the character behind its name, up to `attributes_max`.
TagExtent extent_of_tag(std::string_view text, std::size_t attributes_max) {
  TagExtent tag;
  std::size_t at = std::min(text.find_first_of(" \t\n\r\f/>"), text.size());  // the rest of its name
  bool has_name = false;  // an attribute that may get a value
  bool in_name = false;
  while (at < text.size() && text[at] != '>' && tag.attributes <= attributes_max) {
    const char c = text[at];
    if (kHtmlSpace.contains(c) || c == '/') {
      has_name = has_name && c != '/';
      in_name = false;
      ++at;
    } else if (c == '=' && has_name) {
      at = std::min(text.find_first_not_of(kHtmlSpace, at + 1), text.size());
      const bool is_quoted = at < text.size() && (text[at] == '"' || text[at] == '\'');
      at = is_quoted ? text.find(text[at], at + 1) : text.find_first_of(" \t\n\r\f>", at);
      at = std::min(at, text.size());
      if (is_quoted && at < text.size()) ++at;
      has_name = in_name = false;
    } else {
      if (!in_name) ++tag.attributes;
      has_name = in_name = true;
      ++at;
    }
  }
  tag.bytes = at;
  return tag;
}

// Gumbo looks through all open elements at most start tags, and through all attributes of a tag at each of them, so that a million of
// either would take hours. Returns how much of the text may be parsed: up to where too many more elements were opened than closed, or a
// tag has too many attributes. An end tag counts only if an element of its name is open: the parser ignores the others. Browsers nest no
// deeper than 512 levels.
//
// Each "<" is taken for the begin of a tag, also in a script or a comment: the parser finds no tag that is not looked at here. What is
// within a tag is looked at again, as long as that stays linear.
std::size_t parsed_length(std::string_view text) {
  constexpr std::size_t kUnclosedMax = 2000;
  constexpr std::size_t kAttributesMax = 2000;
  constexpr std::size_t kLooksMax = 16;  // at each byte, on average
  std::size_t looked_at = 0;
  std::map<std::string, std::size_t, std::less<>> open_by_name;
  std::size_t open = 0;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const bool is_end = text.substr(at + 1).starts_with('/');
    const std::size_t begin = at + (is_end ? 2 : 1);
    std::size_t end = begin;
    while (end < text.size() && ((text[end] | 0x20) >= 'a') && ((text[end] | 0x20) <= 'z')) ++end;
    const std::string name = small_letters(text.substr(begin, end - begin));
    if (name.empty()) continue;
    const TagExtent tag = extent_of_tag(text.substr(end), kAttributesMax);
    looked_at += tag.bytes;
    if (tag.attributes > kAttributesMax || looked_at > kLooksMax * text.size()) return at;
    if (may_stay_open(name)) continue;
    std::size_t& of_name = open_by_name[name];
    if (!is_end) {
      ++of_name;
      if (++open > kUnclosedMax) return at;
    } else if (of_name > 0) {
      --of_name;
      --open;
    }
  }
  return text.size();
}

}  // namespace

std::string_view Element::name() const {
  if (node_->type != GUMBO_NODE_ELEMENT && node_->type != GUMBO_NODE_TEMPLATE) return {};
  return gumbo_normalized_tagname(node_->v.element.tag);
}

std::optional<std::string_view> Element::attribute(const char* name) const {
  if (node_->type != GUMBO_NODE_ELEMENT && node_->type != GUMBO_NODE_TEMPLATE) return std::nullopt;
  const GumboAttribute* const found = gumbo_get_attribute(&node_->v.element.attributes, name);
  return found == nullptr ? std::nullopt : std::optional<std::string_view>(found->value);
}

std::vector<std::pair<std::string_view, std::string_view>> Element::attributes_with_prefix(
    std::string_view prefix) const {
  std::vector<std::pair<std::string_view, std::string_view>> found;
  if (node_->type != GUMBO_NODE_ELEMENT && node_->type != GUMBO_NODE_TEMPLATE) return found;
  const GumboVector& attributes = node_->v.element.attributes;
  for (unsigned i = 0; i < attributes.length; ++i) {
    const auto& attribute = *static_cast<const GumboAttribute*>(attributes.data[i]);
    const std::string_view name = attribute.name;
    if (name.starts_with(prefix)) found.emplace_back(name.substr(prefix.size()), attribute.value);
  }
  return found;
}

std::size_t Element::child_count() const {
  const GumboVector* const children = children_of(*node_);
  return children == nullptr ? 0 : children->length;
}

std::optional<Element> Element::child_at(std::size_t i) const {
  const GumboNode& child = node_at(*children_of(*node_), static_cast<unsigned>(i));
  return child.type == GUMBO_NODE_ELEMENT ? std::optional<Element>(child) : std::nullopt;
}

std::string Element::text() const {
  std::string out;
  std::vector<const GumboNode*> waiting{node_};
  while (!waiting.empty() && out.size() < kTextBytesMax) {
    const GumboNode& node = *waiting.back();
    waiting.pop_back();
    if (is_text(node)) out += std::string_view(node.v.text.text).substr(0, kTextBytesMax - out.size());
    const GumboVector* const children = is_hidden(node) ? nullptr : children_of(node);
    for (unsigned i = children == nullptr ? 0 : children->length; i > 0; --i)
      waiting.push_back(&node_at(*children, i - 1));
  }
  return out;
}

std::string Element::raw_text() const {
  std::string out;
  const GumboVector* const children = children_of(*node_);
  for (unsigned i = 0; children != nullptr && i < children->length; ++i) {
    if (is_text(node_at(*children, i))) out += node_at(*children, i).v.text.text;
  }
  return out;
}

void visit(const Element& element, Visitor& visitor) {
  struct Step {
    const GumboNode* node;
    bool is_end;
  };
  std::vector<Step> waiting{{element.node_, false}};  // no recursion: pages may nest thousands of levels
  while (!waiting.empty()) {
    const auto [node, is_end] = waiting.back();
    waiting.pop_back();
    if (is_text(*node)) visitor.text(node->v.text.text);
    if (node->type != GUMBO_NODE_ELEMENT || is_hidden(*node)) continue;
    if (is_end) {
      visitor.leave(Element(*node));
      continue;
    }
    if (!visitor.enter(Element(*node))) continue;
    waiting.push_back({node, true});
    const GumboVector& children = node->v.element.children;
    for (unsigned i = children.length; i > 0; --i) waiting.push_back({&node_at(children, i - 1), false});
  }
}

// The tree is in an arena, which goes at once: Gumbo frees a tree by recursion, and a page can nest deeper than the stack.
struct Document::Tree {
  explicit Tree(std::string utf8) : text(std::move(utf8)) {}

  static void* allocate(void* tree, std::size_t bytes) {
    return static_cast<Tree*>(tree)->arena.allocate(bytes, alignof(std::max_align_t));
  }
  static void forget(void*, void*) {}

  std::string text;  // the nodes point into it
  std::pmr::monotonic_buffer_resource arena;
  GumboOutput* output = nullptr;
};

Document::Document(std::string utf8) : tree_(std::make_unique<Tree>(std::move(utf8))) {
  tree_->text.resize(parsed_length(tree_->text));
  GumboOptions options = kGumboDefaultOptions;
  options.max_errors = 0;
  options.allocator = Tree::allocate;
  options.deallocator = Tree::forget;
  options.userdata = tree_.get();
  tree_->output = gumbo_parse_with_options(&options, tree_->text.data(), tree_->text.size());
}
Document::~Document() = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;

Element Document::root() const { return Element(*tree_->output->root); }

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(kHtmlSpace);
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    words.push_back(text.substr(0, text.find_first_of(kHtmlSpace)));
    text.remove_prefix(words.back().size());
  }
}

std::string single_spaced(std::string_view text) {
  std::string out;
  for (const std::string_view word : words_of(text)) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

}  // namespace crawler
