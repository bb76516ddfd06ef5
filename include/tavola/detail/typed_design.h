// The building blocks of the headers that `tavola gen cpp` writes: entities as structs, and the results of patterns as
// ranges of them.
//
// A struct lists its fields once, and is read and written by that list:
//
//   struct Song {
//     std::string title{};
//     std::optional<std::int64_t> year{};
//     static void fields(auto& song, auto& each) { each("title", song.title); each("year", song.year); }
//   };
//
// Fields are std::string, std::int64_t, Number, bool, Binary, Value, Map, an enum with texts(), such a struct, a vector or an
// optional of these.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <tavola/design.h>

namespace tavola {

// ---- Enums: friend texts(E) gives the text of each value, in their order ----

template <class E>
  requires std::is_enum_v<E>
constexpr std::string_view to_text(E value) {
  return texts(value)[static_cast<std::size_t>(value)];
}

template <class E>
constexpr std::optional<E> from_text(std::string_view text) {
  constexpr auto kTexts = texts(E{});
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    if (kTexts[i] == text) return static_cast<E>(i);
  }
  return std::nullopt;
}

// Returns the refusal in an error, if it is one of R.
template <class R>
std::optional<R> refusal(const Error& error) {
  const std::string* name = refusal_of(error);
  return name == nullptr ? std::nullopt : from_text<R>(*name);
}

namespace typed {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
inline constexpr bool kIsList = IsVector<T>::value && !std::is_same_v<T, List>;
// Types that Value holds directly.
template <class T>
inline constexpr bool kIsPlain =
    std::is_same_v<T, std::string> || std::is_same_v<T, bool> || std::is_same_v<T, Number> ||
    std::is_same_v<T, Binary> || std::is_same_v<T, List> || std::is_same_v<T, Map>;

// ---- Writing ----

template <class T>
Item to_item(const T& entity);

template <class T>
Value to_value(const T& value) {
  if constexpr (kIsList<T>) {
    List list;
    for (const auto& element : value) list.push_back(to_value(element));
    return list;
  } else if constexpr (std::is_enum_v<T>) {
    return to_text(value);
  } else if constexpr (std::is_constructible_v<Value, const T&>) {
    return value;
  } else {
    return to_item(value);
  }
}

template <class T>
Item to_item(const T& entity) {
  Item item;
  const auto write = [&item](std::string_view name, const auto& field) {
    if constexpr (IsOptional<std::remove_cvref_t<decltype(field)>>::value) {
      if (field) item.emplace(name, to_value(*field));
    } else {
      item.emplace(name, to_value(field));
    }
  };
  T::fields(entity, write);
  return item;
}

// ---- Reading: returns false if the value has another type ----

template <class T>
bool read_fields(const Item& item, T& entity, std::string& problem);

template <class T>
bool read(const Value& value, T& to, std::string& problem);

template <class T>
bool read_list(const Value& value, std::vector<T>& to, std::string& problem) {
  const auto read_all = [&](const auto& elements) {
    for (const auto& element : elements) {
      T one{};
      if (!read(Value(element), one, problem)) return false;
      to.push_back(std::move(one));
    }
    return true;
  };
  if (const auto* list = std::get_if<List>(&value.variant())) return read_all(*list);
  if (const auto* set = std::get_if<StringSet>(&value.variant())) return read_all(*set);
  if (const auto* set = std::get_if<NumberSet>(&value.variant())) return read_all(*set);
  if (const auto* set = std::get_if<BinarySet>(&value.variant())) return read_all(*set);
  return false;
}

template <class T>
bool read(const Value& value, T& to, std::string& problem) {
  if constexpr (IsOptional<T>::value) {
    typename T::value_type one{};
    const bool is_read = read(value, one, problem);
    to = std::move(one);
    return is_read;
  } else if constexpr (std::is_same_v<T, Value>) {
    to = value;
    return true;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    const auto number = value.is_number() ? value.number().to_int64() : std::nullopt;
    to = number.value_or(0);
    return number.has_value();
  } else if constexpr (std::is_enum_v<T>) {
    const auto found = value.is_string() ? from_text<T>(value.string()) : std::nullopt;
    to = found.value_or(T{});
    return found.has_value();
  } else if constexpr (kIsPlain<T>) {
    const T* const found = std::get_if<T>(&value.variant());
    if (found != nullptr) to = *found;
    return found != nullptr;
  } else if constexpr (kIsList<T>) {
    return read_list(value, to, problem);
  } else {
    const Map* const map = std::get_if<Map>(&value.variant());
    return map != nullptr && read_fields(*map, to, problem);
  }
}

template <class T>
bool read_fields(const Item& item, T& entity, std::string& problem) {
  const auto read_one = [&](std::string_view name, auto& field) {
    const auto found = item.find(name);
    if (found == item.end() || !problem.empty()) return;
    std::string inner;
    if (read(found->second, field, inner)) return;
    problem = std::string(name) + (inner.empty() ? " is " + to_json(found->second) : "." + inner);
  };
  T::fields(entity, read_one);
  return problem.empty();
}

// Attributes that an index does not project keep the value of T{}. Fails with Corrupt if a field has the wrong type.
template <class T>
Result<T> from_item(const Item& item) {
  T entity{};
  std::string problem;
  if (!read_fields(item, entity, problem)) return fail(Error::corrupt("not as the design says: " + problem));
  return entity;
}

// ---- Keys ----

inline std::string text(std::string_view value) { return std::string(value); }
inline std::string text(std::int64_t value) { return std::to_string(value); }
inline std::string text(const Number& value) { return value.to_string(); }
inline std::string text(std::same_as<bool> auto value) { return value ? "true" : "false"; }
inline std::string padded(std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

}  // namespace typed

// All entities that a pattern finds, fetched page by page: an input range of Result<T>. An error is the last element.
// Reads nothing before begin(), which is called once. An iteration belongs to one thread.
template <class T>
class Entities {
 public:
  Entities(RunningDesign design, std::string_view pattern, Item parameters)
      : design_(std::move(design)), pattern_(pattern), parameters_(std::move(parameters)) {}

  class Iterator {
   public:
    using value_type = Result<T>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;

    const Result<T>& operator*() const { return *entities_->current_; }
    const Result<T>* operator->() const { return &*entities_->current_; }
    Iterator& operator++() {
      entities_->advance();
      return *this;
    }
    void operator++(int) { entities_->advance(); }
    bool operator==(std::default_sentinel_t) const { return !entities_->current_; }

   private:
    friend class Entities;
    explicit Iterator(Entities* entities) : entities_(entities) {}
    Entities* entities_;
  };

  Iterator begin() {
    advance();
    return Iterator(this);
  }
  static std::default_sentinel_t end() { return {}; }

  // Returns all of them at once, or the error.
  Result<std::vector<T>> all() {
    std::vector<T> found;
    for (const Result<T>& one : *this) {
      if (!one) return fail(one.error());
      found.push_back(*one);
    }
    return found;
  }

 private:
  void advance() {
    current_.reset();
    while (next_ == page_.entities.size()) {
      if (!more_pages_) return;
      Result<EntityPage> page = design_.ask(pattern_, parameters_, {.page = page_.next});
      more_pages_ = page && !page->next.empty();
      next_ = 0;
      page_ = {};
      if (!page) {
        current_ = fail(std::move(page).error());
        return;
      }
      page_ = *std::move(page);
    }
    NamedEntity& one = page_.entities[next_++];
    if constexpr (std::is_same_v<T, NamedEntity>) {
      current_ = std::move(one);
    } else {
      current_ = typed::from_item<T>(one.fields);
      if (!*current_) end_here();
    }
  }

  void end_here() {
    more_pages_ = false;
    next_ = page_.entities.size();
  }

  RunningDesign design_;
  std::string pattern_;
  Item parameters_;
  EntityPage page_;
  std::size_t next_ = 0;  // in page_.entities
  bool more_pages_ = true;
  std::optional<Result<T>> current_;
};

namespace typed {

// A Get: returns the entity, or nullopt if missing.
template <class T>
Result<std::optional<T>> get(const RunningDesign& design, std::string_view pattern, const Item& parameters) {
  TAVOLA_TRY(const EntityPage page, design.ask(pattern, parameters));
  if (page.entities.empty()) return std::optional<T>();
  TAVOLA_TRY(T entity, from_item<T>(page.entities.front().fields));
  return std::optional<T>(std::move(entity));
}

// An operation that returns a T.
template <class T>
Result<T> perform(const RunningDesign& design, std::string_view operation, const Item& parameters) {
  TAVOLA_TRY(const PerformedOperation done, design.perform(operation, parameters));
  return from_item<T>(done.returned ? done.returned->fields : Item());
}

}  // namespace typed
}  // namespace tavola
