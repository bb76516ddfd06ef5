// The pages of an application, which are part of its program (web/build.mjs writes them as C++).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "http/message.h"

namespace tavola::http {

struct AssetBytes {
  const char* begin = nullptr;
  std::size_t size = 0;
  std::string_view text() const { return {begin, size}; }
};

struct Asset {
  std::string_view
      path;  // "/assets/page-1f2e….js": the name has the hash of the content; "/index.html" alone has none
  std::string_view type;
  std::string_view hash;
  AssetBytes plain = {};
  AssetBytes gzip = {};
  AssetBytes brotli = {};
};

// Returns the files of the one application that is linked into this program.
std::span<const Asset> embedded_assets();

// Returns the best of the three forms that an Accept-Encoding header accepts: "br", "gzip" or "" for plain.
std::string_view accepted_form(std::string_view accept_encoding);

// Returns the answer to a GET or HEAD of a file; nullopt if there is no such file. A path that names none ("/products",
// "/t/my.table") is a view of the pages, and its answer is index.html.
std::optional<Response> asset_answer(const Request& request, std::span<const Asset> assets);

}  // namespace tavola::http
