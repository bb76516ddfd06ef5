#include "web/charset.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawler {
namespace {

struct CharsetCase {
  std::string body;
  const char* content_type;
  std::string text;
};

TEST(Charset, IsFoundAsBrowsersFindIt) {
  using namespace std::string_literals;
  const std::string euro_1252 = "5 \x80";
  const std::vector<CharsetCase> cases = {
      {"5 €", "text/html", "5 €"},
      {euro_1252, "text/html", "5 €"},
      {euro_1252, "text/html; charset=ISO-8859-1", "5 €"},
      {"5 \xA4", "text/html; charset=\"iso-8859-15\"", "5 €"},
      {"<meta charset='windows-1251'>\xD6\xE5\xED\xE0", "text/html", "<meta charset='windows-1251'>Цена"},
      {"<meta http-equiv=Content-Type content=\"text/html; charset=windows-1251\">\xD6", "",
       "<meta http-equiv=Content-Type content=\"text/html; charset=windows-1251\">Ц"},
      {"<meta charset=utf-16>ok", "text/html", "<meta charset=utf-16>ok"},
      {"\xEF\xBB\xBF\xC3\xA4", "text/html; charset=iso-8859-1", "ä"},
      {"\xFF\xFE\x35\x00\xAC\x20"s, "text/html", "5€"},
      {"\xFE\xFF\x00\x35\x20\xAC"s, "text/html", "5€"},
      {"\x83\x7A", "text/html; charset=shift_jis", "ホ"},
      {"\xB0\xA1\x81\x41", "text/html; charset=EUC-KR", "가갂"},  // the second one is of windows-949
      {"\x82\xA0", "text/html; charset=x-sjis", "あ"},
      {"\xA1", "text/html; charset=tis-620", "ก"},
      {"\xE0", "text/html; charset=windows-1255", "א"},
      {"\xE4", "text/html; charset=ISO_8859-1", "ä"},
      {"+AOQ-", "text/html; charset=utf-7", "+AOQ-"},  // no encoding of pages
      {"ok", "text/html; charset=utf-8//translit", "ok"},
      {"a\xFF\x62", "text/html; charset=utf-8",
       "a\xEF\xBF\xBD"
       "b"},
      {"\xC3\xA4", "text/html; charset=no-such-thing", "ä"},
      {"\xE4", "text/html; charset=no-such-thing", "ä"},
      {"\xED\xA0\x80", "text/html; charset=utf-8",
       "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},  // half of a surrogate pair
  };
  for (const CharsetCase& one : cases)
    EXPECT_EQ(to_utf8(one.body, one.content_type), one.text) << one.content_type << one.body;
}

}  // namespace
}  // namespace crawler
