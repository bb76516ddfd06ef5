#include "store/memory/tree.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "base/assert.h"

namespace tavola::store {
namespace {

constexpr std::uint32_t kFanout = 32;

// Opens a gap at `at` in the first `count` elements.
template <class T>
void shift_right(std::array<T, kFanout>& elements, std::uint32_t at, std::uint32_t count) {
  std::move_backward(elements.begin() + at, elements.begin() + count, elements.begin() + count + 1);
}

// Returns the shortest key that is greater than `left` and not greater than `right`, for an inner node.
EntryRef separator_of(std::string_view left, std::string_view right) {
  const auto differs = std::ranges::mismatch(left, right).in2;
  return Entry::make(std::string_view(right.begin(), differs + 1), {});
}

}  // namespace

Ref<const Entry> Entry::make(std::string_view key, std::string_view value) {
  constexpr std::size_t kBytesMax = std::numeric_limits<std::uint32_t>::max();
  TAVOLA_ASSERT(key.size() <= kBytesMax);
  TAVOLA_ASSERT(value.size() <= kBytesMax);
  void* memory = ::operator new(sizeof(Entry) + key.size() + value.size());
  auto* entry =
      new (memory) Entry(static_cast<std::uint32_t>(key.size()), static_cast<std::uint32_t>(value.size()));
  char* bytes = static_cast<char*>(memory) + sizeof(Entry);
  std::ranges::copy(value, std::ranges::copy(key, bytes).out);
  return EntryRef::adopt(entry);
}

void Entry::free(const Entry* entry) {
  entry->~Entry();
  ::operator delete(const_cast<Entry*>(entry));
}

struct Tree::Leaf : Node {
  Leaf() : Node(true) {}
  std::array<EntryRef, kFanout> entries;
};

struct Tree::Inner : Node {
  Inner() : Node(false) {}
  std::array<EntryRef, kFanout> keys;
  std::array<Ref<Node>, kFanout> children;
};

void Tree::Node::free(Node* node) {
  if (node->is_leaf) {
    delete static_cast<Leaf*>(node);
  } else {
    delete static_cast<Inner*>(node);  // recursion is as deep as the tree is high
  }
}

// The new right neighbour of a full node and the key between the two; empty if the node was not full.
struct Tree::Split {
  EntryRef key;
  Ref<Node> right;
};

std::uint32_t Tree::position_of(const Leaf& leaf, std::string_view key) {
  const auto end = leaf.entries.begin() + leaf.count;
  const auto at = std::ranges::lower_bound(leaf.entries.begin(), end, key, {},
                                           [](const EntryRef& e) { return e->key(); });
  return static_cast<std::uint32_t>(at - leaf.entries.begin());
}

std::uint32_t Tree::child_of(const Inner& inner, std::string_view key) {
  const auto end = inner.keys.begin() + inner.count;
  const auto after = std::ranges::upper_bound(inner.keys.begin() + 1, end, key, {},
                                              [](const EntryRef& e) { return e->key(); });
  return static_cast<std::uint32_t>(after - inner.keys.begin() - 1);
}

const Entry* Tree::find(std::string_view key) const {
  const Node* node = root_.get();
  if (node == nullptr) return nullptr;
  while (!node->is_leaf) {
    const auto& inner = static_cast<const Inner&>(*node);
    node = inner.children[child_of(inner, key)].get();
  }
  const auto& leaf = static_cast<const Leaf&>(*node);
  const std::uint32_t at = position_of(leaf, key);
  if (at == leaf.count || leaf.entries[at]->key() != key) return nullptr;
  return leaf.entries[at].get();
}

// The caller is the only owner of the parent, so a node with one reference is visible through this tree only.
void Tree::make_own(Ref<Node>& node) {
  if (node.is_only()) return;
  if (node->is_leaf) {
    node = Ref<Node>::adopt(new Leaf(static_cast<const Leaf&>(*node)));
  } else {
    node = Ref<Node>::adopt(new Inner(static_cast<const Inner&>(*node)));
  }
}

void Tree::put(EntryRef entry) {
  if (!root_) root_ = Ref<Node>::adopt(new Leaf);
  Split split = put_into(root_, std::move(entry));
  if (!split.right) return;
  auto* root = new Inner;
  root->count = 2;
  root->children[0] = std::move(root_);
  root->children[1] = std::move(split.right);
  root->keys[1] = std::move(split.key);
  root_ = Ref<Node>::adopt(root);
}

Tree::Split Tree::put_into(Ref<Node>& node, EntryRef entry) {
  make_own(node);
  if (node->is_leaf) return put_into_leaf(static_cast<Leaf&>(*node), std::move(entry));
  auto& inner = static_cast<Inner&>(*node);
  const std::uint32_t at = child_of(inner, entry->key());
  Split split = put_into(inner.children[at], std::move(entry));
  if (!split.right) return {};
  return add_child(inner, at + 1, std::move(split));
}

Tree::Split Tree::put_into_leaf(Leaf& leaf, EntryRef entry) {
  const std::uint32_t at = position_of(leaf, entry->key());
  if (at < leaf.count && leaf.entries[at]->key() == entry->key()) {
    leaf.entries[at] = std::move(entry);
    return {};
  }
  if (leaf.count < kFanout) {
    shift_right(leaf.entries, at, leaf.count);
    leaf.entries[at] = std::move(entry);
    ++leaf.count;
    return {};
  }
  // Keys in ascending order leave full leaves; others leave halves.
  const std::uint32_t kept = at == kFanout ? kFanout : kFanout / 2;
  auto* right = new Leaf;
  right->count = kFanout - kept;
  std::move(leaf.entries.begin() + kept, leaf.entries.end(), right->entries.begin());
  leaf.count = kept;
  Ref<Node> owner = Ref<Node>::adopt(right);
  at > kept || right->count == 0 ? put_into_leaf(*right, std::move(entry))
                                 : put_into_leaf(leaf, std::move(entry));
  return {separator_of(leaf.entries[leaf.count - 1]->key(), right->entries[0]->key()), std::move(owner)};
}

Tree::Split Tree::add_child(Inner& inner, std::uint32_t at, Split child) {
  if (inner.count < kFanout) {
    shift_right(inner.keys, at, inner.count);
    shift_right(inner.children, at, inner.count);
    inner.keys[at] = std::move(child.key);
    inner.children[at] = std::move(child.right);
    ++inner.count;
    return {};
  }
  const std::uint32_t kept = at == kFanout ? kFanout - 1 : kFanout / 2;
  auto* right = new Inner;
  Split split{inner.keys[kept], Ref<Node>::adopt(right)};
  right->count = kFanout - kept;
  std::move(inner.keys.begin() + kept, inner.keys.end(), right->keys.begin());
  std::move(inner.children.begin() + kept, inner.children.end(), right->children.begin());
  inner.count = kept;
  right->keys[0] = {};
  // at == kept would make the new child the first of the right half, whose key is unused: it goes to the left.
  at > kept ? add_child(*right, at - kept, std::move(child)) : add_child(inner, at, std::move(child));
  return split;
}

void Tree::erase(std::string_view key) {
  if (find(key) == nullptr) return;
  erase_from(root_, key);
  lower_root();
}

void Tree::erase_from(Ref<Node>& node, std::string_view key) {
  make_own(node);
  if (!node->is_leaf) {
    auto& inner = static_cast<Inner&>(*node);
    Ref<Node>& child = inner.children[child_of(inner, key)];
    erase_from(child, key);
    if (!child) drop_empty_children(node);
    return;
  }
  auto& leaf = static_cast<Leaf&>(*node);
  const std::uint32_t at = position_of(leaf, key);
  std::move(leaf.entries.begin() + at + 1, leaf.entries.begin() + leaf.count, leaf.entries.begin() + at);
  leaf.entries[--leaf.count] = {};
  if (leaf.count == 0) node = {};
}

void Tree::erase_range(std::string_view from, std::string_view to) {
  if (!root_ || (!to.empty() && to <= from)) return;
  erase_range_from(root_, from, to);
  lower_root();
}

void Tree::erase_range_from(Ref<Node>& node, std::string_view from, std::string_view to) {
  make_own(node);
  if (!node->is_leaf) {
    auto& inner = static_cast<Inner&>(*node);
    const std::uint32_t first = child_of(inner, from);
    const std::uint32_t last = to.empty() ? inner.count - 1 : child_of(inner, to);
    for (std::uint32_t i = first + 1; i < last; ++i) inner.children[i] = {};
    erase_range_from(inner.children[first], from, to);
    if (last != first) erase_range_from(inner.children[last], from, to);
    drop_empty_children(node);
    return;
  }
  auto& leaf = static_cast<Leaf&>(*node);
  const std::uint32_t first = position_of(leaf, from);
  const std::uint32_t last = to.empty() ? leaf.count : position_of(leaf, to);
  const auto end =
      std::move(leaf.entries.begin() + last, leaf.entries.begin() + leaf.count, leaf.entries.begin() + first);
  std::fill(end, leaf.entries.begin() + leaf.count, EntryRef{});
  leaf.count = static_cast<std::uint32_t>(end - leaf.entries.begin());
  if (leaf.count == 0) node = {};
}

void Tree::drop_empty_children(Ref<Node>& node) {
  auto& inner = static_cast<Inner&>(*node);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < inner.count; ++i) {
    if (!inner.children[i]) continue;
    if (i != kept) {
      inner.keys[kept] = std::move(inner.keys[i]);
      inner.children[kept] = std::move(inner.children[i]);
    }
    ++kept;
  }
  for (std::uint32_t i = kept; i < inner.count; ++i) inner.keys[i] = {};
  inner.count = kept;
  if (kept == 0) node = {};
}

void Tree::lower_root() {
  while (root_ && !root_->is_leaf && root_->count == 1) {
    Ref<Node> child = static_cast<Inner&>(*root_).children[0];
    root_ = std::move(child);
  }
}

Tree::Walk Tree::Walk::forward(const Tree& tree, std::string_view from) {
  Walk walk;
  if (!tree.root_) return walk;
  walk.descend(tree.root_.get(), from);
  const Step& leaf = walk.path_[walk.height_ - 1];
  if (leaf.index == leaf.node->count) walk.next();
  return walk;
}

Tree::Walk Tree::Walk::backward(const Tree& tree, std::string_view to) {
  Walk walk;
  if (!tree.root_) return walk;
  if (to.empty()) {
    walk.descend_to_edge(tree.root_.get(), Direction::Backward);
  } else {
    walk.descend(tree.root_.get(), to);
    walk.previous();
  }
  return walk;
}

const Entry* Tree::Walk::entry() const {
  if (height_ == 0) return nullptr;
  const Step& leaf = path_[height_ - 1];
  return static_cast<const Leaf*>(leaf.node)->entries[leaf.index].get();
}

void Tree::Walk::next() {
  while (height_ > 0) {
    Step& step = path_[height_ - 1];
    if (step.index + 1 < step.node->count) {
      ++step.index;
      if (!step.node->is_leaf) {
        descend_to_edge(static_cast<const Inner*>(step.node)->children[step.index].get(), Direction::Forward);
      }
      return;
    }
    --height_;
  }
}

void Tree::Walk::previous() {
  while (height_ > 0) {
    Step& step = path_[height_ - 1];
    if (step.index > 0) {
      --step.index;
      if (!step.node->is_leaf) {
        descend_to_edge(static_cast<const Inner*>(step.node)->children[step.index].get(),
                        Direction::Backward);
      }
      return;
    }
    --height_;
  }
}

void Tree::Walk::descend(const Node* node, std::string_view key) {
  while (!node->is_leaf) {
    const auto* inner = static_cast<const Inner*>(node);
    push(node, child_of(*inner, key));
    node = inner->children[path_[height_ - 1].index].get();
  }
  push(node, position_of(static_cast<const Leaf&>(*node), key));
}

void Tree::Walk::descend_to_edge(const Node* node, Direction from) {
  const auto edge = [from](const Node& n) { return from == Direction::Forward ? 0 : n.count - 1; };
  for (; !node->is_leaf; node = static_cast<const Inner*>(node)->children[edge(*node)].get())
    push(node, edge(*node));
  push(node, edge(*node));
}

void Tree::Walk::push(const Node* node, std::uint32_t index) {
  TAVOLA_ASSERT(height_ < kHeightMax);
  path_[height_++] = {node, index};
}

}  // namespace tavola::store
