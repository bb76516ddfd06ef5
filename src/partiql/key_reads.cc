#include "partiql/key_reads.h"

#include <algorithm>

#include "base/overloaded.h"
#include "partiql/messages.h"

namespace tavola::partiql {
namespace {

using ast::Node;
using ast::Operand;
using Branch = std::vector<Node>;  // a conjunction

bool is_slot(const Operand& operand) { return std::holds_alternative<ast::ValueSlot>(operand.form); }

// Returns the first byte string after all that begin with `prefix`; nullopt if there is none.
std::optional<std::string> behind(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
  if (prefix.empty()) return std::nullopt;
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

// DynamoDB accepts one condition on the sort key. If there are several, the chosen one finds all items that they
// find, and they are applied to those items.
void choose_range(KeyRead& read, const std::vector<RangeTerm>& ranges, std::vector<Node> nodes) {
  using Op = RangeTerm::Op;
  if (ranges.empty()) return;
  read.range = ranges.front();
  if (ranges.size() == 1) return;
  std::ranges::move(nodes, std::back_inserter(read.remaining));
  const auto equal = std::ranges::find(ranges, Op::Equal, &RangeTerm::op);
  const auto& [low, high] = read.interval;
  if (equal != ranges.end()) {
    read.range = *equal;
  } else if (low && high && !high->is_prefix) {
    read.range = RangeTerm{Op::Between, low->value, high->value};
  }
}

void raise(Interval& interval, Interval::End end) {
  auto& low = interval.low;
  if (!low || end.bytes > low->bytes || (end.bytes == low->bytes && end.open)) low = std::move(end);
}

void lower(Interval& interval, Interval::End end) {
  auto& high = interval.high;
  if (!high || end.bytes < high->bytes || (end.bytes == high->bytes && end.open)) high = std::move(end);
}

bool overlap(const Interval& a, const Interval& b) {
  const auto before = [](const std::optional<Interval::End>& high, const std::optional<Interval::End>& low) {
    if (!high || !low) return false;
    return high->bytes < low->bytes || (high->bytes == low->bytes && (high->open || low->open));
  };
  return !before(a.high, b.low) && !before(b.high, a.low);
}

class KeyReads {
 public:
  KeyReads(const Key& key, Slots& slots) : key_(key), slots_(slots) {}

  // Returns whether every alternative of the condition gives the partition key.
  bool gives_hash(const Node& node) const {
    if (const auto* all = std::get_if<ast::And>(&node.form)) {
      return std::ranges::any_of(all->terms, [this](const Node& term) { return gives_hash(term); });
    }
    if (const auto* any = std::get_if<ast::Or>(&node.form)) {
      return std::ranges::all_of(any->terms, [this](const Node& term) { return gives_hash(term); });
    }
    if (const auto* in = std::get_if<ast::In>(&node.form)) {
      return is_key(in->value, key_.hash) && std::ranges::all_of(in->candidates, is_slot);
    }
    return hash_value(node) != nullptr;
  }

  Result<std::vector<KeyRead>> run(const Node& where) {
    TAVOLA_TRY(const std::vector<Branch> found, branches(where));
    std::vector<KeyRead> reads;
    for (const Branch& branch : found) {
      TAVOLA_TRY(std::optional<KeyRead> made, read(branch));
      if (made) reads.push_back(*std::move(made));
    }
    return apart(std::move(reads));
  }

 private:
  bool is_key(const Operand& operand, std::string_view attribute) const {
    const auto* path = std::get_if<ast::Path>(&operand.form);
    return path != nullptr && is_whole(*path) && attribute_of(*path, slots_) == attribute;
  }
  const Value& value_of(const Operand& operand) const {
    return slots_.value_at(std::get<ast::ValueSlot>(operand.form).slot);
  }
  bool looks_at_key(const Node& node) const {
    return std::ranges::any_of(attributes_of(node, slots_),
                               [this](const std::string& attribute) { return key_.has(attribute); });
  }
  bool looks_at_range(const Node& node) const {
    if (key_.range.empty()) return false;
    const std::vector<std::string> attributes = attributes_of(node, slots_);
    return std::ranges::find(attributes, key_.range) != attributes.end();
  }

  // ---- Branches ----

  // Splits the condition into alternatives. A part that reads no key stays whole: it is for a filter.
  Result<std::vector<Branch>> branches(const Node& node) {
    if (const auto* all = std::get_if<ast::And>(&node.form)) return product(all->terms);
    if (const auto* any = std::get_if<ast::Or>(&node.form); any != nullptr && looks_at_key(node)) {
      std::vector<Branch> found;
      for (const Node& term : any->terms) {
        TAVOLA_TRY(std::vector<Branch> some, branches(term));
        std::ranges::move(some, std::back_inserter(found));
        if (found.size() > kKeyReadsMax) return fail(messages::too_many_reads());
      }
      return found;
    }
    if (const auto* in = std::get_if<ast::In>(&node.form)) {
      const bool of_key =
          is_key(in->value, key_.hash) || (!key_.range.empty() && is_key(in->value, key_.range));
      if (of_key && std::ranges::all_of(in->candidates, is_slot)) return one_each(*in);
    }
    return std::vector<Branch>{Branch{node}};
  }

  static Result<std::vector<Branch>> one_each(const ast::In& in) {
    if (in.candidates.size() > kKeyReadsMax) return fail(messages::too_many_reads());
    std::vector<Branch> found;
    std::ranges::transform(in.candidates, std::back_inserter(found), [&](const Operand& candidate) {
      return Branch{Node{ast::Comparison{ast::Comparator::Equal, in.value, candidate}}};
    });
    return found;
  }

  Result<std::vector<Branch>> product(const std::vector<Node>& terms) {
    std::vector<Branch> found(1);
    for (const Node& term : terms) {
      TAVOLA_TRY(const std::vector<Branch> factors, branches(term));
      std::vector<Branch> longer;
      for (const Branch& branch : found) {
        for (const Branch& factor : factors) {
          longer.push_back(branch);
          std::ranges::copy(factor, std::back_inserter(longer.back()));
        }
      }
      if (longer.size() > kKeyReadsMax) return fail(messages::too_many_reads());
      found = std::move(longer);
    }
    return found;
  }

  // ---- One branch ----

  const Operand* hash_value(const Node& node) const { return equal_value(node, key_.hash); }

  const Operand* equal_value(const Node& node, std::string_view attribute) const {
    const auto* comparison = std::get_if<ast::Comparison>(&node.form);
    if (comparison == nullptr || comparison->comparator != ast::Comparator::Equal) return nullptr;
    if (is_key(comparison->left, attribute) && is_slot(comparison->right)) return &comparison->right;
    if (is_key(comparison->right, attribute) && is_slot(comparison->left)) return &comparison->left;
    return nullptr;
  }

  std::optional<RangeTerm> range_term(const Node& node) const {
    using Op = RangeTerm::Op;
    if (key_.range.empty()) return std::nullopt;
    if (const auto* comparison = std::get_if<ast::Comparison>(&node.form)) return compared(*comparison);
    if (const auto* between = std::get_if<ast::Between>(&node.form)) {
      if (!is_key(between->value, key_.range) || !is_slot(between->low) || !is_slot(between->high))
        return std::nullopt;
      return RangeTerm{Op::Between, between->low, between->high};
    }
    const auto* call = std::get_if<ast::Call>(&node.form);
    if (call == nullptr || call->function != expr::Function::BeginsWith) return std::nullopt;
    if (!is_key(call->operands[0], key_.range) || !is_slot(call->operands[1])) return std::nullopt;
    return RangeTerm{Op::BeginsWith, call->operands[1], call->operands[1]};
  }

  std::optional<RangeTerm> compared(const ast::Comparison& comparison) const {
    using Op = RangeTerm::Op;
    const bool path_first = is_key(comparison.left, key_.range) && is_slot(comparison.right);
    const bool value_first = is_key(comparison.right, key_.range) && is_slot(comparison.left);
    if (!path_first && !value_first) return std::nullopt;
    const Operand& value = path_first ? comparison.right : comparison.left;
    switch (comparison.comparator) {
      case ast::Comparator::Equal:
        return RangeTerm{Op::Equal, value, value};
      case ast::Comparator::Less:
        return RangeTerm{path_first ? Op::Less : Op::Greater, value, value};
      case ast::Comparator::LessEqual:
        return RangeTerm{path_first ? Op::LessEqual : Op::GreaterEqual, value, value};
      case ast::Comparator::Greater:
        return RangeTerm{path_first ? Op::Greater : Op::Less, value, value};
      case ast::Comparator::GreaterEqual:
        return RangeTerm{path_first ? Op::GreaterEqual : Op::LessEqual, value, value};
      case ast::Comparator::NotEqual:
        break;
    }
    return std::nullopt;
  }

  // Returns nullopt if no item can be found this way.
  Result<std::optional<KeyRead>> read(const Branch& branch) {
    KeyRead made;
    std::vector<RangeTerm> ranges;
    std::vector<Node> range_nodes;
    bool has_hash = false;
    for (const Node& term : branch) {
      if (const Operand* value = hash_value(term)) {
        if (value_of(*value).type() != key_.hash_type) return fail(messages::key_type(key_.hash));
        if (has_hash && value_of(*value) != value_of(made.hash)) return std::optional<KeyRead>();
        made.hash = *value;
        has_hash = true;
      } else if (const std::optional<RangeTerm> range = range_term(term)) {
        const bool fits = value_of(range->first).type() == key_.range_type &&
                          value_of(range->second).type() == key_.range_type;
        if (!fits) return fail(messages::key_type(key_.range));
        ranges.push_back(*range);
        range_nodes.push_back(term);
        narrow(made.interval, *range);
      } else {
        (looks_at_key(term) ? made.remaining : made.filter).push_back(term);
      }
    }
    if (made.interval.empty()) return std::optional<KeyRead>();
    choose_range(made, ranges, std::move(range_nodes));
    return std::optional(std::move(made));
  }

  void narrow(Interval& interval, const RangeTerm& term) const {
    using Op = RangeTerm::Op;
    const std::string first = ordered_bytes(value_of(term.first));
    switch (term.op) {
      case Op::Equal:
        raise(interval, {first, false, term.first});
        return lower(interval, {first, false, term.first});
      case Op::Between:
        raise(interval, {first, false, term.first});
        return lower(interval, {ordered_bytes(value_of(term.second)), false, term.second});
      case Op::Less:
      case Op::LessEqual:
        return lower(interval, {first, term.op == Op::Less, term.first});
      case Op::Greater:
      case Op::GreaterEqual:
        return raise(interval, {first, term.op == Op::Greater, term.first});
      case Op::BeginsWith:
        raise(interval, {first, false, term.first});
        if (auto end = behind(first)) lower(interval, {*std::move(end), true, term.first, true});
    }
  }

  // ---- All branches ----

  bool is_free(const KeyRead& read) const {
    return std::ranges::any_of(
        read.remaining, [this](const Node& term) { return looks_at_range(term) && !range_term(term); });
  }

  // Ensures that no item is found twice. AWS refuses overlaps, unless a condition on the sort key is not a key
  // condition (<>, NOT): then one read of the partition serves all of them.
  Result<std::vector<KeyRead>> apart(std::vector<KeyRead> reads) const {
    std::vector<KeyRead> made;
    std::vector<bool> done(reads.size());
    for (std::size_t i = 0; i < reads.size(); ++i) {
      if (done[i]) continue;
      std::vector<std::size_t> group;
      for (std::size_t j = i; j < reads.size(); ++j) {
        if (value_of(reads[j].hash) == value_of(reads[i].hash)) group.push_back(j);
      }
      const auto free = [&](std::size_t j) { return is_free(reads[j]); };
      if (group.size() > 1 && std::ranges::any_of(group, free)) {
        for (const std::size_t j : group) done[j] = true;
        made.push_back(joint(reads, group));
        continue;
      }
      for (const std::size_t j : group) {
        if (j != i && overlap(reads[i].interval, reads[j].interval)) return fail(messages::overlapping());
      }
      made.push_back(reads[i]);
    }
    return made;
  }

  // Returns one read of a partition, with a condition that holds if one of `group` does.
  KeyRead joint(const std::vector<KeyRead>& reads, const std::vector<std::size_t>& group) const {
    std::vector<Node> alternatives;
    for (const std::size_t j : group) {
      const KeyRead& read = reads[j];
      std::vector<Node> terms = read.remaining;
      std::ranges::copy(read.filter, std::back_inserter(terms));
      if (read.range) terms.push_back(as_node(*read.range));
      if (terms.empty()) return {.hash = read.hash};  // it reads the whole partition
      alternatives.push_back(all_of(std::move(terms)));
    }
    KeyRead made{.hash = reads[group.front()].hash};
    made.remaining.push_back(any_of(std::move(alternatives)));
    return made;
  }

  Node as_node(const RangeTerm& term) const { return range_node(term, key_, slots_); }

  const Key& key_;
  Slots& slots_;
};

}  // namespace

Node range_node(const RangeTerm& term, const Key& key, Slots& slots) {
  using Op = RangeTerm::Op;
  Operand path{slots.path(key.range)};
  if (term.op == Op::Between) return {ast::Between{std::move(path), term.first, term.second}};
  if (term.op == Op::BeginsWith) {
    ast::Call call{expr::Function::BeginsWith, {}};
    call.operands.push_back(std::move(path));
    call.operands.push_back(term.first);
    return {std::move(call)};
  }
  const auto comparator = [&] {
    switch (term.op) {
      case Op::Less:
        return ast::Comparator::Less;
      case Op::LessEqual:
        return ast::Comparator::LessEqual;
      case Op::Greater:
        return ast::Comparator::Greater;
      case Op::GreaterEqual:
        return ast::Comparator::GreaterEqual;
      default:
        return ast::Comparator::Equal;
    }
  };
  return {ast::Comparison{comparator(), std::move(path), term.first}};
}

std::string ordered_bytes(const Value& value) {
  ItemWriter writer;
  writer.name("v");
  writer.value(value);
  const PackedItem packed = std::move(writer).finish();
  const std::optional<ValueView> packed_value = packed.find("v");
  return packed_value ? std::string(packed_value->ordered_bytes()) : std::string();
}

Result<std::optional<std::vector<KeyRead>>> key_reads(const Node& where, const Key& key, Slots& slots) {
  KeyReads reads(key, slots);
  if (!reads.gives_hash(where)) return std::optional<std::vector<KeyRead>>();
  TAVOLA_TRY(std::vector<KeyRead> made, reads.run(where));
  return std::optional(std::move(made));
}

bool Interval::empty() const {
  if (!low || !high) return false;
  return high->bytes < low->bytes || (high->bytes == low->bytes && (high->open || low->open));
}

}  // namespace tavola::partiql
