// The writes of one transaction while they are collected: one for each item, as DynamoDB wants it.
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
  bool of_step = false;  // asked for by a step, and not only a consequence
  Item key;
  Item item;                    // of a Put: all of it
  expr::ExpressionParts parts;  // of the operands and the causes
  Item set;                     // attribute → value
  std::map<std::string, std::string, std::less<>>
      computed;  // attribute → operand, which the database computes
  std::set<std::string, std::less<>> removed;
  std::map<std::string, Number, std::less<>> add;
  std::vector<Cause> causes;
  std::string contradiction;  // an attribute that would become two things at once

  // Nothing may stand for one attribute twice, unless it is the same.
  void set_value(const std::string& attribute, const Value& value);
  void set_operand(const std::string& attribute, std::string operand);
  void remove(const std::string& attribute);
};

class PendingWrites {
 public:
  explicit PendingWrites(const Table& table) : table_(table) {}

  // The write of the item with this key, for a step. A check becomes whatever else is done with the item, and so does what
  // was a consequence of another step. Two updates become one. Fails when two other writes of one item are asked for.
  Result<PendingWrite*> on(PendingWrite::Kind kind, const Item& key);
  // Null when nothing is done with the item so far.
  PendingWrite* find(const Item& key);
  // Of a copy. What is written stays, whoever else had it deleted: it moved there.
  Result<void> put_copy(const Item& key, Item item);
  Result<void> delete_copy(const Item& key);
  // Adds to a number of an item that must be there; nothing when the item is deleted. `if_missing` tells what it means
  // that it is not there.
  Result<void> add_number(const Item& key, const std::string& attribute, const Number& by, Cause if_missing);

  Result<std::vector<Action>> finish() &&;

 private:
  PendingWrite& make(PendingWrite::Kind kind, const Item& key);
  Result<std::optional<Action>> finish(PendingWrite& write) const;

  const Table& table_;
  std::deque<PendingWrite> writes_;
};

// "attribute_exists(#n0)" of the table's hash key: there is such an item.
std::string exists_condition(const Table& table, expr::ExpressionParts& parts);
std::string absent_condition(const Table& table, expr::ExpressionParts& parts);

}  // namespace tavola::design
