#include "cases/case_file.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/joined.h"
#include "design/language/diagnostic.h"
#include "design/language/language.h"
#include "design/language/language_check.h"
#include "design/language/problems.h"
#include "design/language/reading.h"
#include "design/model/nearest.h"
#include "design/model/timestamps.h"
#include "yaml/parse.h"

namespace tavola::cases {
namespace {

using design::Member;
using design::Need;
using design::Shape;
using yaml::Node;

// ---- The format, as data ----

constexpr Shape kAny{.kind = Shape::Kind::Any};
constexpr Shape kText{.kind = Shape::Kind::Text};
constexpr Shape kBool{.kind = Shape::Kind::Bool};
constexpr Shape kCount{.kind = Shape::Kind::Count};
constexpr Shape kTexts{.kind = Shape::Kind::List, .of = &kText};
constexpr Shape kCall{.kind = Shape::Kind::Map, .of = &kAny};

constexpr Member kStepMembers[] = {
    {"now", &kText, "A time: the clock is set."},
    {"then", &kAny, "The expected answer."},
    {"refused", &kText, "The name by which the operation must be refused."},
    {"invalid", &kText, "The parameter that must be found invalid."},
    {"limit", &kCount, "Items per page."},
};
constexpr Shape kStep{.kind = Shape::Kind::Map, .of = &kAny, .members = kStepMembers};
constexpr Shape kSteps{.kind = Shape::Kind::List, .of = &kStep};

constexpr Member kCallerMembers[] = {
    {"sub", &kText, "The name of the person."},
    {"groups", &kTexts, "The groups of the person."},
};
constexpr Shape kCaller{.kind = Shape::Kind::Map, .members = kCallerMembers};

constexpr Member kCaseMembers[] = {
    {"name", &kText, "The tested behaviour.", Need::Required},
    {"covers", &kTexts, "The requirements that it shows."},
    {"empty", &kBool, "true: the file's own `given` is skipped."},
    {"given", &kSteps, "Steps that come before."},
    {"as", &kCaller, "The caller of `when`."},
    {"when", &kCall, "One operation or pattern, and its parameters."},
    {"then", &kAny, "The expected answer."},
    {"refused", &kText, "The name by which the operation must be refused."},
    {"invalid", &kText, "The parameter that must be found invalid."},
    {"limit", &kCount, "Items per page."},
    {"check", &kSteps, "Steps that come afterwards."},
};
constexpr Shape kCase{.kind = Shape::Kind::Map, .members = kCaseMembers};
constexpr Shape kCases{.kind = Shape::Kind::List, .of = &kCase};

constexpr Member kFileMembers[] = {
    {"design", &kText, "The file of the design, beside this one.", Need::Required},
    {"now", &kText, "The time at which every case begins, like \"2026-01-15T10:00:00Z\".", Need::Required},
    {"given", &kSteps, "Steps before every case."},
    {"cases", &kCases, "The cases.", Need::Required},
};
constexpr Shape kFile{.kind = Shape::Kind::Map, .members = kFileMembers};

// ---- Reading ----

class Reader {
 public:
  Reader(std::string file, const design::Design& design) : file_(std::move(file)), design_(design) {}

  std::vector<Case> cases_of(const Node& root) {
    const std::vector<Step> before = steps_at(root, "given");
    std::vector<Case> cases;
    for (const Node& node : root.find("cases")->items) {
      Case read{.name = design::text_at(node, "name"),
                .line = node.span.begin.line,
                .covers = design::texts_at(node, "covers"),
                .steps = design::flag_at(node, "empty") ? std::vector<Step>() : before};
      append(read.steps, steps_at(node, "given"));
      if (std::optional<Call> call = when_of(node)) read.steps.emplace_back(*std::move(call));
      append(read.steps, steps_at(node, "check"));
      cases.push_back(std::move(read));
    }
    if (cases.empty()) report(root.find("cases")->span, "the file has no case", "Add one to `cases`.");
    return cases;
  }

  WallTime time_of(const Node& node) {
    if (const auto time = design::parse_iso8601(node.text)) return *time;
    report(node.span, "`" + node.text + "` is not a time",
           "Write it in UTC and whole seconds: \"2026-01-15T10:00:00Z\".");
    return {};
  }

  std::vector<design::Diagnostic> take_problems() { return std::move(problems_); }

 private:
  static void append(std::vector<Step>& steps, std::vector<Step> more) {
    std::ranges::move(more, std::back_inserter(steps));
  }

  void report(const yaml::Span& at, std::string message, std::string advice) {
    problems_.push_back({.severity = design::Severity::Error,
                         .code = "bad-case",
                         .message = std::move(message),
                         .why = "A case that is not understood tests nothing.",
                         .advice = std::move(advice),
                         .file = file_,
                         .span = at});
  }

  std::vector<Step> steps_at(const Node& part, std::string_view section) {
    std::vector<Step> steps;
    const Node* const list = part.find(section);
    if (list == nullptr) return steps;
    for (const Node& node : list->items) {
      if (const Node* const now = node.find("now")) {
        if (node.entries.size() > 1) report(node.span, "`now` stands alone", "Make it a step of its own.");
        steps.emplace_back(time_of(*now));
      } else if (std::optional<Call> call = call_in(node)) {
        call->section = section;
        expect(node, *call);
        steps.emplace_back(*std::move(call));
      }
    }
    return steps;
  }

  std::optional<Call> when_of(const Node& node) {
    const Node* const when = node.find("when");
    if (when == nullptr) {
      if (node.find("check") == nullptr) {
        report(node.span, "the case does nothing", "Add `when`: { operation: { parameter: value } }.");
      }
      return std::nullopt;
    }
    std::optional<Call> call = call_in(*when);
    if (!call) return std::nullopt;
    call->section = "when";
    expect(node, *call);
    if (const Node* const as = node.find("as")) {
      call->caller = std::make_shared<const Caller>(
          Caller{design::text_at(*as, "sub"), design::texts_at(*as, "groups")});
    }
    return call;
  }

  // Returns the one call in a map, whose other keys are those of kStepMembers.
  std::optional<Call> call_in(const Node& node) {
    const yaml::Entry* called = nullptr;
    for (const yaml::Entry& entry : node.entries) {
      if (std::ranges::find(kStepMembers, entry.key.text, &Member::key) != std::end(kStepMembers)) continue;
      if (called != nullptr) {
        report(entry.key.span, "`" + entry.key.text + "` is a second call", "Make it a step of its own.");
        return std::nullopt;
      }
      called = &entry;
    }
    if (called == nullptr) {
      report(node.span, "nothing is called here",
             "Name one pattern or operation of the design with its parameters: { name: { … } }.");
      return std::nullopt;
    }
    return call_of(*called);
  }

  std::optional<Call> call_of(const yaml::Entry& entry) {
    const std::string& name = entry.key.text;
    if (!is_known(name)) {
      report(entry.key.span, "`" + design_.name + "` has no pattern or operation `" + name + "`",
             design::did_you_mean(name, names(), "It has " + joined(names()) + "."));
      return std::nullopt;
    }
    if (entry.value.kind != yaml::Kind::Map && entry.value.kind != yaml::Kind::Null) {
      report(entry.value.span, "the parameters of `" + name + "` are not a map",
             "Write { parameter: value }, or {} if there are none.");
      return std::nullopt;
    }
    const Value parameters = design::plain_value(entry.value);
    return Call{.section = {},
                .line = entry.key.span.begin.line,
                .name = name,
                .parameters = parameters.type() == Type::Map ? Item(parameters.map()) : Item()};
  }

  bool is_known(const std::string& name) const {
    return name == kRaw || design_.find_operation(name) != nullptr || design_.find_pattern(name) != nullptr;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    names.reserve(design_.operations.size() + design_.patterns.size());
    for (const design::Operation& operation : design_.operations) names.push_back(operation.name);
    for (const design::Pattern& pattern : design_.patterns) names.push_back(pattern.name);
    return names;
  }

  // Reads the expected result.
  void expect(const Node& node, Call& call) {
    if (const auto limit = design::count_at(node, "limit")) call.limit = static_cast<std::int64_t>(*limit);
    std::size_t expectations = 0;
    if (const Node* const then = node.find("then")) {
      call.expected = {.form = Expected::Form::Answer, .answer = design::plain_value(*then)};
      ++expectations;
    }
    if (const Node* const refused = node.find("refused")) {
      call.expected = {.form = Expected::Form::Refused, .name = refused->text};
      ++expectations;
    }
    if (const Node* const invalid = node.find("invalid")) {
      call.expected = {.form = Expected::Form::Invalid, .name = invalid->text};
      ++expectations;
    }
    if (expectations > 1) {
      report(node.span, "`" + call.name + "` has more than one expected result",
             "Keep one of `then`, `refused` and `invalid`.");
    }
  }

  std::string file_;
  const design::Design& design_;
  std::vector<design::Diagnostic> problems_;
};

Error wrong_file(std::vector<design::Diagnostic> problems, std::string_view text) {
  design::sort_by_place(problems);
  constexpr std::size_t kShownMax = 20;
  std::string message;
  for (std::size_t i = 0; i < std::min(problems.size(), kShownMax); ++i) {
    message += (i == 0 ? "" : "\n") + design::to_text(problems[i], text);
  }
  if (problems.size() > kShownMax) {
    message += "\nand " + std::to_string(problems.size() - kShownMax) + " more problems\n";
  }
  return Error::validation(std::move(message));
}

}  // namespace

Result<CaseFile> read_case_file(std::string_view text, const std::string& file, const LoadDesign& load) {
  design::Problems problems(file);
  yaml::Document document = yaml::parse(text);
  for (yaml::Problem& problem : document.problems)
    problems.error(problem.code, problem.span, std::move(problem.message), std::move(problem.advice));
  if (!problems.empty()) return fail(wrong_file(problems.take(), text));
  const design::CheckedTree checked = design::check_language(std::move(document.root), kFile, problems);
  if (!problems.empty()) return fail(wrong_file(problems.take(), text));

  const Node& root = checked.tree;
  const std::filesystem::path beside = std::filesystem::path(file).parent_path();
  TAVOLA_TRY(design::Design design, load((beside / root.find("design")->text).string()));
  CaseFile read{.file = file, .design = std::move(design), .now = {}, .cases = {}};
  Reader reader(file, read.design);
  read.now = reader.time_of(*root.find("now"));
  read.cases = reader.cases_of(root);
  if (auto wrong = reader.take_problems(); !wrong.empty()) return fail(wrong_file(std::move(wrong), text));
  return read;
}

}  // namespace tavola::cases
