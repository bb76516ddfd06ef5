#include "expr/evaluate/update_values.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "value/key_codec.h"

namespace tavola::expr {

namespace {

constexpr std::string_view kOnlyAttribute = "v";

}  // namespace

Result<Edit> UpdateValues::edit(std::size_t index) {
  const ast::Action& action = tree_.actions[index];
  const BoundPath& path = bindings_.paths[index];
  if (!action.value) return Edit{&path, std::nullopt};  // REMOVE
  TAVOLA_TRY(const ValueView operand, evaluate(*action.value));
  if (action.section == ast::Section::Set) return Edit{&path, operand};
  const std::optional<ValueView> current = follow(before_, action.path, bindings_.names);
  if (action.section == ast::Section::Add) {
    if (!current) return Edit{&path, operand};
    TAVOLA_TRY(const ValueView sum, add(*current, operand));
    return Edit{&path, sum};
  }
  if (!current) return Edit{&path, std::nullopt};
  TAVOLA_TRY(const std::optional<ValueView> rest, remove_elements(*current, operand));
  return Edit{&path, rest};
}

Result<ValueView> UpdateValues::evaluate(const ast::Operand& operand) {
  if (const auto* value = std::get_if<ast::ValueSlot>(&operand.form)) return bindings_.values[value->slot];
  if (const auto* call = std::get_if<ast::Call>(&operand.form)) return evaluate(*call);
  const auto found = follow(before_, std::get<ast::Path>(operand.form), bindings_.names);
  if (!found) return fail(messages::missing_attribute());
  return *found;
}

Result<ValueView> UpdateValues::evaluate(const ast::Call& call) {
  if (call.function == Function::IfNotExists) {
    const auto& path = std::get<ast::Path>(call.operands[0].form);
    if (const auto found = follow(before_, path, bindings_.names)) return *found;
    return evaluate(call.operands[1]);
  }
  TAVOLA_TRY(const ValueView first, evaluate(call.operands[0]));
  TAVOLA_TRY(const ValueView second, evaluate(call.operands[1]));
  if (call.function == Function::ListAppend) return append_lists(first, second);
  return add_numbers(first, second, call.function);
}

Result<ValueView> UpdateValues::add_numbers(ValueView a, ValueView b, Function function) {
  if (a.type() != Type::Number || b.type() != Type::Number) return fail(wrong_type());
  const Number left = a.number();
  const Number right = b.number();
  TAVOLA_TRY(const Number sum, function == Function::Minus ? left - right : left + right);
  return keep_number(sum);
}

Result<ValueView> UpdateValues::append_lists(ValueView a, ValueView b) {
  if (a.type() != Type::List || b.type() != Type::List) return fail(wrong_type());
  ItemWriter writer;
  writer.name(kOnlyAttribute);
  writer.begin_list();
  for (const ValueView element : a.list()) writer.value(element);
  for (const ValueView element : b.list()) writer.value(element);
  writer.end();
  return keep(std::move(writer));
}

// ADD: numbers are summed, sets united. AttributeUpdates also joins lists.
Result<ValueView> UpdateValues::add(ValueView current, ValueView operand) {
  if (current.type() != operand.type()) return fail(wrong_type());
  if (operand.type() == Type::Number) return add_numbers(current, operand, Function::Plus);
  if (operand.type() == Type::List) return append_lists(current, operand);
  if (!is_set(operand.type())) return fail(wrong_type());
  std::vector<std::string_view> elements;
  const SetView a = current.set();
  const SetView b = operand.set();
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(elements));
  ItemWriter writer;
  writer.name(kOnlyAttribute);
  writer.begin_set(operand.type());
  for (const std::string_view element : elements) writer.set_element(element);
  writer.end();
  return keep(std::move(writer));
}

// DELETE: an emptied set becomes no value.
Result<std::optional<ValueView>> UpdateValues::remove_elements(ValueView current, ValueView operand) {
  if (current.type() != operand.type() || !is_set(operand.type())) return fail(wrong_type());
  std::vector<std::string_view> elements;
  const SetView a = current.set();
  const SetView b = operand.set();
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(elements));
  if (elements.empty()) return std::nullopt;
  ItemWriter writer;
  writer.name(kOnlyAttribute);
  writer.begin_set(operand.type());
  for (const std::string_view element : elements) writer.set_element(element);
  writer.end();
  return keep(std::move(writer));
}

ValueView UpdateValues::keep_number(const Number& number) {
  std::string& bytes = numbers_.emplace_back(1, static_cast<char>(Type::Number));
  append_ordered_number(bytes, number);
  return ValueView(bytes);
}

ValueView UpdateValues::keep(ItemWriter&& writer) {
  return (*values_.emplace_back(std::move(writer).finish()).view().begin()).second;
}

Error UpdateValues::wrong_type() const {
  return tree_.older_parameters ? messages::legacy_type_mismatch() : messages::operand_data_type();
}

}  // namespace tavola::expr
