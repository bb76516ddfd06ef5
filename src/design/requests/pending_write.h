// The writes of one transaction while they are collected: one for each item, as DynamoDB requires.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/model/model.h"
#include "design/requests/operation_plan.h"
#include "expr/rules/rule.h"

namespace tavola::design {

struct PendingWrite {
  enum class Kind : std::uint8_t { Check, Put, Update, Delete };
  Kind kind = Kind::Check;
  bool of_step = false;  // wanted by a step, and not only a dependent write
  Item key;
  Item item;                    // of a Put: the whole item
  expr::ExpressionParts parts;  // of the operands and the causes
  Item set;                     // attribute → value
  std::map<std::string, std::string, std::less<>>
      computed;  // attribute → operand, which the database computes
  std::set<std::string, std::less<>> removed;
  std::map<std::string, Number, std::less<>> add;
  bool adds_zeros = false;  // creates attributes that are missing
  std::vector<Cause> causes;
  std::string contradiction;  // an attribute that would get two values

  // Records a contradiction if the attribute already has another value.
  void set_value(const std::string& attribute, const Value& value);
  void set_operand(const std::string& attribute, std::string operand);
  void remove(const std::string& attribute);
};

class PendingWrites {
 public:
  explicit PendingWrites(const Table& table) : table_(table) {}

  // Returns the write of the item with this key, for a step. A check or a dependent write of another step becomes the
  // new kind of write. Two updates become one. Fails if two other writes of one item are wanted.
  Result<PendingWrite*> on(PendingWrite::Kind kind, const Item& key);
  // Returns null if the item has no write so far.
  PendingWrite* find(const Item& key);
  // Puts a copy. A put wins over a deletion by another step: the copy moved there.
  Result<void> put_copy(const Item& key, Item item);
  Result<void> delete_copy(const Item& key);
  // Adds to a number of an item that must exist; does nothing if the item is deleted. `if_missing` is the cause of a
  // failure if the item is missing.
  Result<void> add_number(const Item& key, const std::string& attribute, const Number& by, Cause if_missing);

  // Adds to numbers of an item that becomes `item` if it is missing.
  Result<void> add_created(const Item& key, const Item& item,
                           const std::map<std::string, Number, std::less<>>& numbers);

  // Notes an item that must be read before the writes can be planned.
  void want(Read read) { unread_.push_back(std::move(read)); }
  const std::vector<Read>& unread() const { return unread_; }

  Result<std::vector<Action>> finish() &&;

 private:
  PendingWrite& make(PendingWrite::Kind kind, const Item& key);
  Result<std::optional<Action>> finish(PendingWrite& write) const;

  const Table& table_;
  std::deque<PendingWrite> writes_;
  std::vector<Read> unread_;
};

// Returns "attribute_exists(#n0)" with the table's partition key: the item exists.
std::string exists_condition(const Table& table, expr::ExpressionParts& parts);
std::string absent_condition(const Table& table, expr::ExpressionParts& parts);

}  // namespace tavola::design
