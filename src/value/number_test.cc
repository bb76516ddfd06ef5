#include <cmath>
#include <limits>
#include <ostream>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tavola/number.h>

#include "value/test_generators.h"

namespace tavola {
namespace {

const std::string kNines38(38, '9');

// --- text
// -----------------------------------------------------------------------------------------------------

struct TextCase {
  std::string given;
  std::string canonical;
};

// Texts that AWS accepts, and its answers: Alternator's test_number, dynamodb-conformance numberPrecision.test.ts and
// numberByteSize.test.ts, ExtendDB pull request 7, boto3 issues 2500 and 4636.
const TextCase kAccepted[] = {
    {"0", "0"},
    {"-0", "0"},
    {"0.000", "0"},
    {"0e1000", "0"},
    {"0E-99999999999999999999", "0"},
    {"3", "3"},
    {"+3", "3"},
    {"-3", "-3"},
    {".123", "0.123"},
    {"5.", "5"},
    {"0001.23", "1.23"},
    {"00042", "42"},
    {"1.0", "1"},
    {"3.1400", "3.14"},
    {"0042.1200", "42.12"},
    {"1e+5", "100000"},
    {"1.5E2", "150"},
    {"-17e5", "-1700000"},
    {"0.5E1", "5"},
    {"120", "120"},
    {"-7.1234", "-7.1234"},
    {"1E-3", "0.001"},
    {"12.5e-3", "0.0125"},
    {"-17.4E37", "-174" + std::string(36, '0')},
    {"1.00000000000000007629769841092E+50", "100000000000000007629769841092000000000000000000000"},
    {"1E125", "1" + std::string(125, '0')},
    {"1E-130", "0." + std::string(129, '0') + "1"},
    {kNines38, kNines38},
    {"-" + kNines38, "-" + kNines38},
    {"9." + kNines38.substr(1) + "E+125", kNines38 + std::string(88, '0')},
    {kNines38 + std::string(88, '0') + ".000", kNines38 + std::string(88, '0')},
    {"0." + std::string(100, '0') + kNines38 + "000", "0." + std::string(100, '0') + kNines38},
    {std::string(500, '0') + "7" + "." + std::string(500, '0'), "7"},
    {"1" + std::string(200, '0') + "E-200", "1"},
    {"314159265358979323846.26433832795028841", "314159265358979323846.26433832795028841"},
    {"18446744073709551616", "18446744073709551616"},
    {"1234567890123456789.5", "1234567890123456789.5"},
};

TEST(NumberText, IsCanonical) {
  for (const auto& [given, canonical] : kAccepted) {
    SCOPED_TRACE(given);
    const Result<Number> number = Number::parse(given);
    ASSERT_TRUE(number.has_value()) << number.error().message();
    EXPECT_EQ(number->to_string(), canonical);
    EXPECT_EQ(*Number::parse(canonical), *number);
  }
}

struct RefusedCase {
  std::string given;
  std::string message;
};

const std::string kNotANumber = "The parameter cannot be converted to a numeric value";
const std::string kTooPrecise = "Attempting to store more than 38 significant digits in a Number";
const std::string kTooLarge =
    "Number overflow. Attempting to store a number with magnitude larger than supported range";
const std::string kTooSmall =
    "Number underflow. Attempting to store a number with magnitude smaller than supported range";

const RefusedCase kRefused[] = {
    // Malformed.
    {"", kNotANumber},
    {"NaN", kNotANumber + ": NaN"},
    {"Infinity", kNotANumber + ": Infinity"},
    {"-Infinity", kNotANumber + ": -Infinity"},
    {"dog", kNotANumber + ": dog"},
    {"-dog", kNotANumber + ": -dog"},
    {" 1", kNotANumber + ":  1"},
    {"1 ", kNotANumber + ": 1 "},
    {"-", kNotANumber + ": -"},
    {"+", kNotANumber + ": +"},
    {".", kNotANumber + ": ."},
    {"-.", kNotANumber + ": -."},
    {"1.2.3", kNotANumber + ": 1.2.3"},
    {"--1", kNotANumber + ": --1"},
    {"1e", kNotANumber + ": 1e"},
    {"1e+", kNotANumber + ": 1e+"},
    {"e5", kNotANumber + ": e5"},
    {"1e5.5", kNotANumber + ": 1e5.5"},
    {"0x10", kNotANumber + ": 0x10"},
    {"1,000", kNotANumber + ": 1,000"},
    {"١", kNotANumber + ": ١"},
    // Out of range.
    {kNines38 + "9", kTooPrecise},
    {"1" + std::string(37, '0') + "1", kTooPrecise},
    {"3.14159265358979323846264338327950288419", kTooPrecise},
    {"314159265358979323846264338327950288419e30", kTooPrecise},
    {"1e126", kTooLarge},
    {"11e125", kTooLarge},
    {"-1e126", kTooLarge},
    {"1.0e100000000", kTooLarge},
    {"1e99999999999999999999999", kTooLarge},
    {"1" + std::string(126, '0'), kTooLarge},
    {"1e-131", kTooSmall},
    {"0.9e-130", kTooSmall},
    {"-1e-131", kTooSmall},
    {"1e-99999999999999999999999", kTooSmall},
};

TEST(NumberText, IsRefusedInDynamoDbsWords) {
  for (const auto& [given, message] : kRefused) {
    SCOPED_TRACE(given);
    const Result<Number> number = Number::parse(given);
    ASSERT_FALSE(number.has_value()) << number->to_string();
    EXPECT_EQ(number.error().code(), ErrorCode::Validation);
    EXPECT_EQ(number.error().message(), message);
  }
}

RC_GTEST_PROP(NumberProperty, TextComesBack, ()) {
  const Number number = *arbitrary_number();
  const std::string text = number.to_string();
  RC_ASSERT(*Number::parse(text) == number);
  RC_ASSERT(text.find_first_of("eE+") == std::string::npos);
  RC_ASSERT(text.find('.') == std::string::npos || text.back() != '0');
}

// Redundant zeros and a shifted exponent do not change the value.
RC_GTEST_PROP(NumberProperty, OneValueHasOneForm, ()) {
  const Number number = *arbitrary_number();
  Dice dice = *arbitrary_dice();
  const int shift = dice.between(-40, 40);
  const std::string zeros(dice.below(60), '0');
  std::string text = number.to_string();
  const std::string sign = number.is_negative() ? "-" : "";
  text = sign + zeros + text.substr(sign.size());
  if (text.find('.') == std::string::npos) text += ".";
  text += zeros;
  RC_ASSERT(*Number::parse(text) == number);
  RC_ASSERT(*Number::parse(text + "E0") == number);
  if (const Result<Number> moved = Number::parse(text + "E" + std::to_string(shift))) {
    RC_ASSERT(*Number::parse(moved->to_string() + "e" + std::to_string(-shift)) == number);
  }
}

// --- conversions
// ----------------------------------------------------------------------------------------------

TEST(Number, TakesEveryInteger) {
  EXPECT_EQ(Number(std::numeric_limits<std::int64_t>::min()).to_string(), "-9223372036854775808");
  EXPECT_EQ(Number(std::numeric_limits<std::uint64_t>::max()).to_string(), "18446744073709551615");
  EXPECT_EQ(Number(std::numeric_limits<std::int8_t>::min()).to_string(), "-128");
  EXPECT_EQ(Number(0), Number());
  EXPECT_EQ(Number(1000).exponent(), 3);
}

TEST(Number, LiteralsAreParsedFromTheirCharacters) {
  EXPECT_EQ((29.99_n).to_string(), "29.99");
  EXPECT_EQ((1'000'000_n).to_string(), "1000000");
  EXPECT_EQ((1E-130_n).to_string(), "0." + std::string(129, '0') + "1");
  EXPECT_EQ(5_n, Number(5));
}

TEST(NumberDeathTest, PartsOutOfRangeStop) {
  EXPECT_DEATH(Number::from_parts(false, ~Number::Digits{0}, 0), "broken invariant");
  EXPECT_DEATH(Number::from_parts(false, 1, 126), "broken invariant");
  EXPECT_DEATH(Number::from_parts(false, 11, -132), "broken invariant");
  EXPECT_EQ(Number::from_parts(true, 1, 125), *Number::parse("-1E125"));
  EXPECT_EQ(Number::from_parts(false, 11, -131), *Number::parse("1.1E-130"));
  Number::Digits ten_to_38 = 1;
  for (int i = 0; i < 38; ++i) ten_to_38 *= 10;
  EXPECT_EQ(Number::from_parts(false, ten_to_38, 0), *Number::parse("1E38"));
}

TEST(NumberDeathTest, LiteralThatIsNoNumberStops) { EXPECT_DEATH(0x10_n, "broken invariant"); }

TEST(Number, ToInt64OnlyWhenItFits) {
  EXPECT_EQ(Number::parse("-9223372036854775808")->to_int64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Number::parse("9223372036854775807")->to_int64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Number::parse("9223372036854775808")->to_int64(), std::nullopt);
  EXPECT_EQ(Number::parse("-9223372036854775809")->to_int64(), std::nullopt);
  EXPECT_EQ(Number::parse("1E18")->to_int64(), 1'000'000'000'000'000'000);
  EXPECT_EQ(Number::parse("1E19")->to_int64(), std::nullopt);
  EXPECT_EQ(Number::parse(kNines38 + "E18")->to_int64(), std::nullopt);
  EXPECT_EQ(Number::parse("1.5")->to_int64(), std::nullopt);
  EXPECT_EQ(Number().to_int64(), 0);
}

RC_GTEST_PROP(NumberProperty, Int64ComesBack, (std::int64_t value)) {
  RC_ASSERT(Number(value).to_int64() == value);
}

TEST(Number, ToDoubleIsTheNearest) {
  EXPECT_EQ((0.1_n).to_double(), 0.1);
  EXPECT_EQ((-29.99_n).to_double(), -29.99);
  EXPECT_EQ(Number::parse("1E125")->to_double(), 1E125);
  EXPECT_EQ(Number::parse("1E-130")->to_double(), 1E-130);
  EXPECT_EQ(Number().to_double(), 0.0);
}

// --- order
// ----------------------------------------------------------------------------------------------------

TEST(Number, OrderedByValue) {
  const std::vector<std::string> ascending = {"-9." + kNines38.substr(1) + "E125",
                                              "-1E125",
                                              "-100",
                                              "-99.9",
                                              "-10",
                                              "-9",
                                              "-1.5",
                                              "-1",
                                              "-0.9",
                                              "-1E-130",
                                              "0",
                                              "1E-130",
                                              "1.5E-130",
                                              "0.001",
                                              "0.09",
                                              "0.1",
                                              "0.9",
                                              "1",
                                              "1.000001",
                                              "2",
                                              "9",
                                              "10",
                                              "11",
                                              "99",
                                              "100",
                                              "101",
                                              "1E38",
                                              kNines38 + "E1",
                                              "1E125",
                                              "9." + kNines38.substr(1) + "E125"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(*Number::parse(ascending[i]) <=> *Number::parse(ascending[j]), i <=> j)
          << ascending[i] << " and " << ascending[j];
    }
  }
}

// --- arithmetic, against a reference that knows only addition of digits
// ---------------------------------------

// A signed decimal with as many digits as it takes: value = ±digits × 10^exponent, lowest digit first.
struct BigDecimal {
  std::vector<int> digits;
  int exponent = 0;
  bool negative = false;

  static BigDecimal of(const Number& number) {
    BigDecimal big{.digits = {}, .exponent = number.exponent(), .negative = number.is_negative()};
    for (Number::Digits rest = number.digits(); rest != 0; rest /= 10)
      big.digits.push_back(static_cast<int>(rest % 10));
    return big;
  }

  void lower_exponent_to(int target) {
    digits.insert(digits.begin(), static_cast<std::size_t>(exponent - target), 0);
    exponent = target;
  }

  // Carries and borrows until every digit is 0 … 9; the sum of digits × 10^i must not be negative.
  void settle() {
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const int carry = digits[i] >= 0 ? digits[i] / 10 : -((9 - digits[i]) / 10);
      digits[i] -= carry * 10;
      if (carry == 0) continue;
      if (i + 1 == digits.size()) digits.push_back(0);
      digits[i + 1] += carry;
    }
    while (!digits.empty() && digits.back() == 0) digits.pop_back();
    std::size_t zeros = 0;
    while (zeros < digits.size() && digits[zeros] == 0) ++zeros;
    digits.erase(digits.begin(), digits.begin() + static_cast<std::ptrdiff_t>(zeros));
    exponent += static_cast<int>(zeros);
  }

  // Returns the value as a Number; nullopt if Number cannot hold it.
  std::optional<Number> number() const {
    std::string text = negative ? "-" : "";
    for (std::size_t i = digits.size(); i-- > 0;) text.push_back(static_cast<char>('0' + digits[i]));
    if (digits.empty()) text = "0";
    const Result<Number> parsed = Number::parse(text + "E" + std::to_string(exponent));
    return parsed ? std::optional(*parsed) : std::nullopt;
  }
};

std::optional<Number> reference_sum(const Number& x, const Number& y) {
  BigDecimal a = BigDecimal::of(x);
  BigDecimal b = BigDecimal::of(y);
  const int exponent = std::min(a.exponent, b.exponent);
  a.lower_exponent_to(exponent);
  b.lower_exponent_to(exponent);
  const std::size_t size = std::max(a.digits.size(), b.digits.size());
  a.digits.resize(size, 0);
  b.digits.resize(size, 0);
  if (std::ranges::lexicographical_compare(a.digits.rbegin(), a.digits.rend(), b.digits.rbegin(),
                                           b.digits.rend())) {
    std::swap(a, b);
  }
  for (std::size_t i = 0; i < size; ++i) a.digits[i] += a.negative == b.negative ? b.digits[i] : -b.digits[i];
  a.settle();
  return a.number();
}

std::optional<Number> reference_product(const Number& x, const Number& y) {
  const BigDecimal a = BigDecimal::of(x);
  const BigDecimal b = BigDecimal::of(y);
  BigDecimal product{.digits = std::vector<int>(a.digits.size() + b.digits.size(), 0),
                     .exponent = a.exponent + b.exponent,
                     .negative = a.negative != b.negative};
  for (std::size_t i = 0; i < a.digits.size(); ++i) {
    for (std::size_t j = 0; j < b.digits.size(); ++j) product.digits[i + j] += a.digits[i] * b.digits[j];
  }
  product.settle();
  return product.number();
}

std::optional<Number> value_of(const Result<Number>& result) {
  return result ? std::optional(*result) : std::nullopt;
}

RC_GTEST_PROP(NumberArithmetic, SumIsExactOrRefused, ()) {
  const Number a = *arbitrary_number();
  const Number b = *arbitrary_number();
  RC_ASSERT(value_of(a + b) == reference_sum(a, b));
  RC_ASSERT(value_of(b + a) == value_of(a + b));
  RC_ASSERT(value_of(a - b) == reference_sum(a, -b));
}

// Numbers of almost the same magnitude: digits cancel, carries run long.
RC_GTEST_PROP(NumberArithmetic, DifferenceOfNeighboursIsExact, ()) {
  const Number a = *arbitrary_number();
  const Number step = *arbitrary_number();
  const Result<Number> b = a + step;
  RC_PRE(b.has_value());
  RC_ASSERT(value_of(*b - a) == step);
  RC_ASSERT((a <=> *b) == (Number() <=> step));
}

RC_GTEST_PROP(NumberArithmetic, ProductIsExactOrRefused, ()) {
  const Number a = *arbitrary_number();
  const Number b = *arbitrary_number();
  RC_ASSERT(value_of(a * b) == reference_product(a, b));
}

RC_GTEST_PROP(NumberArithmetic, QuotientUndoesAProduct, ()) {
  const Number a = *arbitrary_number();
  const Number b = *arbitrary_number();
  RC_PRE(!b.is_zero());
  const Result<Number> product = a * b;
  RC_PRE(product.has_value());
  RC_ASSERT(*(*product / b) == a);
}

struct ArithmeticCase {
  std::string a;
  char op;
  std::string b;
  std::string expected;  // a number, or a message
};

const ArithmeticCase kEdges[] = {
    {"1", '+', "10000000000000000000000", "10000000000000000000001"},
    {"10000000000000000000000", '-', "1", "9999999999999999999999"},
    {"29.99", '+', "2", "31.99"},
    {"0.1", '+', "0.2", "0.3"},
    {"5", '-', "5", "0"},
    {"-5", '+', "5", "0"},
    // Intermediate results of 39 digits; the final result has 38 or one.
    {"1E38", '-', "1", kNines38},
    {"1", '-', "1E38", "-" + kNines38},
    {kNines38, '+', "1", "1" + std::string(38, '0')},
    {kNines38, '+', kNines38, kTooLarge},  // 39 digits
    {"3E38", '+', "1", kTooLarge},
    {"4E38", '-', "1", kTooLarge},
    // 38 digits do not suffice: AWS calls that an overflow too.
    {"1e50", '-', "1", kTooLarge},
    {"1e50", '+', "1", kTooLarge},
    {"1", '-', "1e50", kTooLarge},
    {"1E125", '+', "1E-130", kTooLarge},
    // Out of range.
    {"9e125", '+', "9e125", kTooLarge},
    {"9e125", '-', "-9e125", kTooLarge},
    {"9." + kNines38.substr(1) + "E+125", '+', "1E+125", kTooLarge},
    {"1.1E-130", '-', "1E-130", kTooSmall},
    {"1E-130", '-', "1E-130", "0"},
    // Products.
    {"19.99", '*', "3", "59.97"},
    {"-0.5", '*', "0.5", "-0.25"},
    {"0", '*', "1E125", "0"},
    {"1E100", '*', "1E25", "1" + std::string(125, '0')},
    {"1E100", '*', "1E26", kTooLarge},
    {"1E-100", '*', "1E-31", kTooSmall},
    // 2^126 × 5^54 = 2^72 × 10^54: 76 digits before reduction, 22 significant ones.
    {"85070591730234615865843651857942052864", '*', "55511151231257827021181583404541015625",
     "4722366482869645213696" + std::string(54, '0')},
    {kNines38, '*', "11", kTooLarge},
    // Quotients, rounded to 38 digits, halves to even (Python's decimal agrees).
    {"1", '/', "8", "0.125"},
    {"1", '/', "3", "0.33333333333333333333333333333333333333"},
    {"2", '/', "3", "0.66666666666666666666666666666666666667"},
    {"-10", '/', "4", "-2.5"},
    {"7", '/', "7", "1"},
    {"0", '/', "5", "0"},
    {"99999999999999999999999999999999999999", '/', "7", "14285714285714285714285714285714285714"},
    {"1", '/', "99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001"},
    {"99999999999999999999999999999999999999", '/', "99999999999999999999999999999999999998", "1"},
    {"1e38", '/', "3", "33333333333333333333333333333333333333"},
    {"25329762816421620883749985024949359273", '/', "93475880872561520204665033121172234801",
     "0.27097645488844815867595816305395617277"},
    {"98531139316384406168982271816250798680", '/', "44529279576424014343821568125923737098",
     "2.2127270024047643977315926707489006857"},
    {"14362365133309645891281096897579905611", '/', "44279949317541963204097233672132106925",
     "0.32435369404589280605194896430801948329"},
    {"38042373491549857654402894477021292101", '/', "66003185002246705843204581952935500788",
     "0.57637178403216329332227806644163896684"},
    {"20000000000000000000000000000000000001", '/', "2", "10000000000000000000000000000000000000"},
    {"20000000000000000000000000000000000003", '/', "2", "10000000000000000000000000000000000002"},
    {"1E-130", '/', "3", kTooSmall},
    {"1E125", '/', "1E-1", kTooLarge},
    {"5", '/', "0", "A number cannot be divided by zero"},
    {"0", '/', "0", "A number cannot be divided by zero"},
};

TEST(NumberArithmetic, Edges) {
  for (const auto& [a_text, op, b_text, expected] : kEdges) {
    SCOPED_TRACE(testing::Message() << a_text << " " << op << " " << b_text);
    const Number a = *Number::parse(a_text);
    const Number b = *Number::parse(b_text);
    const Result<Number> result = op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : a / b;
    EXPECT_EQ(result ? result->to_string() : result.error().message(), expected);
    if (!result) {
      EXPECT_EQ(result.error().code(), ErrorCode::Validation);
    }
  }
}

TEST(NumberArithmetic, RoundsHalvesAwayFromZero) {
  struct Case {
    const char* number;
    int places;
    const char* rounded;
  };
  for (const auto& [number, places, rounded] : std::vector<Case>{
           {"2.345", 2, "2.35"},
           {"2.3449", 2, "2.34"},
           {"-2.345", 2, "-2.35"},
           {"9.995", 2, "10"},
           {"0.5", 0, "1"},
           {"0.4999", 0, "0"},
           {"-0.4", 0, "0"},
           {"7", 2, "7"},
           {"1E-130", 2, "0"},
           {"5E-130", 129, "1E-129"},
           {"99999999999999999999999999999999999999", 0, "99999999999999999999999999999999999999"},
           {"0.99999999999999999999999999999999999999", 0, "1"},
       }) {
    EXPECT_EQ(Number::parse(number)->rounded(places), *Number::parse(rounded)) << number;
  }
}

TEST(NumberArithmetic, FloorIsTheIntegerBelow) {
  for (const auto& [number, floor] : std::vector<std::pair<const char*, const char*>>{{"2.9", "2"},
                                                                                      {"-2.1", "-3"},
                                                                                      {"3", "3"},
                                                                                      {"0.1", "0"},
                                                                                      {"-0.1", "-1"},
                                                                                      {"1E-130", "0"},
                                                                                      {"-1E-130", "-1"}}) {
    EXPECT_EQ(Number::parse(number)->floor(), *Number::parse(floor)) << number;
  }
}

}  // namespace
}  // namespace tavola
