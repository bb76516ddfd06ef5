#include "workshop/sample/matching_text.h"

#include <charconv>
#include <vector>

namespace tavola::workshop {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
// The repetitions of `*`, `+` and `{n,}`, which are unbounded.
constexpr std::uint64_t kRepeatsMore = 6;
constexpr int kDepthMax = 32;

// Walks over the expression and writes a matching text, alternative by alternative:
//   either := sequence ('|' sequence)*      sequence := (atom repeat?)*      atom := char | class | '(' either ')'
class Matcher {
 public:
  Matcher(std::string_view pattern, Dice& dice) : left_(pattern), dice_(dice) {}

  std::optional<std::string> all() {
    std::string text = either(0);
    if (failed_ || !left_.empty()) return std::nullopt;
    return text;
  }

 private:
  bool at(char c) const { return !left_.empty() && left_.front() == c; }
  bool take(char c) {
    if (!at(c)) return false;
    left_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view words) {
    if (!left_.starts_with(words)) return false;
    left_.remove_prefix(words.size());
    return true;
  }

  std::string either(int depth) {
    std::vector<std::string> choices{sequence(depth)};
    while (take('|')) choices.push_back(sequence(depth));
    return dice_.one_of(std::span<const std::string>(choices));
  }

  std::string sequence(int depth) {
    std::string text;
    while (!failed_ && !left_.empty() && !at('|') && !at(')')) {
      const std::string_view before = left_;
      std::string once = atom(depth);
      const std::string_view behind_atom = left_;
      const std::uint64_t times = repeats();
      const std::string_view behind_repeats = left_;
      // Every repetition is drawn separately: the atom is read again.
      for (std::uint64_t i = 0; i < times && !failed_; ++i) {
        if (i > 0) {
          left_ = before.substr(0, before.size() - behind_atom.size());
          once = atom(depth);
          left_ = behind_repeats;
        }
        text += once;
      }
    }
    return text;
  }

  std::string atom(int depth) {
    if (depth > kDepthMax || take("(?=") || take("(?!")) return failure();
    if (take('^') || take('$')) return "";
    if (take('(')) {
      take("?:");
      std::string text = either(depth + 1);
      return take(')') ? text : failure();
    }
    if (take('[')) return one_of_class();
    if (take('.')) return one(kLetters);
    if (take('\\')) return escaped();
    const char c = left_.front();
    left_.remove_prefix(1);
    return std::string(1, c);
  }

  std::string escaped() {
    if (left_.empty()) return failure();
    const char c = left_.front();
    left_.remove_prefix(1);
    if (c == 'd') return one(kDigits);
    if (c == 'w') return one(kLetters);
    if (c == 's') return " ";
    if (std::string_view("DWSbB0123456789").contains(c)) return failure();
    return std::string(1, c);
  }

  std::string one_of_class() {
    const bool negated = take('^');
    std::string members;
    while (!left_.empty() && !at(']')) {
      if (take("\\d")) {
        members += kDigits;
        continue;
      }
      if (take("\\w")) {
        members += kLetters;
        continue;
      }
      take('\\');
      if (left_.empty()) return failure();
      const auto first = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      unsigned char last = first;
      if (at('-') && left_.size() > 1 && left_[1] != ']') {
        last = static_cast<unsigned char>(left_[1]);
        left_.remove_prefix(2);
      }
      for (int c = first; c <= last; ++c) members.push_back(static_cast<char>(c));
    }
    if (!take(']')) return failure();
    return one(negated ? without(members) : members);
  }

  static std::string without(std::string_view members) {
    std::string others;
    for (const char c : kLetters) {
      if (!members.contains(c)) others.push_back(c);
    }
    return others;
  }

  std::uint64_t repeats() {
    std::uint64_t low = 1;
    std::uint64_t high = 1;
    if (take('?')) {
      low = 0;
    } else if (take('*')) {
      low = 0;
      high = kRepeatsMore;
    } else if (take('+')) {
      high = 1 + kRepeatsMore;
    } else if (take('{')) {
      low = count();
      high = low;
      if (take(',')) high = at('}') ? low + kRepeatsMore : count();
      if (!take('}') || high < low || high > 4096) failed_ = true;
    }
    take('?');  // lazy or not makes no difference here
    return failed_ ? 0 : low + dice_.below(high - low + 1);
  }

  std::uint64_t count() {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), number);
    if (error != std::errc{}) failed_ = true;
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return number;
  }

  std::string one(std::string_view members) {
    if (members.empty()) return failure();
    return std::string(1, members[static_cast<std::size_t>(dice_.below(members.size()))]);
  }
  std::string failure() {
    failed_ = true;
    return "";
  }

  std::string_view left_;
  Dice& dice_;
  bool failed_ = false;
};

}  // namespace

std::optional<std::string> matching_text(std::string_view pattern, Dice& dice) {
  return Matcher(pattern, dice).all();
}

}  // namespace tavola::workshop
