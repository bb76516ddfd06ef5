#include <algorithm>
#include <iterator>

#include "tests/model/generator.h"

namespace tavola::model {
namespace {

bool is_ordered(const Value& value) {
  return value.is_string() || value.is_number() || value.type() == Type::Binary;
}

bool may_be_unicode(const std::string& attribute) {
  return attribute == "u" || attribute == "pk" || attribute == "sk" || attribute[0] == 'g' ||
         attribute[0] == 'k';
}

}  // namespace

bool matches(const RangeTerm& term, const Item& item) {
  const Value& value = item.at(term.attribute);
  const std::partial_ordering order = order_of(value, term.values[0]);
  switch (term.kind) {
    case RangeTerm::Kind::Equal:
      return order == 0;
    case RangeTerm::Kind::Less:
      return order < 0;
    case RangeTerm::Kind::LessOrEqual:
      return order <= 0;
    case RangeTerm::Kind::Greater:
      return order > 0;
    case RangeTerm::Kind::GreaterOrEqual:
      return order >= 0;
    case RangeTerm::Kind::Between:
      return order >= 0 && order_of(value, term.values[1]) <= 0;
    default:
      return holds(
          {.kind = Condition::Kind::BeginsWith, .path = {term.attribute}, .values = {term.values[0]}}, item);
  }
}

// ---- Conditions ----

Path Generator::path_below(const std::string& head) {
  if (head == "m" && random_.chance(70)) {
    switch (random_.below(4)) {
      case 0:
        return {head, {"x"}};
      case 1:
        return {head, {"y"}};
      case 2:
        return {head, {"z", "w"}};
      default:
        return {head, {"z", "l", random_.below(3)}};
    }
  }
  if (head == "l" && random_.chance(70)) {
    Path path{head, {random_.below(4)}};
    if (random_.chance(25)) path.steps.emplace_back("w");
    return path;
  }
  return {head};
}

Condition Generator::leaf(const std::vector<std::string>& heads, const Item* stored) {
  using Kind = Condition::Kind;
  static const std::vector<Kind> all_kinds{
      Kind::Compare, Kind::Compare, Kind::Compare,   Kind::ComparePaths, Kind::CompareSize, Kind::Between,
      Kind::In,      Kind::Exists,  Kind::NotExists, Kind::TypeIs,       Kind::BeginsWith,  Kind::Contains};
  static const std::vector<std::string> all_types{"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"};
  Condition leaf{.kind = random_.pick(all_kinds), .path = path_below(random_.pick(heads))};
  const Value* found = stored == nullptr ? nullptr : find(*stored, leaf.path);
  const auto operand = [&] { return found != nullptr && random_.chance(60) ? *found : scalar(); };
  leaf.comparison = static_cast<Comparison>(random_.below(6));
  switch (leaf.kind) {
    case Kind::Compare:
      leaf.values = {operand()};
      if (!is_ordered(leaf.values[0])) leaf.comparison = static_cast<Comparison>(random_.below(2));
      break;
    case Kind::ComparePaths:
      leaf.other = {random_.pick(heads)};
      if (leaf.other.head == leaf.path.head) leaf.kind = Kind::Exists;  // AWS requires two different operands
      // It is not documented whether two missing attributes differ.
      if (leaf.comparison == Comparison::NotEqual) leaf.comparison = Comparison::Equal;
      break;
    case Kind::CompareSize:
      if (may_be_unicode(leaf.path.head)) {  // bytes or characters: the guide does not specify it
        leaf.kind = Kind::Exists;
        break;
      }
      leaf.values = {Value(random_.between(0, 5))};
      if (leaf.comparison == Comparison::NotEqual) leaf.comparison = Comparison::GreaterOrEqual;
      break;
    case Kind::Between: {
      Value low = operand();
      if (!is_ordered(low)) low = Value(small_number());
      Value high = low.is_number()   ? Value(small_number())
                   : low.is_string() ? Value(random_.letters(3))
                                     : Value(Binary{random_.letters(2)});
      if (order_of(high, low) < 0) std::swap(low, high);
      leaf.values = {std::move(low), std::move(high)};
      break;
    }
    case Kind::In:
      for (std::size_t i = 1 + random_.below(4); i > 0; --i) leaf.values.push_back(operand());
      break;
    case Kind::TypeIs:
      leaf.values = {random_.pick(all_types)};
      break;
    case Kind::BeginsWith:
      leaf.values = {random_.chance(80) ? Value(random_.letters(random_.below(2)))
                                        : Value(Binary{random_.letters(1)})};
      break;
    case Kind::Contains:
      leaf.values = {random_.chance(50) ? Value(random_.between(0, 7)) : Value(random_.letters(1))};
      break;
    default:
      break;
  }
  return leaf;
}

Condition Generator::condition_on(const std::vector<std::string>& heads, const Item* stored, int depth) {
  if (depth == 0 || random_.chance(55)) return leaf(heads, stored);
  Condition whole;
  if (random_.chance(25)) {
    whole.kind = Condition::Kind::Not;
    whole.operands.push_back(condition_on(heads, stored, depth - 1));
    return whole;
  }
  whole.kind = random_.chance(50) ? Condition::Kind::And : Condition::Kind::Or;
  for (std::size_t i = 2 + random_.below(2); i > 0; --i) {
    whole.operands.push_back(condition_on(heads, stored, depth - 1));
  }
  return whole;
}

Condition Generator::condition(const ModelTable& table, const Item* stored) {
  if (random_.chance(20)) {
    return {.kind = random_.chance(50) ? Condition::Kind::Exists : Condition::Kind::NotExists,
            .path = {table.key_attributes().front()}};
  }
  std::vector<std::string> heads = data_attributes();
  for (const AttributeDefinition& definition : table.shape().attribute_definitions) {
    if (definition.name != "n1") heads.push_back(definition.name);
  }
  return condition_on(heads, stored, 2);
}

WriteTerms Generator::terms(const ModelTable& table, const Item* stored,
                            const std::vector<ReturnValues>& choices) {
  WriteTerms terms{.return_values = random_.pick(choices)};
  if (random_.chance(35)) terms.condition = condition(table, stored);
  if (random_.chance(50)) terms.on_failure = ReturnValuesOnConditionCheckFailure::AllOld;
  return terms;
}

// ---- Updates ----

Operand Generator::number_operand() {
  static const std::vector<Path> all_paths{
      {"n1"}, {"n2"}, {"d.ot"}, {"a"}, {"m", {"x"}}, {"m", {"z", "w"}}, {"l", {0UL}}};
  switch (random_.below(3)) {
    case 0:
      return {.kind = Operand::Kind::Literal, .value = small_number()};
    case 1:
      return {.kind = Operand::Kind::Attribute, .path = random_.pick(all_paths)};
    default:
      return {.kind = Operand::Kind::IfNotExists, .path = random_.pick(all_paths), .value = small_number()};
  }
}

Action Generator::set_action(Path path, Value literal) {
  using Kind = Operand::Kind;
  static const std::vector<std::string> all_sources{"n1", "n2", "a", "s", "m", "l", "Status", "flag"};
  const Kind kind = std::vector{Kind::Literal, Kind::Literal, Kind::Literal, Kind::Attribute,
                                Kind::IfNotExists}[random_.below(5)];
  Path source = kind == Kind::IfNotExists ? path : path_below(random_.pick(all_sources));
  return {.kind = Action::Kind::Set,
          .path = std::move(path),
          .left = {.kind = kind, .path = std::move(source), .value = std::move(literal)}};
}

void Generator::add_map_actions(Update& update, const std::string& head) {
  for (const Path& path : {Path{head, {"x"}}, Path{head, {"y"}}, Path{head, {"z", "w"}}, Path{head, {"q"}}}) {
    if (!random_.chance(40)) continue;
    switch (random_.below(4)) {
      case 0:
        update.push_back({.kind = Action::Kind::Remove, .path = path});
        break;
      case 1:
        if (random_.chance(30)) {
          update.push_back({.kind = Action::Kind::Add, .path = path, .left = {.value = small_number()}});
          break;
        }
        update.push_back({.kind = random_.chance(50) ? Action::Kind::SetSum : Action::Kind::SetMinus,
                          .path = path,
                          .left = number_operand(),
                          .right = number_operand()});
        break;
      default:
        update.push_back(set_action(path, scalar()));
        break;
    }
  }
}

void Generator::add_list_actions(Update& update, const std::string& head) {
  if (random_.chance(40)) {
    Operand list{.kind = random_.chance(50) ? Operand::Kind::Attribute : Operand::Kind::IfNotExists,
                 .path = {head},
                 .value = List{}};
    Operand more{.kind = Operand::Kind::Literal, .value = List{scalar(), scalar()}};
    if (random_.chance(30)) std::swap(list, more);
    update.push_back({.kind = Action::Kind::SetAppend, .path = {head}, .left = list, .right = more});
    return;
  }
  std::vector<std::size_t> indexes{0, 1, 2, 3, 5, 9};
  random_.shuffle(indexes);
  for (std::size_t i = 1 + random_.below(3); i > 0; --i) {
    const Path path{head, {indexes[i]}};
    if (random_.chance(40)) {
      update.push_back({.kind = Action::Kind::Remove, .path = path});
    } else {
      update.push_back(set_action(path, scalar()));
    }
  }
}

void Generator::add_actions(Update& update, const ModelTable& table, const std::string& head) {
  const Path path{head};
  if (random_.chance(15)) {
    update.push_back({.kind = Action::Kind::Remove, .path = path});
  } else if (head == "m" && random_.chance(75)) {
    add_map_actions(update, head);
  } else if (head == "l" && random_.chance(80)) {
    add_list_actions(update, head);
  } else if ((head == "ss" || head == "ns" || head == "bs") && random_.chance(80)) {
    const Type type = head == "ss" ? Type::StringSet : head == "ns" ? Type::NumberSet : Type::BinarySet;
    update.push_back({.kind = random_.chance(55) ? Action::Kind::Add : Action::Kind::DeleteFrom,
                      .path = path,
                      .left = {.value = set_of(type)}});
  } else if (random_.chance(head == "n1" || head == "n2" || head == "d.ot" || head == "a" ? 70
                            : head[0] == 'g' || head[0] == 'k'                            ? 5
                                                                                          : 0)) {
    if (random_.chance(40)) {
      update.push_back({.kind = Action::Kind::Add, .path = path, .left = {.value = small_number()}});
    } else {
      update.push_back({.kind = random_.chance(50) ? Action::Kind::SetSum : Action::Kind::SetMinus,
                        .path = path,
                        .left = number_operand(),
                        .right = number_operand()});
    }
  } else if (head == "x" || ((head[0] == 'g' || head[0] == 'k') && random_.chance(85))) {
    // Extreme numbers stay out of sums; index keys mostly keep their type.
    update.push_back({.kind = Action::Kind::Set, .path = path, .left = {.value = value_for(&table, head)}});
  } else {
    update.push_back(set_action(path, value_for(&table, head)));
  }
}

Update Generator::update(const ModelTable& table, const Item* stored) {
  Update update;
  if (random_.chance(3)) return update;  // no UpdateExpression: creates the item if missing
  std::vector<std::string> heads = data_attributes();
  for (const AttributeDefinition& definition : table.shape().attribute_definitions) {
    if (std::ranges::find(table.key_attributes(), definition.name) == table.key_attributes().end() &&
        definition.name != "n1") {
      heads.push_back(definition.name);
      heads.push_back(definition.name);
    }
  }
  random_.shuffle(heads);
  std::vector<std::string> chosen;
  for (std::size_t i = 1 + random_.below(4); i > 0; --i) {
    if (std::ranges::find(chosen, heads[i]) == chosen.end()) chosen.push_back(heads[i]);
  }
  for (const std::string& head : chosen) add_actions(update, table, head);
  if (stored == nullptr) {
    // The effect of REMOVE m.x beside a SET on a missing item is not documented.
    std::erase_if(update, [](const Action& action) {
      return action.kind == Action::Kind::Remove && !action.path.steps.empty();
    });
  }
  return update;
}

// ---- Reads ----

std::vector<Path> Generator::projection(const std::vector<std::string>& heads) {
  std::vector<Path> paths;
  for (const std::string& head : heads) {
    if (!random_.chance(25)) continue;
    if (head == "m" && random_.chance(70)) {
      for (const Path& path :
           {Path{head, {"x"}}, Path{head, {"y"}}, Path{head, {"z", "w"}}, Path{head, {"z", "l", 1UL}}}) {
        if (random_.chance(50)) paths.push_back(path);
      }
    } else if (head == "l" && random_.chance(70)) {
      for (const std::size_t index : {2UL, 0UL, 7UL}) {
        if (random_.chance(50)) paths.push_back({head, {index}});
      }
    } else {
      paths.push_back({head});
    }
  }
  if (paths.empty()) paths.push_back({heads.front()});
  random_.shuffle(paths);
  return paths;
}

ReadTerms Generator::read_terms(const ModelTable& table, const IndexShape* index, FilterOn filter_on) {
  ReadTerms terms;
  const bool global = index != nullptr && index->global;
  const auto projected = table.projected(index);
  std::vector<std::string> within = projected ? *projected : data_attributes();
  const std::vector<std::string> keys = table.schema(index);
  std::vector<std::string> all = data_attributes();
  for (const std::string& name : table.start_key_attributes(index)) {
    if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  }
  if (filter_on == FilterOn::OtherAttributes) {
    std::erase_if(within,
                  [&](const std::string& name) { return std::ranges::find(keys, name) != keys.end(); });
  }
  if (!within.empty() && random_.chance(40)) terms.filter = condition_on(within, nullptr, 2);
  terms.consistent = !global && random_.chance(40);
  switch (random_.below(5)) {
    case 0:
      terms.select = Select::Count;
      break;
    case 1:
      // A local index fetches missing attributes from the table; a global one refuses.
      terms.projection = projection(global && projected ? *projected : all);
      if (random_.chance(50)) terms.select = Select::SpecificAttributes;
      break;
    case 2:
      if (index != nullptr) terms.select = Select::AllProjectedAttributes;
      break;
    case 3:
      if (!global || !projected) terms.select = Select::AllAttributes;
      break;
    default:
      break;
  }
  return terms;
}

RangeTerm Generator::range_term(std::string attribute, Type type, const Value* near) {
  using Kind = RangeTerm::Kind;
  const auto bound = [&] {
    if (near != nullptr && random_.chance(50)) return *near;
    return type == Type::Number && attribute != "sk" ? Value(random_.between(-3, 6)) : key_value(type, true);
  };
  RangeTerm term{.kind = static_cast<Kind>(random_.below(7)), .values = {bound()}};
  if (term.kind == Kind::BeginsWith && type == Type::Number) term.kind = Kind::GreaterOrEqual;
  if (term.kind == Kind::BeginsWith && random_.chance(60)) {
    if (type == Type::String) {
      const std::string text = term.values[0].string();
      if (static_cast<unsigned char>(text[0]) < 0x80) term.values = {text.substr(0, 1)};
    } else {
      term.values = {Binary{term.values[0].binary().bytes.substr(0, 1)}};
    }
  }
  if (term.kind == Kind::Between) {
    term.values.push_back(bound());
    if (order_of(term.values[1], term.values[0]) < 0) std::swap(term.values[0], term.values[1]);
  }
  term.attribute = std::move(attribute);
  return term;
}

std::vector<RangeTerm> Generator::range_terms(const ModelTable& table, const IndexShape* index,
                                              const Entry* near) {
  std::vector<std::string> attributes = table.schema(index);
  attributes.erase(attributes.begin(),
                   attributes.begin() + static_cast<std::ptrdiff_t>(table.hash_attributes(index).size()));
  std::vector<RangeTerm> terms;
  const std::size_t count = random_.below(attributes.size() + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const Value* value = near == nullptr ? nullptr : &near->item->at(attributes[i]);
    RangeTerm term = range_term(attributes[i], table.type_of(attributes[i]), value);
    if (i + 1 < count) {  // only the last may be an inequality
      term.kind = RangeTerm::Kind::Equal;
      term.values.resize(1);
    }
    terms.push_back(std::move(term));
  }
  return terms;
}

QueryPlan Generator::query(const ModelTable& table) {
  QueryPlan plan{.forward = random_.chance(60)};
  if (!table.indexes().empty() && random_.chance(65)) plan.index = &random_.pick(table.indexes());
  const std::vector<Entry> entries = table.entries(plan.index);
  const Entry* near = entries.empty() || random_.chance(10) ? nullptr : &random_.pick(entries);
  if (near != nullptr) {
    plan.hash = near->hash;
  } else {
    for (const std::string& name : table.hash_attributes(plan.index)) {
      plan.hash.push_back(key_value(table.type_of(name), false));
    }
  }
  plan.range = range_terms(table, plan.index, near);
  plan.terms = read_terms(table, plan.index, FilterOn::OtherAttributes);
  return plan;
}

std::optional<Item> Generator::start_key(const ModelTable& table, const QueryPlan& plan) {
  const std::vector<Entry> entries = table.entries(plan.index);
  if (entries.empty()) return std::nullopt;
  Item key = keep(*random_.pick(entries).item, table.start_key_attributes(plan.index));
  const std::vector<std::string> hash = table.hash_attributes(plan.index);
  for (std::size_t i = 0; i < hash.size(); ++i) key[hash[i]] = plan.hash[i];
  for (const RangeTerm& term : plan.range) {
    if (!matches(term, key)) return std::nullopt;  // would be refused
  }
  return key;
}

ScanPlan Generator::scan(const ModelTable& table) {
  ScanPlan plan;
  if (!table.indexes().empty() && random_.chance(60)) plan.index = &random_.pick(table.indexes());
  plan.terms = read_terms(table, plan.index, FilterOn::AnyAttribute);
  return plan;
}

}  // namespace tavola::model
