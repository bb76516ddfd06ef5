// The kind of a page.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "page/structured_data.h"

namespace crawler {

enum class PageKind : std::uint8_t { Product, Category, Listing, Other };
std::string_view name_of(PageKind kind);  // "product"

// Judges by the structured data: a page about one product is a product; one with several, or with a list of items, is a listing; one that
// is called a collection and lists no product is a category.
PageKind classify(const StructuredData& data);

// Returns the things that describe the one product of a page: several if several standards describe it. Empty if the page has no product,
// or more than one.
std::vector<const Thing*> main_products(const StructuredData& data);

}  // namespace crawler
