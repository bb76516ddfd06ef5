#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tavola/packed.h>

#include "base/encoding.h"
#include "value/key_codec.h"
#include "value/limits.h"
#include "value/packed_attributes.h"
#include "value/test_generators.h"

namespace tavola {
namespace {

std::string hex_of(const Item& item) { return to_hex(pack(item)->bytes()); }

// A value inside `wraps` maps, as dynoxide issue 110 measured the limit.
Value wrapped(Value value, std::size_t wraps) {
  for (std::size_t i = 0; i < wraps; ++i) value = Map{{"m", std::move(value)}};
  return value;
}

// --- the format
// -----------------------------------------------------------------------------------------------

// Bytes that are on disk: a change here is a change of format.
TEST(PackedFormat, BytesArePinned) {
  EXPECT_EQ(hex_of({}), "0100");
  EXPECT_EQ(hex_of({{"Year", 1965}}),
            "0101"
            "0459656172"
            "0403c22782");
  EXPECT_EQ(hex_of({{"n", Null()}, {"t", true}, {"u", false}}),
            "0103"
            "016e"
            "0101"
            "0174"
            "020201"
            "0175"
            "020200");
  EXPECT_EQ(hex_of({{"b", Binary{"\x01\x02"}}, {"s", "é"}}),
            "0102"
            "0162"
            "03050102"
            "0173"
            "0304c3a9");
  EXPECT_EQ(hex_of({{"l", List{"a", List{}}}}),
            "0101"
            "016c"
            "08"
            "0602"
            "020461"
            "020600");
  EXPECT_EQ(hex_of({{"m", Map{{"a", Null()}, {"b", Map{}}}}}),
            "0101"
            "016d"
            "0b"
            "0702"
            "0161"
            "0101"
            "0162"
            "020700");
  EXPECT_EQ(hex_of({{"s", *StringSet::of({"b", "a"})}}),
            "0101"
            "0173"
            "06"
            "0802"
            "0161"
            "0162");
  EXPECT_EQ(hex_of({{"s", *NumberSet::of({2, -1})}}),
            "0101"
            "0173"
            "08"
            "0902"
            "023efd"
            "02c104");
  EXPECT_EQ(hex_of({{"s", *BinarySet::of({Binary{"z"}})}}),
            "0101"
            "0173"
            "04"
            "0a01"
            "017a");
}

TEST(PackedFormat, SizesAndCountsGrowPastOneByte) {
  for (const std::size_t count : {126U, 127U, 128U, 129U, 16'383U, 16'384U, 20'000U}) {
    const Item item{{"list", List(count, Value())}, {"text", std::string(count, 'x')}, {"zz", 1}};
    const Result<PackedItem> packed = pack(item);
    ASSERT_TRUE(packed.has_value());
    EXPECT_TRUE(check_packed(packed->bytes()).has_value()) << count;
    EXPECT_EQ(packed->find("list")->list().size(), count);
    EXPECT_EQ(packed->find("text")->string().size(), count);
    EXPECT_EQ(packed->unpack(), item);
  }
}

TEST(PackedFormat, ManyAttributes) {
  Item item;
  for (int i = 0; i < 1000; ++i) item.emplace("attribute" + std::to_string(i), i);
  const Result<PackedItem> packed = pack(item);
  ASSERT_TRUE(packed.has_value());
  EXPECT_TRUE(check_packed(packed->bytes()).has_value());
  EXPECT_EQ(packed->view().size(), 1000U);
  EXPECT_EQ(packed->find("attribute999")->number(), Number(999));
  EXPECT_EQ(packed->unpack(), item);
}

// --- views
// ----------------------------------------------------------------------------------------------------

TEST(PackedView, FindsAndReads) {
  const PackedItem item = *pack({{"a", "text"},
                                 {"ab", 29.99_n},
                                 {"b", Binary{std::string("\x00\x01", 2)}},
                                 {"list", List{1, "two", Null()}},
                                 {"map", Map{{"x", Map{{"y", true}}}}},
                                 {"set", *NumberSet::of({3, 1, 2})}});
  EXPECT_EQ(item.find("a")->string(), "text");
  EXPECT_EQ(item.find("ab")->number(), 29.99_n);
  EXPECT_EQ(item.find("b")->binary(), std::string_view("\x00\x01", 2));
  EXPECT_EQ(item.find("list")->list().at(1)->string(), "two");
  EXPECT_TRUE(item.find("list")->list().at(2)->type() == Type::Null);
  EXPECT_FALSE(item.find("list")->list().at(3).has_value());
  EXPECT_TRUE(item.find("map")->map().find("x")->map().find("y")->boolean());
  EXPECT_EQ(item.find("set")->set().size(), 3U);
  EXPECT_EQ(item.find("set")->set().element_type(), Type::Number);
  std::string two;
  append_ordered_number(two, 2);
  EXPECT_TRUE(item.find("set")->set().contains(two));
  EXPECT_FALSE(item.find("set")->set().contains("2"));
  EXPECT_FALSE(item.find("").has_value());
  EXPECT_FALSE(item.find("ac").has_value());
  EXPECT_FALSE(item.find("zzz").has_value());
}

TEST(PackedView, EmptyItem) {
  EXPECT_TRUE(PackedItem().empty());
  EXPECT_EQ(PackedItem(), *pack({}));
  EXPECT_EQ(ItemView(), PackedItem().view());
  EXPECT_EQ(ItemView().begin(), ItemView().end());
  EXPECT_FALSE(ItemView().find("a").has_value());
  EXPECT_EQ(PackedItem(ItemView()).unpack(), Item{});
}

TEST(PackedView, AMovedFromItemIsEmpty) {
  PackedItem item = *pack({{"name", std::string(100, 'x')}});
  const PackedItem taken = std::move(item);
  EXPECT_EQ(taken.view().size(), 1U);
  EXPECT_TRUE(item.empty());  // NOLINT(bugprone-use-after-move): that is the question
}

TEST(PackedView, IteratesInOrder) {
  const PackedItem item = *pack({{"b", List{1, 2, 3}}, {"a", *StringSet::of({"y", "x"})}});
  std::string names;
  for (const auto& [name, value] : item.view()) names += name;
  EXPECT_EQ(names, "ab");
  std::string elements;
  for (const ValueView element : item.find("b")->list()) elements += element.number().to_string();
  for (const std::string_view element : item.find("a")->set()) elements += element;
  EXPECT_EQ(elements, "123xy");
  auto next = item.view().begin();
  EXPECT_EQ((*next++).first, "a");
  EXPECT_EQ((*next++).first, "b");
  EXPECT_EQ(next, item.view().end());
}

TEST(PackedViewDeathTest, WrongTypeStops) {
  const PackedItem item = *pack({{"a", "text"}, {"l", List{}}});
  EXPECT_DEATH((void)item.find("a")->number(), "broken invariant");
  EXPECT_DEATH((void)item.find("a")->list(), "broken invariant");
  EXPECT_DEATH((void)item.find("a")->set(), "broken invariant");
  EXPECT_DEATH((void)item.find("l")->ordered_bytes(), "broken invariant");
}

TEST(PackedViewDeathTest, BytesThatEndEarlyStop) {
  EXPECT_DEATH(ItemView(""), "broken invariant");
  EXPECT_DEATH(ItemView("\x02\x01"), "broken invariant");
  EXPECT_DEATH((void)ItemView("\x01\x01\x05").find("a"), "broken invariant");
  EXPECT_DEATH((void)ItemView(std::string_view("\x01\x01\x01\x61\x00", 5)).find("a"), "broken invariant");
  EXPECT_DEATH((void)ItemView("\x01\xFF\xFF\xFF\xFF\xFF\xFF"), "broken invariant");
}

RC_GTEST_PROP(PackedProperty, UnpacksWhatItPacked, ()) {
  const Item item = *arbitrary_item();
  const Result<PackedItem> packed = pack(item);
  RC_ASSERT(packed.has_value());
  RC_ASSERT(packed->unpack() == item);
  RC_ASSERT(check_packed(packed->bytes()).has_value());
  RC_ASSERT(packed->view().size() == item.size());
  for (const auto& [name, value] : item) RC_ASSERT(packed->find(name)->unpack() == value);
}

RC_GTEST_PROP(PackedProperty, EqualValuesAreEqualBytes, ()) {
  Dice dice = *arbitrary_dice();
  const Value a = dice.value(3);
  const Value b = dice.coin() ? a : dice.value(3);
  RC_ASSERT((*pack({{"v", a}}) == *pack({{"v", b}})) == (a == b));
}

RC_GTEST_PROP(PackedProperty, OrderedBytesCompareAsValues, ()) {
  const Number a = *arbitrary_number();
  const Number b = *arbitrary_number();
  const PackedItem item = *pack({{"a", a}, {"b", b}});
  RC_ASSERT((item.find("a")->ordered_bytes() <=> item.find("b")->ordered_bytes()) == (a <=> b));
}

RC_GTEST_PROP(PackedProperty, AttributesMakeTheirItemAgain, ()) {
  const PackedItem item = *pack(*arbitrary_item());
  std::vector<MapView::Entry> attributes;
  each_attribute(item.view(), [&](std::string_view name, std::string_view value) {
    attributes.emplace_back(name, ValueView(value));
  });
  RC_ASSERT(attributes.size() == item.view().size());
  RC_ASSERT(assembled(attributes) == item);
}

// Copying attributes as views, as projections do, gives the same bytes as packing the tree.
RC_GTEST_PROP(PackedProperty, WriterCopiesViews, ()) {
  const Item item = *arbitrary_item();
  const PackedItem packed = *pack(item);
  ItemWriter writer;
  Item kept;
  bool keep = true;
  for (const auto& [name, value] : packed.view()) {
    if (keep) {
      writer.name(name);
      writer.value(value);
      kept.emplace(name, value.unpack());
    }
    keep = !keep;
  }
  RC_ASSERT(std::move(writer).finish() == *pack(kept));
}

TEST(ItemWriter, WritesWithoutATree) {
  std::string one;
  append_ordered_number(one, 1);
  ItemWriter writer;
  writer.name("Artist");
  writer.string("Nina");
  writer.name("Deep");
  writer.begin_map();
  writer.name("b");
  writer.boolean(true);
  writer.name("l");
  writer.begin_list();
  writer.null();
  writer.number(7);
  writer.end();
  writer.end();
  writer.name("Set");
  writer.begin_set(Type::NumberSet);
  writer.set_element(one);
  writer.end();
  EXPECT_EQ(std::move(writer).finish().unpack(), (Item{{"Artist", "Nina"},
                                                       {"Deep", Map{{"b", true}, {"l", List{Null(), 7}}}},
                                                       {"Set", *NumberSet::of({1})}}));
}

TEST(ItemWriterDeathTest, MisuseStops) {
  EXPECT_DEATH(
      {
        ItemWriter writer;
        writer.null();
      },
      "named_");
  EXPECT_DEATH(
      {
        ItemWriter writer;
        writer.name("a");
        writer.name("b");
      },
      "named_");
  EXPECT_DEATH(
      {
        ItemWriter writer;
        writer.name("b");
        writer.null();
        writer.name("a");
      },
      "ascending");
  EXPECT_DEATH(
      {
        ItemWriter writer;
        writer.name("a");
        writer.null();
        writer.name("a");
      },
      "ascending");
  EXPECT_DEATH(
      {
        ItemWriter writer;
        writer.name("a");
        writer.begin_set(Type::StringSet);
        writer.end();
      },
      "count > 0");
  EXPECT_DEATH(
      {
        ItemWriter writer;
        writer.name("a");
        writer.begin_list();
        (void)std::move(writer).finish();
      },
      "outside_");
}

// --- what pack() refuses
// --------------------------------------------------------------------------------------

TEST(Pack, RefusesTextThatIsNotUtf8) {
  const std::string bad = "a\xC0\x80";
  for (const Item& item :
       {Item{{"a", bad}}, Item{{bad, 1}}, Item{{"a", List{bad}}}, Item{{"a", Map{{bad, 1}}}},
        Item{{"a", *StringSet::of({"fine", bad})}}, Item{{"a", Map{{"b", List{Map{{"c", bad}}}}}}}}) {
    const Result<PackedItem> packed = pack(item);
    ASSERT_FALSE(packed.has_value());
    EXPECT_EQ(packed.error().code(), ErrorCode::Serialization);
  }
  EXPECT_TRUE(pack({{"a", Binary{bad}}}).has_value());
  EXPECT_EQ(pack({{"fine", 1}, {"song", List{bad}}}).error().message(),
            "the text of attribute 'song' is not valid UTF-8");
  EXPECT_EQ(pack({{"song", Map{{bad, 1}}}}).error().message(),
            R"(the attribute name 'a\xc0\x80' is not valid UTF-8)");
}

TEST(Pack, RefusesNamesThatAreEmptyOrTooLong) {
  const std::string longest(limits::kAttributeNameBytesMax, 'n');
  EXPECT_TRUE(pack({{longest, 1}}).has_value());
  EXPECT_EQ(pack({{longest + "n", 1}}).error().message(),
            "1 validation error detected: Attribute name is too large, must be less than 65536 bytes");
  for (const Item& item : {Item{{"", 1}}, Item{{"m", Map{{"", 1}}}}}) {
    EXPECT_EQ(pack(item).error().message(),
              "One or more parameter values were invalid: Attribute name must not be empty");
  }
}

TEST(Pack, RefusesSetsThatWereMovedFrom) {
  const Item sets{
      {"b", *BinarySet::of({Binary{"x"}})}, {"n", *NumberSet::of({1})}, {"s", *StringSet::of({"x"})}};
  for (const auto& [name, set] : sets) {
    Value value = set;
    const Value taken = std::move(value);
    EXPECT_EQ(taken, set);
    const auto packed = pack({{name, value}});  // NOLINT(bugprone-use-after-move): that is what is tested
    ASSERT_FALSE(packed);
    EXPECT_TRUE(packed.error().message().ends_with("not be empty")) << packed.error().message();
  }
}

TEST(Pack, EmptyTextAndBytesAreFine) {
  EXPECT_TRUE(pack({{"s", ""}, {"b", Binary{}}, {"ss", *StringSet::of({""})}}).has_value());
}

TEST(Pack, NestsUpTo32Levels) {
  EXPECT_TRUE(pack({{"a", wrapped("leaf", 31)}}).has_value());
  EXPECT_TRUE(pack({{"a", wrapped(Map{}, 31)}}).has_value());
  EXPECT_TRUE(pack({{"a", wrapped(*StringSet::of({"x"}), 31)}}).has_value());
  const Result<PackedItem> packed = pack({{"a", wrapped("leaf", 32)}});
  ASSERT_FALSE(packed.has_value());
  EXPECT_EQ(packed.error().code(), ErrorCode::Validation);
  EXPECT_EQ(packed.error().message(),
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond "
            "supported "
            "limit");
}

TEST(CheckNesting, SeesWhatAWriterPutTogether) {
  const PackedItem deep = *pack({{"a", wrapped("leaf", 31)}});
  EXPECT_TRUE(check_nesting(deep.view()).has_value());
  ItemWriter writer;
  writer.name("a");
  writer.begin_list();
  writer.value(*deep.find("a"));
  writer.end();
  const PackedItem deeper = std::move(writer).finish();
  EXPECT_EQ(check_nesting(deeper.view()).error().code(), ErrorCode::Validation);
  EXPECT_EQ(check_packed(deeper.bytes()).error().code(), ErrorCode::Corrupt);
}

// --- bytes of unknown origin
// ----------------------------------------------------------------------------------

struct BadBytes {
  const char* hex;
  const char* reason;
};

const BadBytes kBad[] = {
    {"", "packed item: no bytes"},
    {"00", "packed item: no format has this version"},
    {"01", "packed item: ends inside a varint"},
    {"0180", "packed item: ends inside a varint"},
    {"018000", "packed item: varint is longer than needed"},
    {"01808080808001", "packed item: varint is too long"},
    {"0101", "packed item: map count is wrong"},
    {"010001610101", "packed item: map count is wrong"},
    {"0101056101", "packed item: size goes past the end"},
    {"010101610501", "packed item: size goes past the end"},
    {"0101000101", "packed item: empty name"},
    {"010101800101", "packed item: name is not UTF-8"},
    {"0102016201010161"
     "0101",
     "packed item: names are not ascending"},
    {"01020161010101610101", "packed item: names are not ascending"},
    {"0101016100", "packed item: value without a type"},
    {"010101610100", "packed item: unknown type"},
    {"01010161010b", "packed item: unknown type"},
    {"01010161020100", "packed item: NULL with a payload"},
    {"010101610102", "packed item: BOOL is not 0 or 1"},
    {"01010161020202", "packed item: BOOL is not 0 or 1"},
    {"010101610204c0", "packed item: text is not UTF-8"},
    {"010101610103", "number: too short"},
    {"010101610403c10202", "packed item: bytes after a number"},
    {"01010161020601", "packed item: list count is wrong"},
    {"0101016104060001"
     "01",
     "packed item: list count is wrong"},
    {"01010161020800", "packed item: empty set"},
    {"010101610608020162"
     "0161",
     "packed item: set elements are not ascending"},
    {"0101016104080101c0", "packed item: text is not UTF-8"},
    {"01010161040803"
     "0161",
     "packed item: set count is wrong"},
};

TEST(CheckPacked, SaysWhatIsWrong) {
  for (const auto& [hex, reason] : kBad) {
    SCOPED_TRACE(hex);
    const Result<void> checked = check_packed(*from_hex(hex));
    ASSERT_FALSE(checked.has_value());
    EXPECT_EQ(checked.error().code(), ErrorCode::Corrupt);
    EXPECT_EQ(checked.error().message(), reason);
  }
}

TEST(CheckPacked, NewerFormatIsNotCorruption) {
  const Result<void> checked = check_packed("\x02whatever comes");
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().code(), ErrorCode::NewerFormat);
  EXPECT_EQ(checked.error().message(),
            "packed item: format 2 was written by a newer Tavola; this one reads up to 1");
}

TEST(CheckPacked, TextIsNoNewerFormat) {
  for (const char* bytes : {"garbage", " ", "\xff", "{}"}) {
    const Result<void> checked = check_packed(bytes);
    ASSERT_FALSE(checked.has_value());
    EXPECT_EQ(checked.error().code(), ErrorCode::Corrupt);
    EXPECT_EQ(checked.error().message(), "packed item: no format has this version");
  }
}

TEST(CheckPacked, NestingBeyond32LevelsIsRefusedNotFollowed) {
  const auto sized = [](const std::string& bytes) {
    std::string size;
    std::size_t rest = bytes.size();
    for (; rest >= 0x80; rest >>= 7) size.push_back(static_cast<char>(rest | 0x80));
    return size + static_cast<char>(rest) + bytes;
  };
  std::string value = "\x01";  // NULL
  for (int i = 0; i < 10'000; ++i) value = "\x06\x01" + sized(value);
  EXPECT_EQ(check_packed("\x01\x01\x01n" + sized(value)).error().message(),
            "packed item: nested deeper than 32 levels");
}

// Calls everything that a view offers. The sanitizers show any memory error; a broken bound stops the process.
std::size_t visit(ValueView value) {
  std::size_t seen = value_size(value);
  switch (value.type()) {
    case Type::List:
      for (const ValueView element : value.list()) seen += visit(element);
      break;
    case Type::Map:
      for (const auto& [name, element] : value.map()) seen += name.size() + visit(element);
      break;
    case Type::StringSet:
    case Type::NumberSet:
    case Type::BinarySet:
      for (const std::string_view element : value.set()) seen += value.set().contains(element) ? 1 : 0;
      break;
    default:
      break;
  }
  return seen;
}

RC_GTEST_PROP(CheckPackedProperty, CorruptedBytesAreRefusedOrSafe, ()) {
  Dice dice = *arbitrary_dice();
  std::string bytes = pack(dice.map(4))->bytes();
  for (std::size_t left = 1 + dice.below(3); left > 0; --left) {
    const std::size_t at = dice.below(bytes.size() + 1);
    const auto byte = static_cast<char>(dice.coin() ? dice.below(12) : dice.below(256));
    switch (dice.below(3)) {
      case 0:
        bytes.insert(at, 1, byte);
        break;
      case 1:
        bytes.erase(at, 1 + dice.below(3));
        break;
      default:
        if (at < bytes.size()) bytes[at] = byte;
    }
  }
  const Result<void> checked = check_packed(bytes);
  if (!checked) {
    RC_ASSERT(checked.error().code() == ErrorCode::Corrupt ||
              checked.error().code() == ErrorCode::NewerFormat);
    return;
  }
  const ItemView view(bytes);
  for (const auto& [name, value] : view) RC_ASSERT(visit(value) > 0 || value.type() != Type::Null);
  RC_ASSERT(pack(view.unpack())->bytes() == bytes);  // what passes is canonical
}

RC_GTEST_PROP(CheckPackedProperty, AnyBytesAreRefusedOrSafe, ()) {
  Dice dice = *arbitrary_dice();
  std::string bytes = "\x01";
  for (std::size_t left = dice.length(20); left > 0; --left)
    bytes.push_back(static_cast<char>(dice.below(12)));
  if (check_packed(bytes)) RC_ASSERT(pack(ItemView(bytes).unpack())->bytes() == bytes);
}

}  // namespace
}  // namespace tavola
