#include "cases/report.h"

#include <cstdio>
#include <string_view>

#include "json/writer.h"
#include "workshop/texts/markup.h"

namespace tavola::cases {
namespace {

constexpr std::string_view kWhySkipped =
    "cases with `as` run in memory only: a server knows callers by their tokens";

std::string seconds(std::chrono::steady_clock::duration time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", std::chrono::duration<double>(time).count());
  return text;
}

std::string counted(std::size_t number, std::string_view one) {
  return std::to_string(number) + " " + std::string(one) + (number == 1 ? "" : "s");
}

std::string to_text(const Counts& counts) {
  std::string text = std::to_string(counts.passed) + " passed";
  if (counts.failed > 0) text += ", " + std::to_string(counts.failed) + " failed";
  if (counts.skipped > 0) text += ", " + std::to_string(counts.skipped) + " skipped";
  return text;
}

Counts counts(const FileResult& result) {
  return {.passed = result.cases.size() - result.failed() - result.skipped(),
          .failed = result.failed(),
          .skipped = result.skipped()};
}

std::string diff(const Failure& failure, const std::string& indent) {
  std::string text;
  for (const Difference& difference : failure.differences) {
    if (!difference.expected.empty()) text += indent + "- " + difference.expected + "\n";
    if (!difference.found.empty()) text += indent + "+ " + difference.found + "\n";
  }
  return text;
}

std::string place_of(const FileResult& result, const Failure& failure) {
  return result.file->file + ":" + std::to_string(failure.line);
}

// Escapes a text for an attribute or for content. XML 1.0 has no control characters.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : workshop::escape_markup(text)) {
    if (c == '\n') {
      out += "&#10;";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + xml(value) + "\"";
}

std::string junit_counts(const Counts& counts, std::chrono::steady_clock::duration time) {
  return attribute("tests", std::to_string(counts.passed + counts.failed + counts.skipped)) +
         attribute("failures", std::to_string(counts.failed)) + attribute("errors", "0") +
         attribute("skipped", std::to_string(counts.skipped)) + attribute("time", seconds(time));
}

std::string junit_case(const FileResult& result, const CaseResult& one) {
  std::string text = "    <testcase" + attribute("name", one.which->name) +
                     attribute("classname", result.file->design.name) + attribute("file", result.file->file) +
                     attribute("line", std::to_string(one.which->line)) +
                     attribute("time", seconds(one.time));
  if (one.is_skipped)
    return text + ">\n      <skipped" + attribute("message", kWhySkipped) + "/>\n    </testcase>\n";
  if (!one.failure) return text + "/>\n";
  text += ">\n      <failure" + attribute("message", one.failure->step) + ">" +
          xml(place_of(result, *one.failure) + ": " + one.failure->step + "\n" + diff(*one.failure, "")) +
          "</failure>\n    </testcase>\n";
  return text;
}

void write_failure(json::Writer& json, const Failure& failure) {
  json.begin_object();
  json.name("line").integer(failure.line);
  json.name("step").text(failure.step);
  json.name("differences").begin_list();
  for (const Difference& difference : failure.differences) {
    json.begin_object();
    json.name("expected").text(difference.expected);
    json.name("found").text(difference.found);
    json.end_object();
  }
  json.end_list();
  json.end_object();
}

void write_case(json::Writer& json, const CaseResult& one) {
  json.begin_object();
  json.name("name").text(one.which->name);
  json.name("line").integer(one.which->line);
  json.name("covers").begin_list();
  for (const std::string& requirement : one.which->covers) json.text(requirement);
  json.end_list();
  json.name("passed").boolean(!one.failure && !one.is_skipped);
  json.name("skipped").boolean(one.is_skipped);
  json.name("seconds").raw() += seconds(one.time);
  if (one.failure) write_failure(json.name("failure"), *one.failure);
  json.end_object();
}

}  // namespace

Counts counts(std::span<const FileResult> results) {
  Counts all;
  for (const FileResult& result : results) {
    const Counts one = counts(result);
    all = {.passed = all.passed + one.passed,
           .failed = all.failed + one.failed,
           .skipped = all.skipped + one.skipped};
  }
  return all;
}

std::string to_text(std::span<const FileResult> results) {
  std::string text;
  for (const FileResult& result : results) {
    text += result.file->file + ": " + to_text(counts(result)) + " (" + seconds(result.time()) + " s)\n";
  }
  for (const FileResult& result : results) {
    for (const CaseResult& one : result.cases) {
      if (!one.failure) continue;
      text += "\n" + place_of(result, *one.failure) + ": failed: " + one.which->name + "\n  " +
              one.failure->step + "\n" + diff(*one.failure, "    ");
    }
  }
  const Counts all = counts(results);
  if (all.failed > 0) text += "\n(- is expected, + was found)\n";
  if (all.skipped > 0) text += "note: " + std::string(kWhySkipped) + "\n";
  return text + to_text(all) + " in " + counted(results.size(), "file") + "\n";
}

std::string to_json(std::span<const FileResult> results) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  const Counts all = counts(results);
  json.name("passed").integer(static_cast<std::int64_t>(all.passed));
  json.name("failed").integer(static_cast<std::int64_t>(all.failed));
  json.name("skipped").integer(static_cast<std::int64_t>(all.skipped));
  json.name("files").begin_list();
  for (const FileResult& result : results) {
    json.begin_object();
    json.name("file").text(result.file->file);
    json.name("design").text(result.file->design.name);
    json.name("seconds").raw() += seconds(result.time());
    json.name("cases").begin_list();
    for (const CaseResult& one : result.cases) write_case(json, one);
    json.end_list();
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return out + "\n";
}

std::string to_junit(std::span<const FileResult> results) {
  std::chrono::steady_clock::duration time{};
  for (const FileResult& result : results) time += result.time();
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + junit_counts(counts(results), time) + ">\n";
  for (const FileResult& result : results) {
    text += "  <testsuite" + attribute("name", result.file->file) +
            junit_counts(counts(result), result.time()) + ">\n";
    for (const CaseResult& one : result.cases) text += junit_case(result, one);
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace tavola::cases
