// PackedItem: an item in Tavola's binary format, the same bytes in memory, on disk and in responses.
// ItemView and ValueView read such bytes lazily: finding one attribute skips over the others unread.
//
//   PackedItem song = *pack({{"Artist", "Nina"}, {"Year", 1965}});
//   song.view().find("Year")->number();             // 1965, nothing else decoded
//   Item tree = song.unpack();                      // the whole tree
//
// The format is canonical (names and set elements sorted, numbers in one form), so two values are equal exactly when
// their bytes are. pack() makes valid items: text is UTF-8, no name is empty, nesting is at most 32 levels. A user of
// ItemWriter must ensure this; check_packed() checks bytes of unknown origin. docs/FORMAT.md and
// src/value/item_writer.cc draw the format.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/error.h>
#include <tavola/number.h>
#include <tavola/value.h>

namespace tavola {

class ListView;
class MapView;
class SetView;

// One packed value: a tag byte and its payload. Borrows the bytes; they must outlive the view.
class ValueView {
 public:
  // `bytes` must be a value written by this library (see check_packed for bytes of unknown origin).
  explicit ValueView(std::string_view bytes) : bytes_(bytes) {}

  Type type() const { return static_cast<Type>(bytes_.front()); }

  // Each requires its own type; another type is a broken invariant and stops the process.
  bool boolean() const;
  Number number() const;
  std::string_view string() const;
  std::string_view binary() const;
  ListView list() const;
  MapView map() const;
  SetView set() const;  // for any of the three set types

  // Returns the text or bytes of S and B, the order-preserving bytes of N: within one type, comparing these compares
  // the values as DynamoDB orders them. Requires S, N or B.
  std::string_view ordered_bytes() const;

  // Tag and payload. Values are equal exactly when their bytes are.
  std::string_view bytes() const { return bytes_; }
  Value unpack() const;

  friend bool operator==(ValueView a, ValueView b) { return a.bytes_ == b.bytes_; }

 private:
  std::string_view payload() const { return bytes_.substr(1); }
  std::string_view bytes_;
};

// Elements in order. Forward iteration; size() is stored, so O(1).
class ListView {
 public:
  explicit ListView(std::string_view payload);
  class Iterator {
   public:
    using value_type = ValueView;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(std::string_view rest) : rest_(rest) {}
    ValueView operator*() const;
    Iterator& operator++();
    Iterator operator++(int);
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.rest_.size() == b.rest_.size(); }

   private:
    std::string_view rest_;
  };
  Iterator begin() const { return Iterator(elements_); }
  Iterator end() const { return Iterator(elements_.substr(elements_.size())); }
  std::size_t size() const { return count_; }
  std::optional<ValueView> at(std::size_t index) const;

 private:
  std::size_t count_;
  std::string_view elements_;
};

// Elements of a set, in byte order, each readable as a value of the element type.
class SetView {
 public:
  SetView(Type set_type, std::string_view payload);
  Type element_type() const;
  // Iterates over payloads: text, bytes or ordered number bytes.
  class Iterator {
   public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(std::string_view rest) : rest_(rest) {}
    std::string_view operator*() const;
    Iterator& operator++();
    Iterator operator++(int);
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.rest_.size() == b.rest_.size(); }

   private:
    std::string_view rest_;
  };
  Iterator begin() const { return Iterator(elements_); }
  Iterator end() const { return Iterator(elements_.substr(elements_.size())); }
  std::size_t size() const { return count_; }
  bool contains(std::string_view element_payload) const;

 private:
  Type type_;
  std::size_t count_;
  std::string_view elements_;
};

// Name–value pairs in byte order of the names.
class MapView {
 public:
  using Entry = std::pair<std::string_view, ValueView>;
  explicit MapView(std::string_view payload);
  class Iterator {
   public:
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(std::string_view rest) : rest_(rest) {}
    Entry operator*() const;
    Iterator& operator++();
    Iterator operator++(int);
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.rest_.size() == b.rest_.size(); }

   private:
    std::string_view rest_;
  };
  Iterator begin() const { return Iterator(entries_); }
  Iterator end() const { return Iterator(entries_.substr(entries_.size())); }
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  std::optional<ValueView> find(std::string_view name) const;

 private:
  std::size_t count_;
  std::string_view entries_;
};

// The attributes of a packed item: a version byte, then a map's payload.
class ItemView : public MapView {
 public:
  ItemView();  // the empty item
  explicit ItemView(std::string_view bytes);
  std::string_view bytes() const { return bytes_; }
  Item unpack() const;
  friend bool operator==(const ItemView& a, const ItemView& b) { return a.bytes_ == b.bytes_; }

 private:
  std::string_view bytes_;
};

// Owns the bytes of one packed item.
class PackedItem {
 public:
  PackedItem();  // the empty item
  // `bytes` must be an item written by this library.
  explicit PackedItem(std::string bytes) : bytes_(std::move(bytes)) {}
  explicit PackedItem(ItemView view) : bytes_(view.bytes()) {}

  // Returns the view of the empty item after a move.
  ItemView view() const { return bytes_.empty() ? ItemView() : ItemView(bytes_); }
  Item unpack() const { return view().unpack(); }
  const std::string& bytes() const& { return bytes_; }
  std::string bytes() && { return std::move(bytes_); }
  bool empty() const { return view().empty(); }
  std::optional<ValueView> find(std::string_view name) const { return view().find(name); }

  friend bool operator==(const PackedItem&, const PackedItem&) = default;

 private:
  std::string bytes_;
};

// Packs a tree. Fails with DynamoDB's words on text that is not UTF-8, nesting over 32 levels, a moved-from set, and an
// attribute name that is empty or too long.
Result<PackedItem> pack(const Item& item);

// Checks bytes of unknown origin: complete, canonical and safe to view. Fails with Corrupt, or with NewerFormat if a
// newer Tavola wrote them.
Result<void> check_packed(std::string_view bytes);

// Fails with DynamoDB's words if a value of the item is nested deeper than 32 levels. pack() has checked this; an item
// that an ItemWriter assembled from parts may need it.
Result<void> check_nesting(const ItemView& item);

// Writes packed bytes piece by piece, without a tree: for parsers and for code that copies attributes. The names of one
// map must come in ascending byte order without repeats, and so must the payloads of a set's elements.
//
//   ItemWriter writer;
//   writer.name("Artist"); writer.string("Nina");
//   writer.name("Tags");   writer.begin_list(); writer.string("jazz"); writer.end();
//   PackedItem item = std::move(writer).finish();
class ItemWriter {
 public:
  ItemWriter();

  void name(std::string_view name);  // before each value directly in the item or in a map

  void null();
  void boolean(bool value);
  void number(const Number& value);
  void string(std::string_view text);
  void binary(std::string_view bytes);
  void value(const Value& value);  // a whole tree; must satisfy what pack() checks
  void value(ValueView value);     // copied unchanged
  void begin_list();
  void begin_map();
  void begin_set(Type set_type);
  void set_element(std::string_view payload);
  void end();  // closes the innermost list, map or set

  PackedItem finish() &&;

 private:
  // A list, map or set being written.
  struct Container {
    Type type = Type::Map;
    std::size_t start = 0;    // of its bytes, length first
    std::size_t count = 0;    // of its elements so far
    std::size_t last_at = 0;  // its last name or set element, to check that the next one is greater
    std::size_t last_size = 0;
  };
  void begin(Type type);
  void start_value();
  void append_ascending(std::string_view bytes);
  void append_tagged(Type type, std::string_view payload);

  std::string bytes_;
  Container current_;               // the innermost open container; at first the item itself
  std::vector<Container> outside_;  // the containers around it
  bool named_ = false;              // name() was called and its value not yet written
};

// The size DynamoDB charges: names as UTF-8 bytes plus values (src/value/item_size.cc has the rule).
std::size_t item_size(const ItemView& item);
std::size_t value_size(ValueView value);

}  // namespace tavola
