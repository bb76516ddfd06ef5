// Writes JSON straight into a string: no tree is built.
//
//   json::Writer json(out);
//   json.begin_object();
//   json.name("Count").integer(3);
//   json.name("Items").begin_list(); ... json.end_list();
//   json.end_object();
//
// The writer adds commas; the caller must alternate names and values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tavola::json {

void append_text(std::string& out, std::string_view text);  // quoted and escaped

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  Writer& name(std::string_view name);
  void begin_object();
  void end_object();
  void begin_list();
  void end_list();
  void text(std::string_view text);
  void integer(std::int64_t number);
  void decimal(double number);  // "2.0": as AWS writes capacity units and times
  void boolean(bool value);

  // Returns out(), to which the caller appends one complete value.
  std::string& raw();

 private:
  void before_value() {
    if (needs_comma_) out_.push_back(',');
    needs_comma_ = true;
  }
  std::string& out_;
  bool needs_comma_ = false;
};

}  // namespace tavola::json
