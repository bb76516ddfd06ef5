#include "drift/requests_seen.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "design/model/plain_json.h"
#include "design/requests/pattern_request.h"
#include "expr/evaluate/compile.h"
#include "expr/evaluate/legacy.h"

namespace tavola::drift {
namespace {

using design::Design;
using design::Entity;
using design::Pattern;
using design::Placeholder;
using design::RangeCondition;
using design::Template;
using expr::KeyOperator;

constexpr std::size_t kFormsMax = 1'000;
constexpr std::size_t kSurprisesMax = 200;
constexpr std::size_t kExampleBytesMax = 300;
// The end of the range that `from … through …` reads (design/requests/pattern_request.cc).
constexpr std::string_view kGreatestCharacter = "\xF4\x8F\xBF\xBF";

class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0xFF);  // not in UTF-8: keeps (ab, c) and (a, bc) apart
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 1099511628211U; }
  std::uint64_t value_ = 14695981039346656037U;  // FNV-1a
};

// Returns whether a text could match the template, with any values. Template::read is exact, but allocates. `owner`
// knows the forms of the fields: a pattern or an entity.
template <class Owner>
bool fits(const Template& pattern, std::string_view text, const Owner& owner) {
  const std::vector<Template::Part>& parts = pattern.parts();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (const auto* const literal = std::get_if<std::string>(&parts[i])) {
      if (!text.starts_with(*literal)) return false;
      text.remove_prefix(literal->size());
      continue;
    }
    const bool is_last = i + 1 == parts.size();
    const std::size_t end = is_last ? text.size() : text.find(std::get<std::string>(parts[i + 1]));
    if (end == 0 || end == std::string_view::npos) return false;
    // '#' separates the parts of a key: SHOP#<shopId> does not match SHOP#1#CATEGORY#2.
    const bool is_divided = text.substr(0, end).find('#') != std::string_view::npos;
    if (is_divided && !(is_last && owner.forms()(std::get<Placeholder>(parts[i]).field).raw)) return false;
    text.remove_prefix(end);
  }
  return text.empty();
}

template <class Owner>
bool fits(const Template& pattern, ValueView key, const Owner& owner) {
  return key.type() == Type::String ? fits(pattern, key.string(), owner) : pattern.parts().size() == 1;
}

std::optional<KeyOperator> operator_of(RangeCondition::Operator op) {
  using Operator = RangeCondition::Operator;
  switch (op) {
    case Operator::Equal:
      return KeyOperator::Eq;
    case Operator::Less:
      return KeyOperator::Lt;
    case Operator::LessEqual:
      return KeyOperator::Le;
    case Operator::Greater:
      return KeyOperator::Gt;
    case Operator::GreaterEqual:
      return KeyOperator::Ge;
    case Operator::BeginsWith:
      return KeyOperator::BeginsWith;
    case Operator::Between:
    case Operator::Through:
      return KeyOperator::Between;
  }
  return std::nullopt;
}

std::string_view index_of(const Pattern& pattern) {
  return pattern.via.text.empty() || pattern.via.text == "table" ? std::string_view() : pattern.via.text;
}

// The texts that a request compares its sort key with.
struct RangeTerm {
  std::string_view attribute;
  KeyOperator op = KeyOperator::Eq;
  ValueView first;
  ValueView second;  // equals `first`, unless the operator has two operands
};

bool explains_range(const Pattern& pattern, const RangeCondition& condition, const RangeTerm& term) {
  if (operator_of(condition.op) != term.op || !fits(condition.first, term.first, pattern)) return false;
  if (!condition.second) return true;
  if (term.second.type() != Type::String) return fits(*condition.second, term.second, pattern);
  std::string_view text = term.second.string();
  const bool is_through = text.ends_with(kGreatestCharacter);
  if (is_through) text.remove_suffix(kGreatestCharacter.size());
  return (condition.op == RangeCondition::Operator::Through) == is_through &&
         fits(*condition.second, text, pattern);
}

std::string shown(ValueView value) { return design::to_plain_json(value.unpack()); }

std::string shown(const RangeTerm& term) {
  std::string name(term.attribute);
  const auto compared = [&](std::string_view op) { return name + std::string(op) + shown(term.first); };
  switch (term.op) {
    case KeyOperator::Eq:
      return compared(" = ");
    case KeyOperator::Lt:
      return compared(" < ");
    case KeyOperator::Le:
      return compared(" <= ");
    case KeyOperator::Gt:
      return compared(" > ");
    case KeyOperator::Ge:
      return compared(" >= ");
    case KeyOperator::BeginsWith:
      return "begins_with(" + name + ", " + shown(term.first) + ")";
    case KeyOperator::Between:
      return name + " BETWEEN " + shown(term.first) + " AND " + shown(term.second);
  }
  return name;
}

// Returns the text up to the first '#', or all of it: the common part of requests of one form.
std::string_view stem(ValueView value) {
  if (value.type() != Type::String) return {};
  const std::string_view text = value.string();
  return text.substr(0, text.find('#'));
}

}  // namespace

struct RequestsSeen::Asked {
  std::string_view hash_name;
  ValueView hash;
  std::optional<RangeTerm> range;
};

struct RequestsSeen::Form {
  struct Term {
    std::string attribute;
    KeyOperator op = KeyOperator::Eq;
    std::string first;  // ":v0"
    std::string second;
  };
  std::uint64_t hash = 0;
  std::vector<Term> terms;
  std::vector<std::size_t> candidates;  // patterns that read the same index with the same operator

  // Returns the read with the values of a request of this form; nullopt if one is missing.
  std::optional<Asked> with(const Design& design, std::string_view index, const PackedItem& values) const;
};

namespace {

struct Keys {
  std::string_view hash;
  std::string_view range;
};

Keys keys_of(const Design& design, std::string_view index) {
  if (const design::Index* const found = design.find_index(index)) {
    return {found->hash.name, found->range ? std::string_view(found->range->name) : std::string_view()};
  }
  return {design.table.hash.name,
          design.table.range ? std::string_view(design.table.range->name) : std::string_view()};
}

// Returns the name of the value that a term was bound to: the one whose bytes it views.
std::string name_of(ValueView value, const PackedItem& values) {
  for (const auto& [name, one] : values.view()) {
    if (one.bytes().data() == value.bytes().data()) return std::string(name);
  }
  return {};
}

}  // namespace

std::optional<RequestsSeen::Asked> RequestsSeen::Form::with(const Design& design, std::string_view index,
                                                            const PackedItem& values) const {
  const Keys keys = keys_of(design, index);
  std::optional<ValueView> hash_value;
  std::optional<RangeTerm> range;
  for (const Term& term : terms) {
    const std::optional<ValueView> first = values.find(term.first);
    const std::optional<ValueView> second = values.find(term.second);
    if (!first || !second) return std::nullopt;
    if (term.attribute == keys.hash && !hash_value && term.op == KeyOperator::Eq) {
      hash_value = first;
    } else {
      range.emplace(RangeTerm{term.attribute, term.op, *first, *second});
    }
  }
  if (!hash_value) return std::nullopt;
  return Asked{keys.hash, *hash_value, range};
}

std::vector<std::size_t> RequestsSeen::candidates_for(std::string_view index, const Form& form) const {
  const Keys keys = keys_of(design_, index);
  std::optional<KeyOperator> op;  // on the sort key
  for (const Form::Term& term : form.terms) {
    if (term.attribute == keys.range) op = term.op;
  }
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < design_.patterns.size(); ++i) {
    const Pattern& pattern = design_.patterns[i];
    if (pattern.form != Pattern::Form::Query || index_of(pattern) != index) continue;
    const std::optional<KeyOperator> asks = pattern.range ? operator_of(pattern.range->op) : std::nullopt;
    if (asks == op) candidates.push_back(i);
  }
  return candidates;
}

RequestsSeen::RequestsSeen(const Design& design, WallTime now)
    : design_(design), since_(now), asked_(std::make_unique<Sum[]>(design.patterns.size())) {}
RequestsSeen::~RequestsSeen() = default;

void RequestsSeen::Sum::add(const Performed& performed) {
  requests.fetch_add(performed.requests, std::memory_order_relaxed);
  scanned.fetch_add(performed.scanned, std::memory_order_relaxed);
  returned.fetch_add(performed.returned, std::memory_order_relaxed);
  read_units.fetch_add(performed.read_units, std::memory_order_relaxed);
}

const RequestsSeen::Form* RequestsSeen::form_of(const QueryRequest& request, Form& if_new) {
  Hash hash;
  hash.add(request.index_name);
  hash.add(request.key_condition_expression);
  for (const auto& [placeholder, name] : request.names) {
    hash.add(placeholder);
    hash.add(name);
  }
  if_new.hash = hash.value();
  {
    const SharedLock lock(mutex_);
    const auto known = forms_.find(hash.value());
    if (known != forms_.end()) return known->second.get();  // never removed
  }
  expr::Compiler compiler(request.names, request.values.view());
  const auto condition = compiler.key_condition(request.key_condition_expression);
  if (!condition) return nullptr;  // the database reports the mistake
  for (const expr::KeyTerm& term : condition->terms) {
    if_new.terms.push_back(
        {term.attribute, term.op, name_of(term.first, request.values), name_of(term.second, request.values)});
  }
  if_new.candidates = candidates_for(request.index_name, if_new);
  const ExclusiveLock lock(mutex_);
  if (forms_.size() >= kFormsMax) return &if_new;
  const auto [kept, added] = forms_.try_emplace(hash.value(), std::make_unique<const Form>(if_new));
  return kept->second.get();
}

// Legacy parameters contain their terms. They are rare, so nothing is cached for them.
template <class Use>
void RequestsSeen::take_older_apart(const QueryRequest& request, const LegacyConditions& conditions,
                                    Use use) const {
  Form form;
  Item values;
  for (const auto& [attribute, condition] : conditions) {
    const std::optional<KeyOperator> op = expr::key_operator(condition.op);
    if (!op || condition.operands.empty()) return;
    const std::string first = attribute + ":first";
    const std::string second = attribute + ":second";
    values[first] = condition.operands.front();
    values[second] = condition.operands.back();
    form.terms.push_back({attribute, *op, first, second});
  }
  const Result<PackedItem> packed = pack(values);
  if (!packed) return;
  form.candidates = candidates_for(request.index_name, form);
  const std::optional<Asked> asked = form.with(design_, request.index_name, *packed);
  if (asked) use(*asked, form);
}

template <class Use>
void RequestsSeen::take_apart(const QueryRequest& request, Use use) {
  if (request.key_conditions) return take_older_apart(request, *request.key_conditions, use);
  Form if_new;
  const Form* const form = form_of(request, if_new);
  if (form == nullptr) return;
  const std::optional<Asked> asked = form->with(design_, request.index_name, request.values);
  if (asked) use(*asked, *form);
}

template <class Use>
bool RequestsSeen::each_explaining(const Asked& asked, const Form& form, Use use) const {
  bool is_explained = false;
  for (const std::size_t i : form.candidates) {
    const Pattern& pattern = design_.patterns[i];
    if (!pattern.hash || !fits(*pattern.hash, asked.hash, pattern)) continue;
    if (pattern.range && (!asked.range || !explains_range(pattern, *pattern.range, *asked.range))) continue;
    use(i);
    is_explained = true;
  }
  return is_explained;
}

void RequestsSeen::note(const QueryRequest& request, const Performed& performed) {
  take_apart(request, [&](const Asked& asked, const Form& form) {
    const bool is_explained = each_explaining(asked, form, [&](std::size_t i) { asked_[i].add(performed); });
    if (is_explained || performed.requests == 0) return;
    count_unexplained(form.hash, "Query", request.index_name, &asked);
  });
}

std::vector<std::string> RequestsSeen::explain(const QueryRequest& request) {
  std::vector<std::string> names;
  take_apart(request, [&](const Asked& asked, const Form& form) {
    each_explaining(asked, form, [&](std::size_t i) { names.push_back(design_.patterns[i].name); });
  });
  return names;
}

template <class Use>
bool RequestsSeen::each_scanning(std::string_view index, Use use) const {
  bool is_explained = false;
  for (std::size_t i = 0; i < design_.patterns.size(); ++i) {
    const Pattern& pattern = design_.patterns[i];
    if (pattern.form != Pattern::Form::Scan || index_of(pattern) != index) continue;
    use(i);
    is_explained = true;
  }
  return is_explained;
}

void RequestsSeen::note(const ScanRequest& request, const Performed& performed) {
  const bool is_explained =
      each_scanning(request.index_name, [&](std::size_t i) { asked_[i].add(performed); });
  if (is_explained || performed.requests == 0) return;
  count_unexplained(1, "Scan", request.index_name, nullptr);
}

std::vector<std::string> RequestsSeen::explain(const ScanRequest& request) const {
  std::vector<std::string> names;
  each_scanning(request.index_name, [&](std::size_t i) { names.push_back(design_.patterns[i].name); });
  return names;
}

std::optional<RequestsSeen::Asked> RequestsSeen::asked_key(const PackedItem& key) const {
  const std::optional<ValueView> hash = key.find(design_.table.hash.name);
  if (!hash) return std::nullopt;
  if (hash->type() == Type::String && hash->string().starts_with('$')) return std::nullopt;
  Asked asked{design_.table.hash.name, *hash, {}};
  if (design_.table.range) {
    const std::optional<ValueView> range = key.find(design_.table.range->name);
    if (!range) return std::nullopt;
    asked.range.emplace(RangeTerm{design_.table.range->name, KeyOperator::Eq, *range, *range});
  }
  return asked;
}

template <class Use>
bool RequestsSeen::each_getting(const Asked& asked, Use use) const {
  bool is_explained = false;
  for (std::size_t i = 0; i < design_.patterns.size(); ++i) {
    const Pattern& pattern = design_.patterns[i];
    const bool is_get = pattern.form == Pattern::Form::Get;
    if (!is_get && pattern.follow.empty()) continue;
    const Entity& entity = *design::found_by(design_, pattern);
    if (!fits(entity.hash, asked.hash, entity)) continue;
    if (asked.range && (!entity.range || !fits(*entity.range, asked.range->first, entity))) continue;
    if (is_get) use(i);
    is_explained = true;
  }
  return is_explained;
}

void RequestsSeen::note_get(const PackedItem& key, const Performed& performed) {
  const std::optional<Asked> asked = asked_key(key);
  if (!asked || each_getting(*asked, [&](std::size_t i) { asked_[i].add(performed); })) return;
  count_unexplained(2, "GetItem", "", &*asked);
}

std::vector<std::string> RequestsSeen::explain_get(const PackedItem& key) const {
  std::vector<std::string> names;
  const std::optional<Asked> asked = asked_key(key);
  if (asked) each_getting(*asked, [&](std::size_t i) { names.push_back(design_.patterns[i].name); });
  return names;
}

void RequestsSeen::count_unexplained(std::uint64_t form, std::string_view operation, std::string_view index,
                                     const Asked* asked) {
  Hash hash;
  hash.add(operation);
  hash.add(index);
  if (asked != nullptr) hash.add(stem(asked->hash));
  if (asked != nullptr && asked->range) hash.add(stem(asked->range->first));
  const std::uint64_t which = hash.value() ^ (form * 0x9E3779B97F4A7C15U);
  {
    const SharedLock lock(mutex_);
    const auto known = surprises_.find(which);
    if (known != surprises_.end()) {
      known->second->count.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    if (surprises_.size() >= kSurprisesMax) {
      further_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
  std::string example = operation == "Scan" ? "the whole of it" : std::string();
  if (asked != nullptr) {
    example = shown(RangeTerm{asked->hash_name, KeyOperator::Eq, asked->hash, asked->hash});
    if (asked->range) example += " AND " + shown(*asked->range);
  }
  if (example.size() > kExampleBytesMax) {
    std::size_t end = kExampleBytesMax;
    while (end > 0 && (static_cast<unsigned char>(example[end]) & 0xC0U) == 0x80U) --end;  // whole characters
    example = example.substr(0, end) + "…";
  }
  const ExclusiveLock lock(mutex_);
  const auto [entry, added] =
      surprises_.try_emplace(which, std::make_unique<Surprise>(operation, index, std::move(example)));
  entry->second->count.fetch_add(1, std::memory_order_relaxed);
}

RequestCounts RequestsSeen::counts() const {
  RequestCounts counts;
  for (std::size_t i = 0; i < design_.patterns.size(); ++i) {
    const Pattern::Form form = design_.patterns[i].form;
    const bool is_request =
        form == Pattern::Form::Get || form == Pattern::Form::Query || form == Pattern::Form::Scan;
    if (!is_request) continue;
    const Sum& sum = asked_[i];
    const Performed& cost = counts.costs[design_.patterns[i].name] = {
        .requests = sum.requests.load(std::memory_order_relaxed),
        .scanned = sum.scanned.load(std::memory_order_relaxed),
        .returned = sum.returned.load(std::memory_order_relaxed),
        .read_units = sum.read_units.load(std::memory_order_relaxed)};
    counts.patterns[design_.patterns[i].name] = cost.requests;
  }
  counts.since = since_;
  counts.further_unexplained = further_.load(std::memory_order_relaxed);
  const SharedLock lock(mutex_);
  for (const auto& [form, one] : surprises_) {
    counts.unexplained.push_back(
        {one->operation, one->index, one->example, one->count.load(std::memory_order_relaxed)});
  }
  std::ranges::sort(counts.unexplained, [](const auto& a, const auto& b) {
    return std::tie(b.count, a.operation, a.index, a.example) <
           std::tie(a.count, b.operation, b.index, b.example);
  });
  return counts;
}

}  // namespace tavola::drift
