// Tree: an ordered map of entries whose copies are cheap: a copy is one pointer to the same root.
//
// It is a B+ tree with counted nodes. A change copies the nodes on its path that another copy of the tree can
// also see, and changes the others in place; so a tree with no other copies alive behaves like a plain B+
// tree. Entries are never changed, and are shared by all trees that hold them.
//
// Thread safety: like a std::map; different copies may be used by different threads at once.
// Invariants: (1) every node but an empty root's holds at least one entry or child. (2) An inner node's
// keys[i], i > 0, is greater than every key under children[i - 1] and not greater than any under children[i];
// keys[0] is unused. (3) All leaves are equally deep.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

#include "store/store.h"

namespace tavola::store {

// A counted pointer: like std::shared_ptr, without its second allocation and its width. T has `references` and free().
template <class T>
class Ref {
 public:
  Ref() = default;
  static Ref adopt(T* target) {  // takes over the initial reference of a new object
    Ref ref;
    ref.target_ = target;
    return ref;
  }
  // Shares `target`, which another Ref keeps alive.
  static Ref share(T* target) {
    if (target != nullptr) target->references.fetch_add(1, std::memory_order_relaxed);
    return adopt(target);
  }
  Ref(const Ref& other) : target_(other.target_) {
    if (target_ != nullptr) target_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Ref(Ref&& other) noexcept : target_(std::exchange(other.target_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(target_, other.target_);
    return *this;
  }
  ~Ref() {
    if (target_ != nullptr && target_->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      T::free(target_);
  }

  explicit operator bool() const { return target_ != nullptr; }
  T* get() const { return target_; }
  T* operator->() const { return target_; }
  T& operator*() const { return *target_; }
  // Returns true if no other Ref has the target. The acquire pairs with the release of the last other reference.
  bool is_only() const { return target_->references.load(std::memory_order_acquire) == 1; }

 private:
  T* target_ = nullptr;
};

// A key and its value in one piece of memory.
struct Entry {
  mutable std::atomic<std::uint32_t> references = 1;
  std::uint32_t key_bytes;
  std::uint32_t value_bytes;

  static Ref<const Entry> make(std::string_view key, std::string_view value);
  static void free(const Entry* entry);
  std::string_view key() const { return {bytes(), key_bytes}; }
  std::string_view value() const { return {bytes() + key_bytes, value_bytes}; }

 private:
  Entry(std::uint32_t key_size, std::uint32_t value_size) : key_bytes(key_size), value_bytes(value_size) {}
  const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
};
using EntryRef = Ref<const Entry>;

class Tree {
 public:
  // Returns the entry of `key`, or null. It lives as long as the tree (or a copy of it), until the key changes.
  const Entry* find(std::string_view key) const;
  void put(EntryRef entry);
  void erase(std::string_view key);
  void erase_range(std::string_view from, std::string_view to);  // as in KeyRange

  class Walk;

 private:
  struct Node {
    explicit Node(bool leaf) : is_leaf(leaf) {}
    Node(const Node& other) : is_leaf(other.is_leaf), count(other.count) {}
    static void free(Node* node);

    std::atomic<std::uint32_t> references = 1;
    const bool is_leaf;
    std::uint32_t count = 0;
  };
  struct Leaf;
  struct Inner;
  struct Split;

  static std::uint32_t position_of(const Leaf& leaf, std::string_view key);
  static std::uint32_t child_of(const Inner& inner, std::string_view key);
  static void make_own(Ref<Node>& node);
  static Split put_into(Ref<Node>& node, EntryRef entry);
  static Split put_into_leaf(Leaf& leaf, EntryRef entry);
  static Split add_child(Inner& inner, std::uint32_t at, Split child);
  static void erase_from(Ref<Node>& node, std::string_view key);
  static void erase_range_from(Ref<Node>& node, std::string_view from, std::string_view to);
  static void drop_empty_children(Ref<Node>& node);
  void lower_root();

  Ref<Node> root_;  // null if the tree is empty
};

// Walks the entries of a tree, which must not change during the walk.
class Tree::Walk {
 public:
  // Starts at the first entry whose key is not less than `from`, if any.
  static Walk forward(const Tree& tree, std::string_view from);
  // Starts at the last entry whose key is less than `to`, or at the very last if `to` is empty.
  static Walk backward(const Tree& tree, std::string_view to);

  // Returns null at the end.
  const Entry* entry() const;
  void next();
  void previous();

 private:
  struct Step {
    const Node* node;
    std::uint32_t index;
  };
  // Every split except the root's leaves at least one more child above it: 2^48 entries would not reach this height.
  static constexpr std::size_t kHeightMax = 48;

  void descend(const Node* node, std::string_view key);
  void descend_to_edge(const Node* node, Direction from);
  void push(const Node* node, std::uint32_t index);

  std::array<Step, kHeightMax> path_;
  std::size_t height_ = 0;  // 0: at the end
};

}  // namespace tavola::store
