#include "page/price.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawler {
namespace {

std::string shown(const std::optional<Price>& price) {
  if (!price) return "none";
  return price->amount.to_string() + (price->highest ? "-" + price->highest->to_string() : "") +
         (price->currency.empty() ? "" : " " + price->currency);
}

struct PriceCase {
  const char* text;
  const char* price;
};

// covers AH17, C6
TEST(Price, OfPeopleIsExact) {
  const std::vector<PriceCase> cases = {
      {"1.299,00 €", "1299 EUR"},
      {"EUR 12", "12 EUR"},
      {"€12.50", "12.5 EUR"},
      {"$1,299.99", "1299.99 USD"},
      {"US$ 5", "5 USD"},
      {"CA$5", "5 CAD"},
      {"R$ 1.234,56", "1234.56 BRL"},
      {"1 299,00 kr", "1299"},
      {"1\xC2\xA0"
       "299,00\xC2\xA0€",
       "1299 EUR"},
      {"1\xE2\x80\xAF"
       "299\xE2\x80\xAF€",
       "1299 EUR"},
      {"CHF 1'299.50", "1299.5 CHF"},
      {"CHF 1\xE2\x80\x99"
       "299.–",
       "1299 CHF"},
      {"12,- €", "12 EUR"},
      {"ab 12,99 €", "12.99 EUR"},
      {"10 – 20 €", "10-20 EUR"},
      {"€10.00 - €20.00", "10-20 EUR"},
      {"20 to 10 USD", "10-20 USD"},
      {"1.299", "1299"},
      {"1,299", "1299"},
      {"0.999", "0.999"},
      {"12.5", "12.5"},
      {"1,5", "1.5"},
      {"1.299.000 Ft", "1299000 HUF"},
      {"1,23,456.78 INR", "123456.78 INR"},
      {"¥1,980", "1980 JPY"},
      {"99,90 zł", "99.9 PLN"},
      {"inkl. 19% MwSt. 12,00 €",
       "19 EUR"},  // the first number: such texts are not prices, and no page marks them as one
      {"12345678901234567890.12 EUR", "12345678901234567890.12 EUR"},
      {"0,10 €", "0.1 EUR"},
      {"free", "none"},
      {"", "none"},
      {"€", "none"},
  };
  for (const PriceCase& one : cases) EXPECT_EQ(shown(read_price(one.text)), one.price) << one.text;
}

TEST(Price, OfProgramsHasAPoint) {
  const std::vector<PriceCase> cases = {{"1299.00", "1299"},    {"1.299", "1.299"},      {"19.9", "19.9"},
                                        {"1.299,00", "1299"},   {"€ 12,50", "12.5 EUR"}, {" 7 ", "7"},
                                        {"on request", "none"}, {"1.2.3", "123"},        {"1.5e3", "1500"},
                                        {"-5.00", "none"}};
  for (const PriceCase& one : cases) EXPECT_EQ(shown(read_exact_price(one.text)), one.price) << one.text;
}

TEST(Price, HasACurrency) {
  const std::vector<PriceCase> cases = {{"EUR", "EUR"}, {"eur", "EUR"},   {"€", "EUR"},  {"US$", "USD"},
                                        {"$", "USD"},   {"kr", ""},       {"zł", "PLN"}, {"Kleid", ""},
                                        {"XYZ", ""},    {"5 lei", "RON"}, {"SALE", ""},  {"GBP12", "GBP"}};
  for (const PriceCase& one : cases) EXPECT_EQ(currency_of(one.text), one.price) << one.text;
}

}  // namespace
}  // namespace crawler
