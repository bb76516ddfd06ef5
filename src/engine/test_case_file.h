// The .cases files of testdata/: requests and their expected results, as text. For tests only.
//
//   table songs                              the table every case of the file starts with, empty
//     key artist:S song:S
//     gsi byYear year:N / song:S keys        hash attributes / range attributes, projection
//     lsi byPlays plays:N include label      (all, unless it says keys or include a,b)
//
//   == a title                               a case: its steps run one after the other
//   put {artist: "Nina", song: "Sinnerman"}  a step: a verb, its argument (test_notation.h) ...
//     if attribute_not_exists(artist)        ... its parameters ...
//     -> nothing                             ... and the expected response
//
// A line with unclosed brackets continues on the next one, and a line that begins with an item continues the
// expectation above it. cases_test.cc knows the verbs, the parameters and the expectations.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/requests.h>

namespace tavola::engine {

struct CaseStep {
  int line = 0;
  std::string verb;
  std::string argument;
  std::map<std::string, std::string> parameters;
  std::vector<std::string> expectations;
};

struct TestCase {
  std::string file;
  std::string title;
  CreateTableRequest table;
  std::vector<CaseStep> steps;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for this name.
inline void PrintTo(const TestCase& test, std::ostream* out) { *out << test.file << ": " << test.title; }

class CaseFile {
 public:
  static std::vector<TestCase> read(const std::filesystem::path& path) {
    CaseFile file(path.stem().string());
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);) file.add_line(line);
    return std::move(file.cases_);
  }

 private:
  explicit CaseFile(std::string name) : name_(std::move(name)) {}

  static int open_brackets(std::string_view text) {
    int open = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '"') {
        quoted = !quoted;
      } else if (!quoted) {
        open += (text[i] == '{' || text[i] == '[') ? 1 : (text[i] == '}' || text[i] == ']') ? -1 : 0;
      }
    }
    return open;
  }

  static std::string trimmed(std::string_view text) {
    const std::size_t from = text.find_first_not_of(' ');
    const std::size_t to = text.find_last_not_of(' ');
    return from == std::string_view::npos ? "" : std::string(text.substr(from, to - from + 1));
  }

  // "verb the rest" → {"verb", "the rest"}
  static std::pair<std::string, std::string> split(std::string_view text, char at = ' ') {
    const std::size_t space = text.find(at);
    if (space == std::string_view::npos) return {std::string(text), ""};
    return {trimmed(text.substr(0, space)), trimmed(text.substr(space + 1))};
  }

  void add_line(std::string_view line) {
    ++line_;
    pending_ += (pending_.empty() ? "" : " ") + std::string(pending_.empty() ? line : trimmed(line));
    if (const bool comment = pending_.starts_with('#'); !comment && open_brackets(pending_) > 0) return;
    const std::string whole = std::exchange(pending_, "");
    const std::string text = trimmed(whole);
    if (text.empty() || text.starts_with('#')) return;
    if (text.starts_with("== ")) {
      cases_.push_back({name_, text.substr(3), table_, {}});
    } else if (!whole.starts_with(' ')) {
      start(text);
    } else if (cases_.empty()) {
      add_to_table(text);
    } else if (text.starts_with('{')) {
      cases_.back().steps.back().expectations.back() += " " + text;
    } else if (text.starts_with("-> ")) {
      cases_.back().steps.back().expectations.push_back(text.substr(3));
    } else {
      auto [parameter, value] = split(text);
      cases_.back().steps.back().parameters.emplace(parameter, value);
    }
  }

  void start(const std::string& text) {
    auto [verb, argument] = split(text);
    if (cases_.empty()) {
      table_.table_name = argument;
      return;
    }
    cases_.back().steps.push_back({line_, verb, argument, {}, {}});
  }

  void add_to_table(const std::string& text) {
    auto [kind, rest] = split(text);
    if (kind == "key") {
      auto [hash, range] = split(rest);
      table_.key_schema.push_back({define(hash), KeyType::Hash});
      if (!range.empty()) table_.key_schema.push_back({define(range), KeyType::Range});
      return;
    }
    auto [name, definition] = split(rest);
    IndexProjection projection;
    for (const auto& [word, type] :
         {std::pair(" keys", ProjectionType::KeysOnly), std::pair(" include ", ProjectionType::Include)}) {
      if (const std::size_t at = definition.find(word); at != std::string::npos) {
        projection.type = type;
        for (std::string rest_of = definition.substr(at + std::string_view(word).size()); !rest_of.empty();) {
          auto [attribute, others] = split(rest_of, ',');
          projection.attributes.push_back(attribute);
          rest_of = others;
        }
        definition.resize(at);
      }
    }
    if (kind == "lsi") {
      table_.local_indexes.push_back(
          {name, {table_.key_schema[0], {define(trimmed(definition)), KeyType::Range}}, projection});
      return;
    }
    std::vector<KeySchemaElement> key;
    auto [hashes, ranges] = split(definition, '/');
    for (auto& [names, type] : {std::pair(&hashes, KeyType::Hash), std::pair(&ranges, KeyType::Range)}) {
      while (!names->empty()) {
        auto [attribute, others] = split(*names, ',');
        key.push_back({define(attribute), type});
        *names = others;
      }
    }
    table_.global_indexes.push_back({name, key, projection, {}});
  }

  // "year:N" → "year", defined once as a Number.
  std::string define(const std::string& text) {
    auto [name, type] = split(text, ':');
    const AttributeDefinition definition{name, type == "N"   ? Type::Number
                                               : type == "B" ? Type::Binary
                                                             : Type::String};
    auto& all = table_.attribute_definitions;
    if (std::find(all.begin(), all.end(), definition) == all.end()) all.push_back(definition);
    return name;
  }

  std::string name_;
  int line_ = 0;
  std::string pending_;
  CreateTableRequest table_;
  std::vector<TestCase> cases_;
};

}  // namespace tavola::engine
