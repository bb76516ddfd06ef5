#include "cases/compare.h"

#include <algorithm>
#include <utility>

#include "design/model/plain_json.h"

namespace tavola::cases {
namespace {

class Comparison {
 public:
  void compare(const std::string& path, const Value& expected, const Value& found) {
    if (expected.type() == Type::Map && found.type() == Type::Map) {
      for (const auto& [name, value] : expected.map()) {
        const auto member = found.map().find(name);
        compare_whole(path.empty() ? name : std::string(path).append(".").append(name), value,
                      member == found.map().end() ? Value() : member->second);
      }
    } else if (expected.type() == Type::List && found.type() == Type::List) {
      compare_lists(path, expected.list(), found.list());
    } else {
      compare_whole(path, expected, found);
    }
  }

  std::vector<Difference> take() { return std::move(found_); }

 private:
  static std::string shown(const std::string& path, const std::string& text) {
    return path.empty() ? text : path + ": " + text;
  }

  void compare_whole(const std::string& path, const Value& expected, const Value& found) {
    if (expected == found) return;
    const auto text = [&path](const Value& value) {
      return value.is_null() && !path.empty() ? "missing" : design::to_plain_json(value);
    };
    found_.push_back({shown(path, text(expected)), shown(path, text(found))});
  }

  void compare_lists(const std::string& path, const List& expected, const List& found) {
    if (expected.size() != found.size()) {
      const auto count = [](std::size_t size) {
        return std::to_string(size) + (size == 1 ? " element" : " elements");
      };
      found_.push_back({shown(path, count(expected.size())), shown(path, count(found.size()))});
    }
    for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
      const std::string at = path + "[" + std::to_string(i) + "]";
      if (i >= expected.size()) {
        found_.push_back({"", shown(at, design::to_plain_json(found[i]))});
      } else if (i >= found.size()) {
        found_.push_back({shown(at, design::to_plain_json(expected[i])), ""});
      } else {
        compare(at, expected[i], found[i]);
      }
    }
  }

  std::vector<Difference> found_;
};

}  // namespace

std::vector<Difference> differences(const Value& expected, const Value& found) {
  Comparison comparison;
  // JSON has neither sets nor bytes.
  const Result<Value> plain = design::parse_plain_json(design::to_plain_json(found));
  comparison.compare("", expected, plain ? *plain : found);
  return comparison.take();
}

}  // namespace tavola::cases
