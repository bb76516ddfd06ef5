#include "cases/run_cases.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>
#include <utility>

#include "design/model/bad_parameter.h"
#include "design/model/plain_json.h"
#include "design/model/refusal.h"
#include "design/requests/operation_plan.h"
#include "design/roles/access.h"
#include "runner/runner.h"

namespace tavola::cases {
namespace {

// ---- The result of a call, and whether it is the expected one ----

std::optional<std::string> refusal_of(const Error& error) {
  if (const auto* refusal = error.detail<design::Refusal>()) return refusal->name;
  if (const auto* violation = error.detail<design::Violation>()) return violation->name;
  if (error.detail<design::Forbidden>() != nullptr) return std::string(design::kForbidden);
  return std::nullopt;
}

std::string to_text(const Result<Value>& answer) {
  if (answer) return design::to_plain_json(*answer);
  const Error& error = answer.error();
  const std::string reason = error.message().empty() ? "" : " (" + error.message() + ")";
  if (const auto name = refusal_of(error)) return "refused: " + *name + reason;
  if (const auto* bad = error.detail<design::BadParameter>()) return "invalid: " + bad->name + reason;
  return "error: " + error.message();
}

// Returns how the answer differs from the expected one.
std::vector<Difference> judge(const Expected& expected, const Result<Value>& answer) {
  switch (expected.form) {
    case Expected::Form::Success:
      if (answer) return {};
      return {{"success", to_text(answer)}};
    case Expected::Form::Answer:
      if (answer) return differences(expected.answer, *answer);
      return {{design::to_plain_json(expected.answer), to_text(answer)}};
    case Expected::Form::Refused:
      if (!answer && refusal_of(answer.error()) == expected.name) return {};
      return {{"refused: " + expected.name, to_text(answer)}};
    case Expected::Form::Invalid: {
      const auto* const bad = answer ? nullptr : answer.error().detail<design::BadParameter>();
      if (bad != nullptr && bad->name == expected.name) return {};
      return {{"invalid: " + expected.name, to_text(answer)}};
    }
  }
  return {};
}

// ---- One case ----

class CaseRun {
 public:
  CaseRun(const design::Design& design, CaseDatabase& database)
      : design_(design),
        database_(database),
        runner_({.database = database.database(),
                 .design = design,
                 .clock = database.clock(),
                 .secret = "page tokens of one case"}) {}

  std::optional<Failure> run(const CaseFile& file, const Case& one) {
    if (const Result<void> set = database_.set_time(file.now); !set) return failed(one, set.error());
    for (const Step& step : one.steps) {
      if (const auto* const time = std::get_if<WallTime>(&step)) {
        if (const Result<void> set = database_.set_time(*time); !set) return failed(one, set.error());
        continue;
      }
      const Call& call = std::get<Call>(step);
      std::vector<Difference> found = judge(call.expected, answer(call));
      if (found.empty()) continue;
      return Failure{
          .line = call.line,
          .step = std::string(call.section) + " " + call.name + " " + design::to_plain_json(call.parameters),
          .differences = std::move(found)};
    }
    return std::nullopt;
  }

  static Failure failed(const Case& one, const Error& error) {
    return {.line = one.line, .step = "the database", .differences = {{"", "error: " + error.message()}}};
  }

 private:
  Result<Value> answer(const Call& call) {
    if (call.name == kRaw) return stored(call.parameters);
    const runner::Runner runner = call.caller == nullptr ? runner_ : runner_.as(call.caller);
    if (const design::Operation* const operation = design_.find_operation(call.name)) {
      TAVOLA_TRY(const runner::Done done, runner.perform(*operation, call.parameters));
      TAVOLA_CHECK(database_.settle());
      return done.entity == nullptr ? Value() : Value(Map(done.fields));
    }
    return found(runner, *design_.find_pattern(call.name), call);
  }

  // Returns the entities of all pages; of a get, the one.
  static Result<Value> found(const runner::Runner& runner, const design::Pattern& pattern, const Call& call) {
    List all;
    runner::Question question{.parameters = call.parameters, .limit = call.limit, .page = {}};
    do {
      TAVOLA_TRY(runner::Found page, runner.ask(pattern, question));
      if (call.limit && page.entities.size() > static_cast<std::size_t>(*call.limit)) {
        return fail(Error::internal("a page has " + std::to_string(page.entities.size()) +
                                    " items, more than its limit"));
      }
      for (runner::Found::One& one : page.entities) all.emplace_back(Map(std::move(one.fields)));
      question.page = page.next;
    } while (!question.page.empty());
    if (pattern.form == design::Pattern::Form::Get) return all.empty() ? Value() : all.front();
    return Value(std::move(all));
  }

  Result<Value> stored(const Item& key) {
    TAVOLA_TRY(const PackedItem packed, pack(key));
    TAVOLA_TRY(const GetItemResponse response,
               database_.database().get_item(
                   {.table_name = design_.table.name, .key = packed, .consistent_read = true}));
    return response.item ? Value(Map(response.item->unpack())) : Value();
  }

  const design::Design& design_;
  CaseDatabase& database_;
  runner::Runner runner_;
};

std::optional<Failure> run_case(const CaseFile& file, const Case& one, const OpenDatabase& open) {
  const Result<std::unique_ptr<CaseDatabase>> database = open(file.design);
  if (!database) return CaseRun::failed(one, database.error());
  std::optional<Failure> failure = CaseRun(file.design, **database).run(file, one);
  const Result<void> closed = (*database)->close();
  if (!failure && !closed) return CaseRun::failed(one, closed.error());
  return failure;
}

bool has_caller(const Case& one) {
  return std::ranges::any_of(one.steps, [](const Step& step) {
    const auto* const call = std::get_if<Call>(&step);
    return call != nullptr && call->caller != nullptr;
  });
}

bool is_wanted(const Case& one, const std::string& filter) {
  return one.name.find(filter) != std::string::npos || std::ranges::count(one.covers, filter) > 0;
}

}  // namespace

std::size_t FileResult::failed() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(cases, [](const CaseResult& result) { return result.failure.has_value(); }));
}

std::size_t FileResult::skipped() const {
  return static_cast<std::size_t>(std::ranges::count_if(cases, &CaseResult::is_skipped));
}

std::chrono::steady_clock::duration FileResult::time() const {
  return std::accumulate(cases.begin(), cases.end(), std::chrono::steady_clock::duration(),
                         [](auto sum, const CaseResult& result) { return sum + result.time; });
}

std::vector<FileResult> run_cases(std::span<const CaseFile> files, const RunOptions& options) {
  struct Job {
    const CaseFile* file;
    CaseResult* result;
  };
  std::vector<FileResult> results;
  for (const CaseFile& file : files) {
    results.push_back({.file = &file});
    for (const Case& one : file.cases) {
      if (!is_wanted(one, options.filter)) continue;
      results.back().cases.push_back(
          {.which = &one, .is_skipped = !options.knows_callers && has_caller(one)});
    }
  }
  std::vector<Job> jobs;
  for (FileResult& result : results) {
    for (CaseResult& one : result.cases) {
      if (!one.is_skipped) jobs.push_back({result.file, &one});
    }
  }
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t at = next++; at < jobs.size(); at = next++) {
      const auto started = std::chrono::steady_clock::now();
      CaseResult& result = *jobs[at].result;
      result.failure = run_case(*jobs[at].file, *result.which, options.open);
      result.time = std::chrono::steady_clock::now() - started;
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 1; i < options.threads; ++i) threads.emplace_back(work);
  work();
  threads.clear();  // waits for them
  return results;
}

}  // namespace tavola::cases
