// Values and items as the .cases files write them. For tests only.
//
//   {pk: "a", n: 5, bytes: b"\x00\xff", tags: ss["x", "y"], scores: ns[1, 2.5], raw: bs[b"1"],
//    list: [1, "two", null, true], map: {k: "v"}, long: "x"*2048, deep: nested(32)}
//
// Escapes: \" \\ \n \xNN. A repeat *N may follow a string or bytes. nested(N) is N lists within each other.
#pragma once

#include <cctype>
#include <charconv>
#include <string>
#include <string_view>

#include <tavola/value.h>

#include "base/encoding.h"

namespace tavola::engine {

class Notation {
 public:
  explicit Notation(std::string_view text) : rest_(text) {}

  // Returns DynamoDB's error if the value itself is refused (a bad number, a set with duplicates), and Internal if the
  // text is malformed.
  Result<Value> value() {
    skip_space();
    if (rest_.starts_with("b\"")) {
      rest_.remove_prefix(1);
      TAVOLA_TRY(std::string bytes, quoted());
      return Binary{std::move(bytes)};
    }
    if (rest_.starts_with("ss[")) return set<std::string>([](const Value& v) { return v.string(); });
    if (rest_.starts_with("ns[")) return set<Number>([](const Value& v) { return v.number(); });
    if (rest_.starts_with("bs[")) return set<Binary>([](const Value& v) { return v.binary(); });
    if (rest_.starts_with("nested(")) return nested();
    if (take("true")) return true;
    if (take("false")) return false;
    if (take("null")) return Null{};
    if (rest_.starts_with('"')) return quoted();
    if (rest_.starts_with('[')) return list();
    if (rest_.starts_with('{')) return map();
    return number();
  }

  Result<Item> item() {
    TAVOLA_TRY(Value tree, value());
    if (tree.type() != Type::Map) return fail(Error::internal("not an item"));
    return tree.map();
  }

  bool done() {
    skip_space();
    return rest_.empty();
  }

 private:
  void skip_space() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
      rest_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  Error unexpected() const { return Error::internal("notation not understood at: " + std::string(rest_)); }

  Result<std::size_t> count() {
    std::size_t n = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
    if (error != std::errc()) return fail(unexpected());
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return n;
  }

  Result<std::string> quoted() {
    std::string text;
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.front() != '"') {
      if (rest_.front() != '\\') {
        text.push_back(rest_.front());
        rest_.remove_prefix(1);
      } else if (rest_.starts_with("\\x")) {
        const auto byte = from_hex(rest_.substr(2, 2));
        if (!byte || byte->size() != 1) return fail(unexpected());
        text += *byte;
        rest_.remove_prefix(4);
      } else {
        text.push_back(rest_.starts_with("\\n") ? '\n' : rest_[1]);
        rest_.remove_prefix(2);
      }
    }
    if (!take("\"")) return fail(unexpected());
    if (!rest_.starts_with('*')) return text;
    rest_.remove_prefix(1);
    TAVOLA_TRY(const std::size_t times, count());
    std::string repeated;
    for (std::size_t i = 0; i < times; ++i) repeated += text;
    return repeated;
  }

  Result<Value> number() {
    const std::size_t end = rest_.find_first_not_of("+-.0123456789eE");
    const std::string_view token = rest_.substr(0, end);
    if (token.empty()) return fail(unexpected());
    rest_.remove_prefix(token.size());
    TAVOLA_TRY(const Number parsed, Number::parse(token));
    return parsed;
  }

  Result<Value> list() {
    List elements;
    take("[");
    while (!take("]")) {
      if (!elements.empty() && !take(",")) return fail(unexpected());
      TAVOLA_TRY(Value element, value());
      elements.push_back(std::move(element));
    }
    return elements;
  }

  Result<Value> map() {
    Map entries;
    take("{");
    while (!take("}")) {
      if (!entries.empty() && !take(",")) return fail(unexpected());
      TAVOLA_TRY(std::string key, name());
      if (!take(":")) return fail(unexpected());
      TAVOLA_TRY(Value element, value());
      entries.insert_or_assign(std::move(key), std::move(element));
    }
    return entries;
  }

  Result<std::string> name() {
    skip_space();
    if (rest_.starts_with('"')) return quoted();
    // A placeholder's own colon (":v: 1") belongs to the name.
    const std::size_t end = rest_.find_first_of(": ,{}[]", rest_.starts_with(':') ? 1 : 0);
    if (end == std::string_view::npos || end == 0) return fail(unexpected());
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return text;
  }

  template <class T, class Get>
  Result<Value> set(Get get) {
    rest_.remove_prefix(2);
    TAVOLA_TRY(const Value elements, list());
    std::vector<T> members;
    for (const Value& element : elements.list()) members.push_back(get(element));
    TAVOLA_TRY(Set<T> built, Set<T>::of(std::move(members)));
    return built;
  }

  Result<Value> nested() {
    take("nested(");
    TAVOLA_TRY(const std::size_t levels, count());
    if (!take(")")) return fail(unexpected());
    Value value = 1;
    for (std::size_t i = 0; i < levels; ++i) value = List{std::move(value)};
    return value;
  }

  std::string_view rest_;
};

}  // namespace tavola::engine
