// Describes a command whose values are read into a struct:
//
//   CommandBuilder<DumpOptions>("dump", "Write the items of a table to a file")
//       .argument("TABLE", &DumpOptions::table, "Name of the table")
//       .option("--data", &DumpOptions::data, "DIR", "Data directory; no server may have it open")
//       .number("--parallel", &DumpOptions::parallel, "N", "Segments to read at once", {1, 64})
//       .alias("--segments")
//       .example("tavola dump orders -o orders.jsonl.gz")
//       .choose(chosen);
//
// A member is a pointer to member, or a function of the struct that returns a reference: `[](auto& o) -> auto& { return o.web.x; }`.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "cli/command/spec.h"
#include "cli/command/values.h"

namespace tavola::cli {

template <class Options>
class CommandBuilder {
 public:
  CommandBuilder(std::string name, std::string help) {
    spec_.name = std::move(name);
    spec_.help = std::move(help);
  }

  // Options that follow are listed under this heading.
  CommandBuilder& group(std::string heading) {
    group_ = std::move(heading);
    return *this;
  }

  // ---- Arguments ----

  template <class Member>
  CommandBuilder& argument(std::string name, Member member, std::string help) {
    optional_argument(std::move(name), member, std::move(help));
    latest_->is_required = true;
    return *this;
  }
  template <class Member>
  CommandBuilder& optional_argument(std::string name, Member member, std::string help) {
    add_argument({.name = name, .value = std::move(name), .help = std::move(help)});
    read_into(member);
    return *this;
  }
  template <class Member>
  CommandBuilder& choice_argument(std::string name, Member member, std::vector<std::string> words,
                                  std::string help) {
    add_argument({.name = name, .value = std::move(name), .help = std::move(help), .is_required = true});
    choose_into(member, std::move(words));
    return *this;
  }

  // ---- Options ----

  template <class Member>
  CommandBuilder& option(std::string name, Member member, std::string value, std::string help) {
    add({.name = std::move(name), .value = std::move(value), .help = std::move(help)});
    read_into(member);
    return *this;
  }
  template <class Member>
  CommandBuilder& flag(std::string name, Member member, std::string help) {
    add({.name = std::move(name), .help = std::move(help)});
    latest_->set = [options = options_, member](const std::string& text) {
      return read_value(text, std::invoke(member, *options));
    };
    return *this;
  }
  // A member that is an integer, or an optional one. Its type limits the range, too.
  template <class Member>
  CommandBuilder& number(std::string name, Member member, std::string value, std::string help,
                         Range<std::int64_t> range = {}) {
    add({.name = std::move(name), .value = std::move(value), .help = std::move(help)});
    auto& into = std::invoke(member, *options_);
    if constexpr (std::is_integral_v<std::remove_reference_t<decltype(into)>>)
      latest_->initial = std::to_string(into);
    using Number = NumberOf<std::remove_reference_t<decltype(into)>>;
    constexpr Number kMax = std::numeric_limits<Number>::max();
    if (std::in_range<std::int64_t>(kMax)) range.max = std::min(range.max, static_cast<std::int64_t>(kMax));
    latest_->set = [options = options_, member, range](const std::string& text) -> Result<void> {
      std::int64_t number = 0;
      TAVOLA_CHECK(read_number(text, number, range));
      std::invoke(member, *options) = static_cast<Number>(number);
      return {};
    };
    return *this;
  }
  // One of a few words.
  template <class Member>
  CommandBuilder& choice(std::string name, Member member, std::vector<std::string> words, std::string help) {
    add({.name = std::move(name), .value = "WORD", .help = std::move(help)});
    latest_->initial = std::invoke(member, *options_);
    choose_into(member, std::move(words));
    return *this;
  }
  // One of a few words, each with its value; the first is the default.
  template <class Member, class Value>
  CommandBuilder& choice_of(std::string name, Member member, std::vector<std::pair<std::string, Value>> words,
                            std::string help) {
    add({.name = std::move(name), .value = "WORD", .help = std::move(help), .initial = words.front().first});
    for (const auto& [word, value] : words) latest_->choices.push_back(word);
    latest_->set = [options = options_, member, choices = latest_->choices,
                    words = std::move(words)](const std::string& text) -> Result<void> {
      TAVOLA_TRY(const std::size_t at, read_choice(text, choices));
      std::invoke(member, *options) = words[at].second;
      return {};
    };
    return *this;
  }
  // An option that reads its value in its own way.
  CommandBuilder& custom(Option option, std::function<Result<void>(Options&, const std::string&)> set) {
    add(std::move(option));
    latest_->set = [options = options_, set = std::move(set)](const std::string& text) {
      return set(*options, text);
    };
    return *this;
  }

  // ---- More about the latest option ----

  CommandBuilder& required() {
    latest_->is_required = true;
    return *this;
  }
  CommandBuilder& hidden() {
    latest_->is_hidden = true;
    return *this;
  }
  CommandBuilder& letter(std::string letter) {
    latest_->letter = std::move(letter);
    return *this;
  }
  CommandBuilder& alias(std::string name) {
    latest_->aliases.push_back(std::move(name));
    return *this;
  }
  CommandBuilder& initial(std::string text) {
    latest_->initial = std::move(text);
    return *this;
  }

  // ---- The command ----

  template <class T>
  CommandBuilder& preset(T Options::* member, T value) {
    (*options_).*member = std::move(value);
    return *this;
  }
  CommandBuilder& notes(std::string text) {
    spec_.notes = std::move(text);
    return *this;
  }
  CommandBuilder& example(std::string line) {
    spec_.example = std::move(line);
    return *this;
  }
  CommandBuilder& check(std::function<Result<void>(Options&)> check) {
    spec_.check = [options = options_, check = std::move(check)] { return check(*options); };
    return *this;
  }
  // Ends the description. When the command is given, `chosen` becomes what was read.
  template <class Chosen>
  CommandSpec choose(Chosen& chosen) {
    spec_.choose = [&chosen, options = options_] { chosen = *options; };
    return std::move(spec_);
  }

 private:
  template <class T>
  struct Inner {
    using Type = T;
  };
  template <class T>
  struct Inner<std::optional<T>> {
    using Type = T;
  };
  template <class T>
  using NumberOf = typename Inner<T>::Type;

  void add(Option option) {
    option.group = group_;
    spec_.options.push_back(std::move(option));
    latest_ = &spec_.options.back();
  }
  void add_argument(Option option) {
    spec_.arguments.push_back(std::move(option));
    latest_ = &spec_.arguments.back();
  }
  template <class Member>
  void read_into(Member member) {
    auto& into = std::invoke(member, *options_);
    using Into = std::remove_reference_t<decltype(into)>;
    latest_->repeats = std::is_same_v<Into, std::vector<std::string>>;
    if constexpr (std::is_same_v<Into, std::string>) latest_->initial = into;
    if constexpr (std::is_same_v<Into, std::filesystem::path>) latest_->initial = into.string();
    latest_->set = [options = options_, member](const std::string& text) {
      return read_value(text, std::invoke(member, *options));
    };
  }
  template <class Member>
  void choose_into(Member member, std::vector<std::string> words) {
    latest_->choices = words;
    latest_->set = [options = options_, member,
                    words = std::move(words)](const std::string& text) -> Result<void> {
      TAVOLA_TRY(const std::size_t at, read_choice(text, words));
      std::invoke(member, *options) = words[at];
      return {};
    };
  }

  CommandSpec spec_;
  std::shared_ptr<Options> options_ = std::make_shared<Options>();
  std::string group_ = "Options";
  Option* latest_ = nullptr;
};

}  // namespace tavola::cli
