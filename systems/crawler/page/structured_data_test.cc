#include "page/structured_data.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "page/classify.h"
#include "page/offer.h"

namespace crawler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

StructuredData data_of(const std::string& html) { return read_structured_data(Document(html)); }

// "Product(name=Lamp offers=Offer(price=5))"
std::string shown(const Thing& thing) {
  std::string out;
  for (const std::string& type : thing.types) out += (out.empty() ? "" : "+") + type;
  out += '(';
  for (const ThingProperty& property : thing.properties) {
    if (!out.ends_with('(')) out += ' ';
    out += property.name + "=" + (property.thing.empty() ? property.text : shown(property.thing.front()));
  }
  return out + ")";
}

std::vector<std::string> shown(const std::vector<Thing>& things) {
  std::vector<std::string> all;
  for (const Thing& thing : things) all.push_back(shown(thing));
  return all;
}

std::string script(const std::string& json) {
  return "<script type='application/ld+json'>" + json + "</script>";
}

TEST(JsonLd, IsReadInAllItsForms) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {R"({"@context":"https://schema.org","@type":"Product","name":"Lamp","offers":{"@type":"Offer","price":5.10}})",
       {"Product(name=Lamp offers=Offer(price=5.10))"}},
      {R"([{"@type":"A"},{"@type":["B","https://schema.org/C"]}])", {"A()", "B+C()"}},
      {R"({"@context":{"@vocab":"http://schema.org/"},"@graph":[{"@type":"Product","offers":{"@id":"#o"}},{"@id":"#o","@type":"Offer","price":"1"}]})",
       {"Product(offers=Offer(price=1))", "Offer(price=1)"}},
      {R"({"@type":"Product","name":{"@value":"Lampe","@language":"de"},"image":{"@list":["a","b"]},"sku":null})",
       {"Product(name=Lampe image=a image=b)"}},
      {R"({"@context":"https://other.org/","@type":"Product","name":"x"})",
       {"https://other.org/ Product(https://other.org/ name=x)"}},
      {R"({"@type":"schema:Product","schema:name":"Lamp"})", {"Product(name=Lamp)"}},
      {R"({"@context":{"s":"https://schema.org/","cost":"s:price","count":{"@id":"s:sku"},"note":null},"@type":"s:Product","s:name":"Lamp",
          "cost":5,"count":"7","note":"x"})",
       {"Product(name=Lamp price=5 sku=7)"}},
      {R"({"@context":["https://schema.org",{"gr":"http://purl.org/goodrelations/v1#"}],"@type":["Product","gr:SomeItems"],"name":"Lamp","gr:x":1})",
       {"Product+http://purl.org/goodrelations/v1#SomeItems(name=Lamp "
        "http://purl.org/goodrelations/v1#x=1)"}},
      {R"({"@context":{"kind":"@type","@vocab":"https://schema.org/"},"kind":"Product","offers":{"kind":"Offer","price":1}})",
       {"Product(offers=Offer(price=1))"}},
      {R"({"@type":"Product",})", {}},  // not JSON
      {"", {}},
      {"\n 12", {}},
  };
  for (const auto& [json, things] : cases) EXPECT_EQ(shown(read_json_ld(json)), things) << json;
}

TEST(Microdata, IsReadByTheStandard) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"<div itemscope itemtype='https://schema.org/Product'><h1 itemprop=name> A  <b>lamp</b></h1><div "
       "itemprop=offers itemscope "
       "itemtype='http://schema.org/Offer'><meta itemprop=price content=5><link itemprop=availability "
       "href='https://schema.org/InStock'></div></div>",
       {"Product(name=A lamp offers=Offer(price=5 availability=https://schema.org/InStock))"}},
      {"<div itemscope itemtype='https://schema.org/Product' itemref='more'></div><p id=more><span "
       "itemprop='name alternateName'>Lamp</span></p>",
       {"Product(name=Lamp alternateName=Lamp)"}},
      {"<p itemprop=name>nobody's</p>", {}},
      {"<div itemscope><time itemprop=t datetime=2026>now</time><data itemprop=d value=1>one</data><a "
       "itemprop=u href=/x>x</a></div>",
       {"(t=2026 d=1 u=/x)"}},
      {"<div itemscope itemtype=https://schema.org/A itemref=a id=a><b itemprop=n>1</b></div>",
       {"A(n=1)"}},  // refers to itself
  };
  for (const auto& [html, things] : cases) EXPECT_EQ(shown(read_microdata(Document(html))), things) << html;
}

TEST(Rdfa, KnowsVocabulariesAndPrefixes) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"<div vocab='https://schema.org/' typeof=Product><span property=name>Lamp</span><div property=offers "
       "typeof=Offer><span property=price "
       "content='5'>5 €</span><link property=availability href='https://schema.org/SoldOut'></div></div>",
       {"Product(name=Lamp offers=Offer(price=5 availability=https://schema.org/SoldOut))"}},
      {"<div prefix='s: https://schema.org/ x: https://x.org/' typeof='s:Product'><i "
       "property='s:name'>Lamp</i><i property='x:a'>1</i></div>",
       {"Product(name=Lamp https://x.org/a=1)"}},
      {"<div typeof=Product><i property=name>without a vocabulary</i></div>", {}},
      {"<meta property='og:title' content='Lamp'>", {}},
      // Another subject within: `about`, and what says `about` it elsewhere.
      {"<div vocab='https://schema.org/' about='#lamp' typeof=Product><i property=name>Lamp</i><p "
       "about='#desk' typeof=Product><i "
       "property=name>Desk</i></p></div><b vocab='https://schema.org/' about='#lamp' property=sku>7</b>",
       {"Product(name=Lamp sku=7)", "Product(name=Desk)"}},
      // Relations: to a thing with an address, to the things within, and backwards.
      {"<div vocab='https://schema.org/' typeof=Product><link rel=offers resource='#o'></div><div "
       "vocab='https://schema.org/' "
       "resource='#o' typeof=Offer><i property=price>5</i></div>",
       {"Product(offers=Offer(price=5))"}},
      {"<div vocab='https://schema.org/' typeof=Product><div rel=offers><p><i typeof=Offer><b "
       "property=price>5</b></i><i "
       "typeof=Offer><b property=price>6</b></i></p></div></div>",
       {"Product(offers=Offer(price=5) offers=Offer(price=6))"}},
      {"<div vocab='https://schema.org/' typeof=Offer><i property=price>5</i><p rev=offers typeof=Product><i "
       "property=name>Lamp</i></p></div>",
       {"Product(offers=Offer(price=5) name=Lamp)"}},
      {"<div vocab='https://schema.org/' typeof=Product><a rel=nofollow property=url href=/1>x</a><i "
       "property=name>Lamp</i></div>",
       {"Product(url=/1 name=Lamp)"}},
      {"<div vocab='https://schema.org/' typeof=Product><a href=/1><img src=2.png><i "
       "property=name>Lamp</i></a></div>",
       {"Product(name=Lamp)"}},
      // RDFa 1.0 as shops wrote it.
      {"<div xmlns:v='http://schema.org/' typeof='v:Product'><span rel='v:offers'><span "
       "typeof='v:Offer'><span property='v:price' "
       "content='5'>five</span></span></span></div>",
       {"Product(offers=Offer(price=5))"}},
      {"<p vocab='https://schema.org/' typeof=Product><time property=releaseDate "
       "datetime=2026-01-01>now</time><i property=name "
       "datatype='xsd:string' resource='#x'>Lamp</i></p>",
       {"Product(releaseDate=2026-01-01)", "(name=Lamp)"}},
  };
  for (const auto& [html, things] : cases) {
    std::vector<Thing> found = read_rdfa(Document(html));
    std::erase_if(found, [](const Thing& thing) { return thing.types.empty() && thing.properties.empty(); });
    EXPECT_EQ(shown(found), things) << html;
  }
}

// covers AH17
TEST(StructuredData, TellsItsStandards) {
  EXPECT_THAT(data_of("<p>").standards, IsEmpty());
  EXPECT_THAT(data_of(script(R"({"@type":"Product"})")).standards, ElementsAre("json-ld"));
  EXPECT_THAT(data_of(script("{broken")).standards, IsEmpty());
  EXPECT_THAT(data_of("<div itemscope itemtype='https://schema.org/Product'></div>").standards,
              ElementsAre("microdata"));
  EXPECT_THAT(data_of("<div vocab='https://schema.org/' typeof=Product></div>").standards,
              ElementsAre("rdfa"));
  EXPECT_THAT(data_of("<meta property=og:type content=product>").standards, ElementsAre("opengraph"));
  EXPECT_THAT(data_of(script(R"({"@type":"Product"})") +
                      "<meta property='og:title' content=x><div itemscope itemtype=A></div>")
                  .standards,
              ElementsAre("json-ld", "microdata", "opengraph"));
  // Structured data in a comment, in a script or in text is none.
  EXPECT_THAT(
      data_of("<!-- <div itemscope itemtype=A></div> --><script>'<div itemscope>'</script>&lt;div itemscope>")
          .standards,
      IsEmpty());
}

struct AvailabilityCase {
  const char* text;
  Availability availability;
};

// covers AH17
TEST(Offer, MapsAvailabilities) {
  using enum Availability;
  const std::vector<AvailabilityCase> cases = {{"InStock", Available},
                                               {"InStoreOnly", Available},
                                               {"OnlineOnly", Available},
                                               {"LimitedAvailability", Available},
                                               {"MadeToOrder", Available},
                                               {"PreSale", Available},
                                               {"BackOrder", Listed},
                                               {"PreOrder", Listed},
                                               {"SoldOut", Sold},
                                               {"OutOfStock", Sold},
                                               {"Discontinued", Removed},
                                               {"Reserved", Reserved},
                                               {"Sideways", Unknown},
                                               {"", Unknown},
                                               {"https://schema.org/InStock", Available},
                                               {"http://schema.org/OutOfStock", Sold},
                                               {"//schema.org/PreOrder", Listed},
                                               {"schema:SoldOut", Sold},
                                               {"https://other.org/InStock", Unknown},
                                               {"in stock", Available},
                                               {"out_of_stock", Sold},
                                               {"oos", Sold},
                                               {"INSTOCK", Available}};
  for (const AvailabilityCase& one : cases)
    EXPECT_EQ(availability_of(one.text), one.availability) << one.text;
}

std::string offer_in(const std::string& html) {
  const auto offer = read_offer(data_of(html));
  if (!offer) return "none";
  std::string out(name_of(offer->availability));
  if (offer->price) out += " " + offer->price->amount.to_string() + " " + offer->price->currency;
  if (offer->price && offer->price->highest) out += " to " + offer->price->highest->to_string();
  return out;
}

// covers AH17
TEST(Offer, IsFoundInAllStandards) {
  const std::vector<std::pair<std::string, const char*>> cases = {
      {script(
           R"({"@type":"Product","name":"L","offers":{"price":"99.99","priceCurrency":"EUR","availability":"https://schema.org/InStock"}})"),
       "available 99.99 EUR"},
      {script(
           R"({"@type":"Product","offers":{"@type":"AggregateOffer","lowPrice":"5.50","highPrice":"9","priceCurrency":"USD","availability":"InStock"}})"),
       "available 5.5 USD to 9"},
      {script(
           R"({"@type":"Product","offers":{"@type":"AggregateOffer","lowPrice":5,"offers":[{"price":7,"availability":"SoldOut"},{"price":8,"availability":"InStock"}]}})"),
       "available 8 "},
      {script(
           R"({"@type":"Product","offers":[{"price":7,"availability":"InStock"},{"price":6,"availability":"InStock"},{"price":1,"availability":"SoldOut"}]})"),
       "available 6 "},
      {script(
           R"({"@type":"ProductGroup","hasVariant":[{"@type":"Product","offers":{"price":3,"availability":"InStock"}}]})"),
       "available 3 "},
      {script(
           R"({"@type":"Product","offers":{"priceSpecification":{"price":"12,50","priceCurrency":"EUR"}}})"),
       "unknown 12.5 EUR"},
      {script(R"({"@type":"Product","name":"L"})"), "unknown"},
      {script(
           R"({"@type":"Offer","price":5,"priceCurrency":"EUR","availability":"SoldOut","itemOffered":{"@type":"Product","name":"L"}})"),
       "sold 5 EUR"},
      {script(
           R"([{"@type":"Offer","price":5,"itemOffered":{"@id":"#l"}},{"@type":"Product","@id":"#l","name":"L"}])"),
       "unknown 5 "},
      {script(R"({"@type":"Product","name":"L"})") +
           "<meta property='product:price:amount' content='4.20'><meta property='product:price:currency' "
           "content=GBP>",
       "unknown 4.2 GBP"},
      {"<meta property='og:type' content='product'><meta property='product:price:amount' "
       "content='1,299.00'><meta property='product:availability' content='oos'>",
       "sold 1299 "},
      {"<div itemscope itemtype='https://schema.org/Product'><div itemprop=offers itemscope><span "
       "itemprop=price>1.299,00 €</span></div></div>",
       "unknown 1299 EUR"},
      {"<p>12 €</p>", "none"},
  };
  for (const auto& [html, offer] : cases) EXPECT_EQ(offer_in(html), offer) << html;
}

// covers AH17
TEST(Classify, TellsPagesApart) {
  const std::string lamp = R"({"@type":"Product","name":"Lamp","offers":{"price":1}})";
  const std::string desk = R"({"@type":"Product","name":"Desk","offers":{"price":2}})";
  const std::vector<std::pair<std::string, PageKind>> cases = {
      {"<p>About us", PageKind::Other},
      {script(lamp), PageKind::Product},
      {script(lamp) + script(lamp), PageKind::Product},  // described twice
      {script("[" + lamp + R"(,{"@type":"Product","name":"A recommendation"}])"), PageKind::Product},
      {script("[" + lamp + "," + desk + "]"), PageKind::Listing},
      {script(R"({"@type":"ItemList","itemListElement":[{"@type":"ListItem","url":"/1"}]})"),
       PageKind::Listing},
      {script(R"({"@type":"ItemList","itemListElement":[{"@type":"ListItem","item":)" + lamp + "}]}"),
       PageKind::Listing},
      {script(R"({"@type":"WebPage","mainEntity":)" + lamp + "}"), PageKind::Product},
      {script(lamp) + script(R"({"@type":"BreadcrumbList","itemListElement":[]})"), PageKind::Product},
      {script(R"({"@type":"CollectionPage","name":"Lamps"})"), PageKind::Category},
      {script(R"({"@type":"SearchResultsPage"})"), PageKind::Listing},
      {"<meta property='og:type' content='product.group'>", PageKind::Category},
      {"<meta property='og:type' content='product'>", PageKind::Product},
      {"<meta property='og:type' content='website'>", PageKind::Other},
      {script(R"({"@type":"Organization"})"), PageKind::Other},
  };
  for (const auto& [html, kind] : cases) EXPECT_EQ(name_of(classify(data_of(html))), name_of(kind)) << html;
}

// A page that would take a recursive reader's stack, or hours.
TEST(Document, SurvivesPagesThatNestWithoutEnd) {
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "<div itemscope itemprop=a>";
  EXPECT_THAT(data_of(deep).standards, ElementsAre("microdata"));
  std::string json;
  for (int i = 0; i < 100'000; ++i) json += R"({"a":)";
  EXPECT_THAT(data_of(script(json)).standards, IsEmpty());
}

// Each of eight levels is in the one around it five times: copied out, half a million things.
TEST(Microdata, ThingsThatAreInEachOtherManyTimesAreBounded) {
  std::string page = "<div itemscope>";
  for (int level = 0; level < 8; ++level) page += "<div itemscope itemprop='a b c d e'>";
  std::size_t things = 0;
  for_each_thing(data_of(page).things, [&things](const Thing&, int) { ++things; });
  EXPECT_GT(things, 1000U);
  EXPECT_LT(things, 200'000U);
}

// Every name of another vocabulary gets the beginning of its context only.
TEST(JsonLd, ALongContextIsNotRepeatedInEveryName) {
  const std::string context(100'000, 'x');
  const auto things = data_of(script(R"({"@context":")" + context + R"(","@type":"A","b":1})")).things;
  ASSERT_EQ(things.size(), 1U);
  EXPECT_LT(things.front().properties.front().name.size(), 1000U);
}

}  // namespace
}  // namespace crawler
