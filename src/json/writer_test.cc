#include "json/writer.h"

#include <map>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace tavola::json {
namespace {

// Every byte at every place of a text, since texts are looked at eight bytes at a time.
TEST(Writer, EscapesWhatMustBeAndNothingElse) {
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t place = 0; place < 20; ++place) {
      std::string text(20, 'x');
      text[place] = static_cast<char>(byte);
      std::string out;
      append_text(out, text);
      std::string escaped(1, static_cast<char>(byte));
      if (byte < 0x20) {
        const std::map<int, std::string> short_ones{
            {'\b', "\\b"}, {'\f', "\\f"}, {'\n', "\\n"}, {'\r', "\\r"}, {'\t', "\\t"}};
        const auto known = short_ones.find(byte);
        constexpr std::string_view kHex = "0123456789abcdef";
        const auto digit = [&](int value) { return kHex[static_cast<std::size_t>(value)]; };
        escaped = known != short_ones.end() ? known->second
                                            : std::string("\\u00") + digit(byte / 16) + digit(byte % 16);
      } else if (byte == '"' || byte == '\\') {
        escaped.insert(0, "\\");
      }
      ASSERT_EQ(out, "\"" + std::string(place, 'x') + escaped + std::string(19 - place, 'x') + "\"") << byte;
    }
  }
}

TEST(Writer, PlacesCommas) {
  std::string out;
  Writer json(out);
  json.begin_object();
  json.name("a").begin_list();
  json.integer(-1);
  json.decimal(2);
  json.decimal(0.5);
  json.boolean(true);
  json.begin_object();
  json.end_object();
  json.end_list();
  json.name("b").text("x\ty\"");
  json.end_object();
  EXPECT_EQ(out, R"({"a":[-1,2.0,0.5,true,{}],"b":"x\ty\""})");
}

}  // namespace
}  // namespace tavola::json
