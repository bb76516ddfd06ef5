// One line of output: for people, or as JSON for programs.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace crawler {

class Record {
 public:
  Record& text(std::string_view name, std::string_view value);
  Record& number(std::string_view name, std::integral auto value) {
    fields_.emplace_back(name, static_cast<std::int64_t>(value));
    return *this;
  }
  Record& boolean(std::string_view name, bool value);
  Record& list(std::string_view name, std::vector<std::string> values);
  Record& null(std::string_view name);

  std::string to_json() const;  // an object, in one line
  // Returns the values of the texts in front, and the other fields with their names; numbers that are zero are left out.
  std::string to_text() const;

 private:
  struct Nothing {};
  using Value = std::variant<Nothing, std::string, std::int64_t, bool, std::vector<std::string>>;
  std::vector<std::pair<std::string, Value>> fields_;
};

using Report = std::function<void(const Record&)>;

}  // namespace crawler
