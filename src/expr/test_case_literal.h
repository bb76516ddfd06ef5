// Reads the values of testdata/*.cases (testdata/README.md has the notation). For tests only.
#pragma once

#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/value.h>

namespace tavola::expr {

// Reads values off the front of a text. After a mistake in the text, ok() is false.
class CaseLiteral {
 public:
  explicit CaseLiteral(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool at_end() {
    skip_spaces();
    return rest_.empty();
  }
  bool accept(char c) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool accept(std::string_view word) {
    skip_spaces();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  // Letters, digits, '_', '.' and '#': names and operators of the legacy parameters.
  std::string word() {
    skip_spaces();
    std::size_t size = 0;
    while (size < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[size])) != 0 || rest_[size] == '_')) {
      ++size;
    }
    return take(size);
  }

  Value value() {
    if (accept('"')) return quoted();
    if (accept("b\"")) return Binary{quoted()};
    if (accept("true")) return true;
    if (accept("false")) return false;
    if (accept("null")) return Null();
    if (accept('[')) return list(']');
    if (accept('{')) return map();
    if (accept('<')) return set(list('>'));
    return number();
  }

  // Values separated by commas, at least one.
  List values() {
    List all;
    do {
      all.push_back(value());
    } while (ok_ && accept(','));
    return all;
  }

 private:
  void skip_spaces() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  std::string take(std::size_t size) {
    std::string taken(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return taken;
  }
  std::string quoted() {
    const std::size_t end = rest_.find('"');
    if (end == std::string_view::npos) return fault("");
    std::string text = take(end);
    rest_.remove_prefix(1);
    return text;
  }
  List list(char end) {
    if (accept(end)) return {};
    List elements = values();
    if (!accept(end)) ok_ = false;
    return elements;
  }
  Map map() {
    Map entries;
    if (accept('}')) return entries;
    do {
      if (!accept('"')) return fault(entries);
      std::string name = quoted();
      if (!accept(':')) return fault(entries);
      entries[std::move(name)] = value();
    } while (ok_ && accept(','));
    if (!accept('}')) ok_ = false;
    return entries;
  }
  Value number() {
    skip_spaces();
    const std::size_t end = std::min(rest_.find_first_not_of("+-.0123456789eE"), rest_.size());
    const Result<Number> parsed = Number::parse(take(end));
    return parsed ? Value(*parsed) : fault(Value());
  }
  template <class T>
  Value checked(Result<Set<T>> set) {
    return set ? Value(*std::move(set)) : fault(Value());
  }
  Value set(const List& elements) {
    if (elements.empty()) return fault(Value());
    if (elements.front().is_string()) {
      return checked(collect<std::string>(elements, [](const Value& x) { return x.string(); }));
    }
    if (elements.front().is_number()) {
      return checked(collect<Number>(elements, [](const Value& x) { return x.number(); }));
    }
    return checked(collect<Binary>(elements, [](const Value& x) { return x.binary(); }));
  }
  template <class T, class Get>
  Result<Set<T>> collect(const List& elements, Get get) {
    std::vector<T> all;
    for (const Value& element : elements) all.push_back(get(element));
    return Set<T>::of(std::move(all));
  }
  template <class T>
  T fault(T result) {
    ok_ = false;
    return result;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace tavola::expr
