// A file of cases: the tests of a design, as data. docs/DESIGN-TESTS.md describes the format.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tavola/database.h>
#include <tavola/time.h>

#include "design/model/model.h"

namespace tavola::cases {

// The expected result of a call.
struct Expected {
  enum class Form : std::uint8_t {
    Success,  // any answer
    Answer,   // `answer`
    Refused,  // by the name `name`
    Invalid,  // because of the parameter `name`
  };
  Form form = Form::Success;
  Value answer{};
  std::string name{};
};

// The name of the call that reads an item as it is stored.
inline constexpr std::string_view kRaw = "raw";

struct Call {
  std::string_view section;  // "given", "when" or "check"
  std::uint32_t line = 0;
  std::string name;   // of a pattern or an operation, or kRaw
  Item parameters{};  // values as in JSON
  std::optional<std::int64_t> limit{};
  std::shared_ptr<const Caller> caller{};  // null: roles are not checked
  Expected expected{};
};

// A step sets the time or calls something.
using Step = std::variant<WallTime, Call>;

struct Case {
  std::string name;
  std::uint32_t line = 0;
  std::vector<std::string> covers;
  std::vector<Step> steps;  // all of them in order: the file's `given`, its own `given`, `when`, `check`
};

struct CaseFile {
  std::string file;
  design::Design design;
  WallTime now;  // the time at which every case begins
  std::vector<Case> cases;
};

using LoadDesign = std::function<Result<design::Design>(const std::string& file)>;

// Reads the text of a file of cases and loads its design, which is named relative to `file`. Fails with Validation; the
// message has all mistakes with their positions.
Result<CaseFile> read_case_file(std::string_view text, const std::string& file, const LoadDesign& load);

}  // namespace tavola::cases
