#include "access/identity/credentials.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "base/ascii.h"

namespace tavola::access {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Returns the words of a line, without its comment: '#' starts one at the start of a word.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < line.size()) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    if (line[at] == '#') break;
    std::size_t end = at;
    while (end < line.size() && !is_blank(line[end])) ++end;
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

// A credential is written "id/date/region/..." in a header, with commas around it.
bool is_key_id(std::string_view id) {
  return std::ranges::all_of(id, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '_' || c == '.';
  });
}

Result<void> add_tables(AccessKey& key, std::string_view list) {
  Result<void> result;
  for_each_part(list, ',', [&](std::string_view name) {
    const std::size_t star = name.find('*');
    if (name.empty()) {
      result = fail(Error::validation("tables= needs names separated by commas"));
    } else if (star != std::string_view::npos && star + 1 != name.size()) {
      result = fail(Error::validation("a '*' may only end a table's name: " + std::string(name)));
    } else {
      key.tables.emplace_back(name);
    }
  });
  return result;
}

Result<void> add_groups(AccessKey& key, std::string_view list) {
  for_each_part(list, ',', [&](std::string_view name) { key.groups.emplace_back(name); });
  if (key.sub.empty()) key.sub = key.id;
  if (std::ranges::find(key.groups, "") != key.groups.end()) {
    return fail(Error::validation("groups= needs names separated by commas"));
  }
  return {};
}

Result<AccessKey> parse_key(const std::vector<std::string_view>& words) {
  if (words.size() < 2)
    return fail(Error::validation("a line is an access key and its secret, separated by spaces"));
  if (!is_key_id(words[0])) {
    return fail(Error::validation("an access key has letters, digits, '-', '_' and '.' only"));
  }
  AccessKey key{.id = std::string(words[0]), .secret = std::string(words[1]), .tables = {}};
  for (const std::string_view word : std::span(words).subspan(2)) {
    if (word == "read-only") {
      key.read_only = true;
    } else if (word.starts_with("tables=")) {
      TAVOLA_CHECK(add_tables(key, word.substr(7)));
    } else if (word.starts_with("groups=")) {
      TAVOLA_CHECK(add_groups(key, word.substr(7)));
    } else if (word.starts_with("sub=")) {
      key.sub = word.substr(4);
      if (key.sub.empty()) return fail(Error::validation("sub= needs the name of a person"));
    } else {
      return fail(
          Error::validation("only these may follow the secret: read-only, tables=NAME,..., sub=PERSON and "
                            "groups=NAME,..., not \"" +
                            std::string(word) + "\""));
    }
  }
  return key;
}

}  // namespace

bool AccessKey::may_use(std::string_view table) const {
  if (tables.empty()) return true;
  return std::ranges::any_of(tables, [&](std::string_view allowed) {
    if (allowed.ends_with('*')) return table.starts_with(allowed.substr(0, allowed.size() - 1));
    return table == allowed;
  });
}

Result<Credentials> Credentials::parse(std::string_view text, std::string_view source) {
  Credentials credentials;
  std::size_t line_number = 0;
  Result<void> result;
  for_each_part(text, '\n', [&](std::string_view line) {
    ++line_number;
    const std::vector<std::string_view> words = words_of(line);
    if (!result || words.empty()) return;
    const std::string position = std::string(source) + ":" + std::to_string(line_number) + ": ";
    Result<AccessKey> key = parse_key(words);
    if (!key) {
      result = fail(Error::validation(position + key.error().message()));
      return;
    }
    const std::string id = key->id;
    if (!credentials.keys_.try_emplace(id, *std::move(key)).second) {
      result = fail(
          Error::validation(position + "the access key " + id + " is already defined on an earlier line"));
    }
  });
  TAVOLA_CHECK(result);
  if (credentials.keys_.empty()) {
    return fail(Error::validation(std::string(source) + ": it has no access key; a line is \"ID SECRET\""));
  }
  return credentials;
}

Result<Credentials> Credentials::load(const std::string& path) {
  errno = 0;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
  const bool is_open = file != nullptr;
  std::string text;
  std::array<char, 4096> buffer{};
  std::size_t count = 0;
  while (is_open && (count = std::fread(buffer.data(), 1, buffer.size(), file.get())) > 0) {
    text.append(buffer.data(), count);
  }
  if (!is_open || std::ferror(file.get()) != 0) {
    return fail({ErrorCode::Io,
                 "cannot read the credentials in " + path + ": " + std::generic_category().message(errno)});
  }
  return parse(text, path);
}

bool Credentials::have_people() const {
  return std::ranges::any_of(keys_, [](const auto& entry) { return entry.second.stands_for_somebody(); });
}

const AccessKey* Credentials::find(std::string_view id) const {
  const auto found = keys_.find(std::string(id));
  return found == keys_.end() ? nullptr : &found->second;
}

}  // namespace tavola::access
