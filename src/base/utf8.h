// UTF-8 as the Unicode standard defines it: shortest form only, no surrogates, nothing above U+10FFFF.
#pragma once

#include <string_view>

namespace tavola {

bool is_utf8(std::string_view text);

}  // namespace tavola
