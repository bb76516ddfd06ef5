#include "design/rules/compiled_fields.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/assert.h"
#include "design/model/arguments.h"
#include "design/model/field_value.h"
#include "value/key_codec.h"

namespace tavola::design {
namespace {

using Auto = Attribute::Auto;
using Kind = AttributeType::Kind;

// Returns whether the states have a transition that sets nothing and requires nothing, and no other.
bool is_plain_transition(const Lifecycle& lifecycle, std::string_view from, std::string_view to) {
  bool found = false;
  for (const Transition& transition : lifecycle.transitions) {
    if (transition.to.text != to ||
        std::ranges::find(transition.from, from, &Word::text) == transition.from.end())
      continue;
    if (!transition.set.empty() || !transition.require.empty()) return false;
    found = true;
  }
  return found;
}

// Returns whether the value suits the field. Compares a number as bytes; a text has at most as many characters as bytes.
bool suits(const FieldPlan& plan, ValueView value) {
  if (plan.is_plain_text && is_text(value.bytes())) {
    const std::string_view text = text_of(value.bytes());
    const std::vector<std::string>& values = plan.attribute->values;
    if (text.size() <= plan.bytes_surely_fit &&
        !(plan.is_in_key && text.find('#') != std::string_view::npos) &&
        (values.empty() || std::ranges::find(values, text) != values.end()))
      return true;
  }
  if (!plan.is_bounded_number) return suits(*plan.attribute, value);
  return value.type() == Type::Number && value.bytes() >= plan.least &&
         (plan.most.empty() || value.bytes() <= plan.most) &&
         (!plan.is_integer || is_ordered_integer(value.ordered_bytes()));
}

bool is_accepted(const FieldPlan& plan, ValueView value) {
  if (plan.is_plain) return suits(plan, value);
  const Value given = value.unpack();
  const Result<Value> accepted = from_plain(*plan.attribute, given);
  return accepted && *accepted == given && !given.is_null();
}

// The fields of one change. A member that returns bool returns false when govern() must decide.
class CompiledFieldRule {
 public:
  explicit CompiledFieldRule(PackedChange& change)
      : change_(change),
        plan_(change.plan),
        fields_(change.fields),
        old_(change.old_fields),
        sent_(change.scratch.values(plan_.fields.size())),
        is_now_(plan_.fields.size(), change.scratch.memory()) {}

  bool run() {
    if (!take_states() || !check_given() || !keeps_moments()) return false;
    std::ranges::copy(fields_, sent_.begin());
    settle_moments();
    return complete() && check_sent();
  }

 private:
  bool take_states() {
    return std::ranges::all_of(plan_.states, [&](const StatePlan& plan) { return take_state(plan); });
  }

  bool take_state(const StatePlan& plan) {
    Bytes& state = fields_[plan.field];
    const Bytes old = old_[plan.field];
    const std::string& initial = plan.lifecycle->initial().name;
    if (state.empty()) state = old;
    if (state.empty() && !change_.keep(initial, state)) return false;
    if (!is_text(state) || plan.lifecycle->find_state(text_of(state)) == nullptr) return false;
    if (state == old) return !is_assigned(plan.field);
    if (old.empty()) return text_of(state) == initial;
    moved_ = true;
    return is_text(old) && is_plain_transition(*plan.lifecycle, text_of(old), text_of(state));
  }

  bool check_given() const {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const FieldPlan& plan = plan_.fields[i];
      const bool stays = plan.automatic == Auto::Create && fields_[i].empty();
      if (plan.is_immutable && !old_[i].empty() && change_.is_changed(i) && !stays) return false;
      if (fields_[i].empty() || plan.is_computed) continue;
      if (!is_accepted(plan, ValueView(fields_[i]))) return false;
    }
    return true;
  }

  bool is_assigned(std::size_t field) const {
    return change_.asked != nullptr && change_.asked->assigns(plan_.fields[field].attribute->name);
  }

  // Returns whether no update removes an automatic time.
  bool keeps_moments() const {
    return change_.asked == nullptr || std::ranges::none_of(plan_.automatic, [this](std::size_t i) {
             return fields_[i].empty() && !old_[i].empty();
           });
  }

  // Settles which automatic times are set now. Those that the client sent anew and those that this change does not set stay.
  void settle_moments() {
    for (const std::size_t i : plan_.automatic) {
      const Auto automatic = plan_.fields[i].automatic;
      const bool is_sent = !fields_[i].empty() && (change_.is_changed(i) || is_assigned(i));
      const bool is_past = (automatic == Auto::Create && !old_[i].empty()) ||
                           (automatic == Auto::Transition && !moved_) ||
                           (automatic == Auto::Update && is_silent());
      if (!is_sent && is_past && !old_[i].empty()) fields_[i] = old_[i];
      const bool is_settled = is_sent || (is_past && !old_[i].empty());
      const bool is_its_moment =
          change_.is_new || automatic == Auto::Update || (automatic == Auto::Transition && moved_);
      is_now_[i] = is_its_moment && !is_settled ? 1 : 0;
    }
  }

  // Returns whether nothing changed besides the fields that the design computes.
  bool is_silent() const {
    if (change_.is_new) return false;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (!plan_.fields[i].is_computed && change_.is_changed(i)) return false;
    }
    return change_.others == change_.old_others;
  }

  bool complete() {
    return std::ranges::all_of(plan_.in_turn, [&](std::size_t i) {
      const FieldPlan& plan = plan_.fields[i];
      const bool is_given = !fields_[i].empty();
      if (plan.is_computed) {
        if (!compute(i)) return false;
      } else if (!is_given && change_.is_new) {
        if (plan.attribute->generate != Attribute::Generate::No) return false;
        fields_[i] = plan.otherwise;
      }
      if (fields_[i].empty()) return !plan.is_required;
      const bool is_checked = (is_given && !plan.is_computed) || (plan.is_any_moment && is_now_[i] != 0);
      return is_checked || suits(plan, ValueView(fields_[i]));
    });
  }

  bool compute(std::size_t i) {
    const FieldPlan& plan = plan_.fields[i];
    if (plan.automatic != Auto::No) return is_now_[i] == 0 || set_moment(i);
    if (!plan.constant.empty()) {
      fields_[i] = plan.constant;
      return true;
    }
    if (plan.value) return change_.render_key(*plan.value, fields_[i]);
    TAVOLA_ASSERT(plan.derive.has_value());
    return derive(plan, *plan.derive, fields_[i]);
  }

  bool set_moment(std::size_t i) {
    const AttributeType& type = plan_.fields[i].moment_type;
    if (type.kind != Kind::TimestampIso || type.digits > 0)
      return change_.keep(write_moment(type, change_.ambient.now), fields_[i]);
    const Iso8601Text text = iso8601_text(change_.ambient.now);
    fields_[i] = change_.keep_text({text.data(), text.size()});  // digits and signs: certainly UTF-8
    return true;
  }

  bool derive(const FieldPlan& plan, const RulePlan& derive, Bytes& out) {
    if (derive.numbers && plan.is_plain && !plan.attribute->type.is_timestamp() &&
        has_numbers(derive.fields)) {
      const Result<Number> number = derive.numbers->value(
          [&](std::size_t path) { return ValueView(fields_[derive.fields[path]]).number(); });
      if (number) out = change_.keep_number(*number);  // complete() checks that it suits
      return number.has_value();
    }
    const Item inputs = change_.unpacked(derive.fields);
    const Result<std::optional<Value>> computed =
        derive.rule->value(change_.ambient.with({.fields = &inputs}));
    if (!computed) return false;
    out = {};
    const std::optional<Value>& value = *computed;
    if (!value) return true;
    const Result<Value> accepted = accept_computed(*plan.attribute, *derive.rule, *value);
    return accepted && change_.keep(*accepted, out);
  }

  bool has_numbers(const std::vector<std::size_t>& wanted) const {
    return std::ranges::all_of(wanted, [&](std::size_t i) {
      return !fields_[i].empty() && ValueView(fields_[i]).type() == Type::Number;
    });
  }

  // Checks that computed fields that the client sent have the computed values.
  bool check_sent() const {
    for (const std::size_t i : plan_.made_of_others) {
      if (!sent_[i].empty() && sent_[i] != old_[i] && sent_[i] != fields_[i]) return false;
    }
    return true;
  }

  PackedChange& change_;
  const CompiledEntity& plan_;
  FieldBytes& fields_;     // of change_
  const FieldBytes& old_;  // of change_
  FieldBytes sent_;
  std::pmr::vector<char> is_now_;  // not 0: automatic fields that are set to this moment
  bool moved_ = false;             // a lifecycle went on
};

}  // namespace

bool decide_fields(PackedChange& change) { return CompiledFieldRule(change).run(); }

}  // namespace tavola::design
