#include "design/model/plain_json.h"

#include <memory>

#include "base/encoding.h"
#include "base/overloaded.h"
#include "design/model/bad_parameter.h"
#include "value/utf8.h"

namespace tavola::design {
namespace {

// ---- Writing

void write_list(JsonWriter& json, const auto& elements) {
  json.begin_list();
  for (const auto& element : elements) write_plain(json, Value(element));
  json.end_list();
}

void write_map(JsonWriter& json, const Map& map) {
  json.begin_object();
  for (const auto& [name, value] : map) write_plain(json.name(name), value);
  json.end_object();
}

// ---- Reading

constexpr int kJsonNestingMax = 64;

void append_utf8(std::string& out, unsigned code) {
  const auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80U | ((code >> shift) & 0x3FU)));
  };
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xC0U | (code >> 6U)));
    tail(0);
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xE0U | (code >> 12U)));
    tail(6), tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0U | (code >> 18U)));
    tail(12), tail(6), tail(0);
  }
}

// A recursive-descent reader. yaml/ reads JSON, too, but also accepts comments, trailing commas and bare
// words.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<Value> read() {
    if (!is_utf8(text_)) return problem("it is not UTF-8");
    TAVOLA_TRY(Value value, read_value(kJsonNestingMax));
    skip_blanks();
    if (at_ != text_.size()) return problem("something follows the value");
    return value;
  }

 private:
  std::unexpected<Error> problem(std::string_view what) const {
    return fail(Error::validation("no JSON (byte " + std::to_string(at_) + "): " + std::string(what)));
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  }
  bool take(std::string_view expected) {
    if (!text_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  bool take_behind_blanks(std::string_view expected) {
    skip_blanks();
    return take(expected);
  }

  Result<Value> read_value(int levels) {
    if (levels == 0) return problem("it is nested too deeply");
    skip_blanks();
    if (take("null")) return Value();
    if (take("true")) return Value(true);
    if (take("false")) return Value(false);
    if (take("[")) return read_list(levels);
    if (take("{")) return read_map(levels);
    if (take("\"")) return read_text();
    return read_number();
  }

  Result<Value> read_list(int levels) {
    List list;
    if (take_behind_blanks("]")) return Value(std::move(list));
    do {
      TAVOLA_TRY(Value element, read_value(levels - 1));
      list.push_back(std::move(element));
    } while (take_behind_blanks(","));
    if (!take("]")) return problem("a list continues with , or ends with ]");
    return Value(std::move(list));
  }

  Result<Value> read_map(int levels) {
    Map map;
    if (take_behind_blanks("}")) return Value(std::move(map));
    do {
      if (!take_behind_blanks("\"")) return problem("a name in double quotes is missing");
      TAVOLA_TRY(Value name, read_text());
      if (!take_behind_blanks(":")) return problem("a : is missing after the name");
      if (levels == kJsonNestingMax) member_ = name.string();
      TAVOLA_TRY(Value value, read_value(levels - 1));
      if (!map.try_emplace(name.string(), std::move(value)).second) {
        return problem("\"" + name.string() + "\" occurs twice");
      }
    } while (take_behind_blanks(","));
    if (!take("}")) return problem("an object continues with , or ends with }");
    return Value(std::move(map));
  }

  // Reads a string after its first quote.
  Result<Value> read_text() {
    std::string out;
    while (peek() != '"') {
      if (at_ >= text_.size()) return problem("a text has no closing quote");
      if (static_cast<unsigned char>(peek()) < 0x20) return problem("a text contains a control character");
      if (take("\\")) {
        if (!read_escape(out)) return problem("there is no such escape");
      } else {
        out.push_back(text_[at_++]);
      }
    }
    ++at_;
    return Value(std::move(out));
  }

  bool read_escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (take("u")) return read_code_point(out);
    const std::size_t known = at_ < text_.size() ? kLetters.find(peek()) : std::string_view::npos;
    if (known == std::string_view::npos) return false;
    out.push_back(kMeanings[known]);
    ++at_;
    return true;
  }

  bool read_code_point(std::string& out) {
    const auto first = read_hex4();
    if (!first) return false;
    unsigned code = *first;
    if (code >= 0xD800 && code <= 0xDFFF) {  // half of a surrogate pair
      const auto second = code <= 0xDBFF && take("\\u") ? read_hex4() : std::nullopt;
      if (!second || *second < 0xDC00 || *second > 0xDFFF) return false;
      code = 0x10000 + ((code - 0xD800) << 10U) + (*second - 0xDC00);
    }
    append_utf8(out, code);
    return true;
  }

  std::optional<unsigned> read_hex4() {
    const auto bytes = at_ + 4 <= text_.size() ? from_hex(text_.substr(at_, 4)) : std::nullopt;
    if (!bytes) return std::nullopt;
    at_ += 4;
    return static_cast<unsigned char>((*bytes)[0]) * 256U + static_cast<unsigned char>((*bytes)[1]);
  }

  bool take_digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ > begin;
  }

  Result<Value> read_number() {
    const std::size_t begin = at_;
    take("-");
    const bool zero = peek() == '0';
    const std::size_t digits = at_;
    if (!take_digits()) {
      at_ = begin;
      return problem(begin == text_.size() ? "a value is missing" : "this is not the beginning of a value");
    }
    if (zero && at_ - digits > 1) return problem("a number has no leading zeros");
    if (take(".") && !take_digits()) return problem("digits are missing after the point");
    if (take("e") || take("E")) {
      if (!take("+")) take("-");
      if (!take_digits()) return problem("digits are missing in the exponent");
    }
    const Result<Number> number = Number::parse(text_.substr(begin, at_ - begin));
    if (number) return Value(*number);
    if (member_.empty()) return fail(number.error());
    return fail(Error(ErrorCode::Validation, member_ + ": " + number.error().message(),
                      std::make_shared<BadParameter>(member_)));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string member_;  // the current member of the outermost map, which holds the parameters of a call
};

}  // namespace

void write_plain(JsonWriter& json, const Value& value) {
  std::visit(Overloaded{
                 [&](Null) { json.raw() += "null"; },
                 [&](bool truth) { json.boolean(truth); },
                 [&](const Number& number) { number.append_to(json.raw()); },
                 [&](const std::string& text) { json.text(text); },
                 [&](const Binary& binary) { json.text(to_base64(binary.bytes)); },
                 [&](const Map& map) { write_map(json, map); },
                 [&](const auto& elements) { write_list(json, elements); },
             },
             value.variant());
}

std::string to_plain_json(const Value& value) {
  std::string out;
  JsonWriter json(out);
  write_plain(json, value);
  return out;
}

std::string to_plain_json(const Item& item) {
  std::string out;
  JsonWriter json(out);
  write_map(json, item);
  return out;
}

Result<Value> parse_plain_json(std::string_view text) { return Reader(text).read(); }

}  // namespace tavola::design
