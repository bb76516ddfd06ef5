// Reader: a text that is being parsed. It holds the position, the mistakes found so far, and the comments that belong to
// no node yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yaml/node.h"
#include "yaml/parse.h"
#include "yaml/scalars.h"
#include "yaml/source.h"

namespace tavola::yaml {

// The number of UTF-8 characters in the text.
std::uint32_t characters_in(std::string_view text);

// Returns whether an item of a block list starts here.
bool is_item(const Source& in);

// Returns whether the line continues with `key:`.
bool is_key_ahead(const Source& in);

class Reader {
 public:
  explicit Reader(std::string_view text) : in_(text) {}

  Source& in() { return in_; }

  // Keeps a mistake. After kProblemsMax of them, one more says that there are others.
  void report(Span span, std::string_view code, std::string message, std::string advice);
  void report(Fault fault);
  std::vector<Problem> take_problems() { return std::move(problems_); }

  // Notes that a part cannot be read, so that one mistake is reported once; the next part starts anew.
  void give_up() { has_given_up_ = true; }
  void start_anew() { has_given_up_ = false; }
  bool has_given_up() const { return has_given_up_; }

  void keep_comment(std::string comment) { comments_.push_back(std::move(comment)); }
  std::vector<std::string> take_comments() { return std::exchange(comments_, {}); }
  std::string read_comment();

  // Moves from the end or the start of a line to the next line with content, and keeps the comments between.
  void next_content();
  // Reads what may follow a value: a comment, and the end of the line.
  void end_line(Node& node);

  // Starts a collection; fails if it is nested too deeply. end() finishes it.
  std::optional<Node> begin(Kind kind, Style style);
  Node end(Node node, Place place);

  // Reads a key, without its colon.
  Node key_scalar(Context context);
  // Reports and skips &anchors, *aliases and !tags.
  void report_foreign();

  // Adds an entry to a map; reports a key that the map already has.
  using Keys = std::map<std::string, Place, std::less<>>;
  void add(Node& map, Entry entry, Keys& keys);

 private:
  void report_tab();
  void report_unexpected(Place begin);

  Source in_;
  std::vector<Problem> problems_;
  std::vector<std::string> comments_;
  int depth_ = 0;
  bool has_given_up_ = false;
};

}  // namespace tavola::yaml
