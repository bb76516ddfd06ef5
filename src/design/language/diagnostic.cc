#include "design/language/diagnostic.h"

#include <algorithm>
#include <map>
#include <utility>

#include "design/language/text_span.h"
#include "json/writer.h"

namespace tavola::design {
namespace {

std::string_view severity_name(Severity severity) { return severity == Severity::Error ? "error" : "lint"; }

std::string_view line_of(std::string_view source, std::uint32_t line) {
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t end = source.find('\n');
    if (end == std::string_view::npos) return {};
    source.remove_prefix(end + 1);
  }
  source = source.substr(0, source.find('\n'));
  if (source.ends_with('\r')) source.remove_suffix(1);
  return source;
}

constexpr std::string_view kCut = "…";

// Characters [begin, end) of a line.
struct Window {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Returns the part of a line of `width` characters that is shown around the character `place`.
Window shown_around(std::size_t place, std::size_t width) {
  constexpr std::size_t kShownMax = 200;
  constexpr std::size_t kBefore = 80;
  if (width <= kShownMax) return {0, width};
  const std::size_t begin = std::min(place - std::min(place, kBefore), width - kShownMax);
  return {begin, begin + kShownMax};
}

// Appends "   12 |     atributes:" and the carets below it.
void append_excerpt(std::string& out, const Span& span, std::string_view source) {
  const std::string_view line = line_of(source, span.begin.line);
  if (line.empty()) return;
  const std::size_t width = characters(line);
  const std::size_t first = std::min<std::size_t>(span.begin.column, width + 1) - 1;
  const bool one_line = span.end.line == span.begin.line && span.end.column > span.begin.column;
  const std::size_t last = one_line ? std::min<std::size_t>(span.end.column, width + 1) - 1 : width;
  const Window window = shown_around(first, width);
  const bool is_cut_before = window.begin > 0;
  const std::string number = std::to_string(span.begin.line);
  out += "  " + number + " | ";
  if (is_cut_before) out += kCut;
  out += characters_within(line, window.begin, window.end - window.begin);
  if (window.end < width) out += kCut;
  const std::size_t blanks = first - window.begin + (is_cut_before ? 1 : 0);
  out += "\n  " + std::string(number.size(), ' ') + " | " + std::string(blanks, ' ');
  out += std::string(std::max(std::min(last, window.end), first + 1) - first, '^') + "\n";
}

void append_place(std::string& out, const Diagnostic& diagnostic) {
  const yaml::Place& place = diagnostic.span.begin;
  out += diagnostic.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

void write_region(json::Writer& json, const Span& span) {
  json.begin_object();
  json.name("startLine").integer(span.begin.line);
  json.name("startColumn").integer(span.begin.column);
  json.name("endLine").integer(std::max(span.begin.line, span.end.line));
  json.name("endColumn")
      .integer(std::max(span.end.column, span.begin == span.end ? span.begin.column + 1 : std::uint32_t{1}));
  json.end_object();
}

void write_message(json::Writer& json, std::string_view text) {
  json.begin_object();
  json.name("text").text(text);
  json.end_object();
}

std::string_view sarif_level(Severity severity) { return severity == Severity::Error ? "error" : "warning"; }

// Writes each code once, in order, with the reason why it matters.
void write_rules(json::Writer& json, const std::map<std::string_view, const Diagnostic*>& rules) {
  json.begin_list();
  for (const auto& [code, diagnostic] : rules) {
    json.begin_object();
    json.name("id").text(code);
    json.name("shortDescription");
    write_message(json, code);
    json.name("fullDescription");
    write_message(json, diagnostic->why.empty() ? code : std::string_view(diagnostic->why));
    json.name("defaultConfiguration").begin_object();
    json.name("level").text(sarif_level(diagnostic->severity));
    json.end_object();
    json.end_object();
  }
  json.end_list();
}

void write_result(json::Writer& json, const Diagnostic& diagnostic, std::int64_t rule) {
  json.begin_object();
  json.name("ruleId").text(diagnostic.code);
  json.name("ruleIndex").integer(rule);
  json.name("level").text(sarif_level(diagnostic.severity));
  json.name("message");
  write_message(
      json, diagnostic.advice.empty() ? diagnostic.message : diagnostic.message + ". " + diagnostic.advice);
  json.name("locations").begin_list();
  json.begin_object();
  json.name("physicalLocation").begin_object();
  json.name("artifactLocation").begin_object();
  json.name("uri").text(diagnostic.file);
  json.end_object();
  json.name("region");
  write_region(json, diagnostic.span);
  json.end_object();
  json.end_object();
  json.end_list();
  json.end_object();
}

}  // namespace

std::string shortened(std::string text) {
  constexpr std::size_t kCharactersMax = 1000;
  if (text.size() <= kCharactersMax || characters(text) <= kCharactersMax) return text;
  return std::string(characters_within(text, 0, kCharactersMax)).append(kCut);
}

void sort_by_place(std::vector<Diagnostic>& diagnostics) {
  // Diagnostics of one position keep their order. A multimap does that without stable_sort, about which clang
  // complains.
  std::multimap<yaml::Place, Diagnostic> by_place;
  for (Diagnostic& one : diagnostics) by_place.emplace(one.span.begin, std::move(one));
  diagnostics.clear();
  for (auto& [place, one] : by_place) diagnostics.push_back(std::move(one));
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
  return std::ranges::any_of(diagnostics, [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

std::string to_text(const Diagnostic& diagnostic, std::string_view source) {
  std::string out;
  append_place(out, diagnostic);
  out += ": " + std::string(severity_name(diagnostic.severity)) + ": " + diagnostic.message + " [" +
         diagnostic.code + "]\n";
  append_excerpt(out, diagnostic.span, source);
  if (!diagnostic.why.empty()) out += "  Why: " + diagnostic.why + "\n";
  if (!diagnostic.advice.empty()) out += "  Do: " + diagnostic.advice + "\n";
  return out;
}

std::string to_json(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  json::Writer json(out);
  json.begin_list();
  for (const Diagnostic& diagnostic : diagnostics) {
    json.begin_object();
    json.name("severity").text(severity_name(diagnostic.severity));
    json.name("code").text(diagnostic.code);
    json.name("message").text(diagnostic.message);
    json.name("why").text(diagnostic.why);
    json.name("advice").text(diagnostic.advice);
    json.name("file").text(diagnostic.file);
    json.name("line").integer(diagnostic.span.begin.line);
    json.name("column").integer(diagnostic.span.begin.column);
    json.name("endLine").integer(diagnostic.span.end.line);
    json.name("endColumn").integer(diagnostic.span.end.column);
    json.end_object();
  }
  json.end_list();
  return out;
}

std::string to_sarif(const std::vector<Diagnostic>& diagnostics) {
  std::map<std::string_view, const Diagnostic*> rules;
  for (const Diagnostic& diagnostic : diagnostics) rules.emplace(diagnostic.code, &diagnostic);
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("$schema").text("https://json.schemastore.org/sarif-2.1.0.json");
  json.name("version").text("2.1.0");
  json.name("runs").begin_list();
  json.begin_object();
  json.name("tool").begin_object();
  json.name("driver").begin_object();
  json.name("name").text("tavola");
  json.name("rules");
  write_rules(json, rules);
  json.end_object();
  json.end_object();
  json.name("columnKind").text("unicodeCodePoints");
  json.name("results").begin_list();
  for (const Diagnostic& diagnostic : diagnostics)
    write_result(json, diagnostic, std::distance(rules.begin(), rules.find(diagnostic.code)));
  json.end_list();
  json.end_object();
  json.end_list();
  json.end_object();
  return out;
}

}  // namespace tavola::design
