// Differences in the use of entities: copies, patterns, operations, roles, retention.
#include "base/joined.h"
#include "design/requests/aggregate.h"
#include "workshop/diff/diff_parts.h"

namespace tavola::workshop {
namespace {

using design::Assignment;
using design::Copy;
using design::Design;
using design::Operation;
using design::Parameter;
using design::Pattern;
using design::Step;
using design::Word;
using Class = Difference::Class;

std::string words(const std::vector<Word>& of) { return joined(of, &Word::text); }

std::string assignments_text(const std::vector<Assignment>& of) {
  return joined(of, [](const Assignment& one) { return one.field + " = " + one.value.text(); });
}

// ---- Copies ----

std::string copy_text(const Copy& copy) {
  constexpr std::string_view kKinds[] = {"mirror", "fanout", "snapshot", "counter"};
  constexpr std::string_view kModes[] = {"", ", at-create", ", async"};
  std::string text = std::string(kKinds[static_cast<std::size_t>(copy.kind)]) + " of " + copy.from.text +
                     " to " + copy.to.text + std::string(kModes[static_cast<std::size_t>(copy.mode)]);
  if (!copy.carry.empty()) text += ", carries " + assignments_text(copy.carry);
  if (!copy.key.empty()) text += ", key " + assignments_text(copy.key);
  if (!copy.each.empty()) text += ", each of " + copy.each;
  if (!copy.count.empty()) text += ", counts in " + copy.count;
  if (!copy.sum.empty()) text += ", sums " + assignments_text(copy.sum);
  if (copy.creates) text += ", creates its items";
  if (copy.when) text += ", when " + copy.when->text();
  return text;
}

// ---- Patterns ----

std::string_view form_name(Pattern::Form form) {
  switch (form) {
    case Pattern::Form::Get:
      return "get";
    case Pattern::Form::Query:
      return "query";
    case Pattern::Form::Scan:
      return "scan";
    case Pattern::Form::Union:
      return "union";
    case Pattern::Form::Transition:
      return "transition";
    case Pattern::Form::Aggregate:
      return "aggregate";
    case Pattern::Form::None:
      break;
  }
  return "none";
}

std::string parameter_text(const Parameter& parameter) {
  return design::type_text(parameter.form.type) +
         (parameter.required && !parameter.otherwise ? "" : ", optional");
}

void diff_parameters(Differences& out, const std::string& part, const std::vector<Parameter>& before,
                     const std::vector<Parameter>& after) {
  for (const Parameter& now : after) {
    const auto old = std::ranges::find(before, now.name, &Parameter::name);
    const bool is_needed = now.required && !now.otherwise;
    if (old == before.end()) {
      out.add(is_needed ? Class::Breaks : Class::Change, part,
              "parameter " + now.name + (is_needed ? " is new and required" : " is new"));
    } else {
      const bool was_needed = old->required && !old->otherwise;
      const bool takes_all = holds_values_of(now.form.type, old->form.type) ||
                             design::type_text(now.form.type) == design::type_text(old->form.type);
      out.add_if_changed(part, "parameter " + now.name, parameter_text(*old), parameter_text(now),
                         takes_all && (was_needed || !is_needed) ? Class::Change : Class::Breaks);
      diff_limits(out, part + ", parameter " + now.name, old->form, now.form);
      const std::string was = old->otherwise ? old->otherwise->text() : "";
      out.add_if_changed(part, "default of " + now.name, was, now.otherwise ? now.otherwise->text() : "");
    }
  }
  for (const Parameter& old : before) {
    if (std::ranges::find(after, old.name, &Parameter::name) == after.end()) {
      out.add(Class::Breaks, part, "parameter " + old.name + " is gone");
    }
  }
}

// The groups and measures of an aggregate.
std::string columns_text(const Pattern& pattern) {
  std::string text = pattern.by.empty() ? "" : assignments_text(pattern.by);
  for (const design::Measure& measure : pattern.measures)
    text += (text.empty() ? "" : ", ") + measure.name + " = " + design::measure_text(measure);
  return text;
}

void diff_pattern(Differences& out, const Pattern& old, const Pattern& now) {
  const std::string part = "pattern " + now.name;
  out.add_if_changed(part, "returns", old.entity.text, now.entity.text, Class::Breaks);
  out.add_if_changed(part, "follow", old.follow.text, now.follow.text, Class::Breaks);
  out.add_if_changed(part, "form", std::string(form_name(old.form)), std::string(form_name(now.form)));
  out.add_if_changed(part, "via", old.via.text, now.via.text);
  out.add_if_changed(part, "hash", old.hash ? old.hash->text() : "", now.hash ? now.hash->text() : "");
  out.add_if_changed(part, "range", old.range ? old.range->text : "", now.range ? now.range->text : "");
  out.add_if_changed(part, "filter", old.filter ? old.filter->text() : "",
                     now.filter ? now.filter->text() : "");
  out.add_if_changed(part, "parts", words(old.parts), words(now.parts));
  out.add_if_changed(part, "aggregate", old.over.text, now.over.text);
  out.add_if_changed(part, "columns", columns_text(old), columns_text(now), Class::Breaks);
  out.add_if_changed(part, "order", old.order_by.text, now.order_by.text);
  if (old.planned != now.planned) {
    out.add(now.planned ? Class::Breaks : Class::Change, part, now.planned ? "is only planned" : "is served");
  }
  if (old.backwards != now.backwards) out.add(Class::Breaks, part, "the order is reversed");
  if (old.consistent != now.consistent) {
    out.add(Class::Change, part,
            now.consistent ? "becomes strongly consistent" : "becomes eventually consistent");
  }
  const auto limit = [](const Pattern& of) { return of.limit ? std::to_string(*of.limit) : ""; };
  out.add_if_changed(part, "limit", limit(old), limit(now));
  diff_parameters(out, part, old.parameters, now.parameters);
}

// ---- Operations ----

std::string step_text(const Step& step) {
  constexpr std::string_view kVerbs[] = {"put", "update", "delete", "check", "transition"};
  std::string text = std::string(kVerbs[static_cast<std::size_t>(step.kind)]) + " " + step.entity.text;
  if (!step.transition.empty()) text += "." + step.transition.text;
  if (!step.key.empty()) text += ", key " + assignments_text(step.key);
  if (!step.set.empty()) text += ", set " + assignments_text(step.set);
  if (!step.remove.empty()) text += ", remove " + words(step.remove);
  if (step.returns_existing) {
    text += ", returned if it exists";
  } else if (step.exists) {
    text += *step.exists ? ", must exist" : ", must not exist";
  }
  for (const design::Requirement& one : step.require)
    text += ", require " + one.that.text() + " or " + one.otherwise;
  if (!step.otherwise.empty()) text += ", otherwise " + step.otherwise;
  if (step.when) text += ", when " + step.when->text();
  if (!step.each.empty()) text += ", each of " + step.each.text;
  return text;
}

void diff_steps(Differences& out, const std::string& part, const std::vector<Step>& before,
                const std::vector<Step>& after) {
  for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    out.add_if_changed(part, "step " + std::to_string(i + 1), i < before.size() ? step_text(before[i]) : "",
                       i < after.size() ? step_text(after[i]) : "");
  }
}

void diff_operation(Differences& out, const Operation& old, const Operation& now) {
  const std::string part = "operation " + now.name;
  diff_parameters(out, part, old.parameters, now.parameters);
  diff_steps(out, part, old.steps, now.steps);
  const auto reads = [](const Operation& of) {
    return joined(of.reads, [](const design::ReadFirst& one) {
      return one.name + " (" + one.entity.text + (one.required ? "" : ", if it exists") + ")";
    });
  };
  out.add_if_changed(part, "reads", reads(old), reads(now));
  out.add_if_changed(part, "idempotent by", old.idempotent_by, now.idempotent_by);
  out.add_if_changed(part, "idempotent within", joined(old.idempotent_within, &design::Word::text),
                     joined(now.idempotent_within, &design::Word::text));
  out.add_if_changed(part, "returns", old.returns, now.returns, Class::Breaks);
}

// ---- Consequences ----

std::string changes_of(const design::Consequence& one) {
  return std::string(one.on_create ? "create " : "") + (one.on_update ? "update " : "") +
         (one.on_delete ? "delete " : "") + words(one.of);
}

std::string put_text(const design::Consequence& one) {
  std::string text = one.entity.text + ", set " + assignments_text(one.set);
  for (const design::ReadFirst& read : one.reads)
    text += ", " + read.name + " is the " + read.entity.text + " " + assignments_text(read.key);
  return text;
}

// ---- Agreements ----

std::string retention_text(const design::Retention& retention) {
  constexpr std::string_view kKinds[] = {"keep", "expire", "archive", "delete softly by"};
  std::string text(kKinds[static_cast<std::size_t>(retention.kind)]);
  for (const std::string& how : {retention.keep, retention.archive_to, retention.attribute}) {
    if (!how.empty()) text += " " + how;
  }
  if (retention.after) text += " after " + std::to_string(retention.after->count() / 1000) + " s";
  return retention.by.empty() ? text : text + " by " + retention.by;
}

}  // namespace

void diff_copies(Differences& out, const Design& before, const Design& after) {
  out.each(before.copies, after.copies, "copy ", Class::Backfill, [&](const Copy& old, const Copy& now) {
    out.add_if_changed("copy " + now.name, "copy", copy_text(old), copy_text(now), Class::Backfill);
  });
}

void diff_consequences(Differences& out, const Design& before, const Design& after) {
  using design::Consequence;
  out.each(before.consequences, after.consequences, "consequence ", Class::Change,
           [&](const Consequence& old, const Consequence& now) {
             const std::string part = "consequence " + now.name;
             out.add_if_changed(part, "of", changes_of(old), changes_of(now));
             out.add_if_changed(part, "when", old.when ? old.when->text() : "",
                                now.when ? now.when->text() : "");
             out.add_if_changed(part, "put", put_text(old), put_text(now));
           });
}

void diff_patterns(Differences& out, const Design& before, const Design& after) {
  out.each(before.patterns, after.patterns, "pattern ", Class::Change,
           [&](const Pattern& old, const Pattern& now) { diff_pattern(out, old, now); });
}

void diff_operations(Differences& out, const Design& before, const Design& after) {
  out.each(before.operations, after.operations, "operation ", Class::Change,
           [&](const Operation& old, const Operation& now) { diff_operation(out, old, now); });
}

void diff_agreements(Differences& out, const Design& before, const Design& after) {
  out.each(before.roles, after.roles, "role ", Class::Change,
           [&](const design::Role& old, const design::Role& now) {
             const std::string part = "role " + now.name;
             out.add_if_changed(part, "reads", words(old.read), words(now.read));
             out.add_if_changed(part, "writes", words(old.write), words(now.write));
             out.add_if_changed(part, "runs", words(old.run), words(now.run));
             out.add_if_changed(part, "is", old.is, now.is);
             out.add_if_changed(part, "extends", old.extends, now.extends);
             out.add_if_changed(part, "own", old.own, now.own);
             out.add_if_changed(part, "import", old.may_import ? "true" : "", now.may_import ? "true" : "");
           });
  const auto source = [](const Design& design, design::Groups::Source design::Groups::* which) {
    const bool is_said = design.groups && !((*design.groups).*which).pattern.empty();
    if (!is_said) return std::string();
    const design::Groups::Source& said = (*design.groups).*which;
    return said.pattern.text + "." + said.field.text;
  };
  for (const auto& [name, which] : {std::pair("member_of", &design::Groups::member_of),
                                    std::pair("permissions", &design::Groups::permissions)}) {
    out.add_if_changed("groups", name, source(before, which), source(after, which));
  }
  const auto for_others = [](const Design& design) {
    return design.groups ? words(design.groups->for_others) : std::string();
  };
  out.add_if_changed("groups", "for_others", for_others(before), for_others(after));
  for (const design::Entity& entity : after.entities) {
    const design::Retention* const old = before.find_retention(entity.name);
    const design::Retention* const now = after.find_retention(entity.name);
    out.add_if_changed(entity.name, "retention", old == nullptr ? "" : retention_text(*old),
                       now == nullptr ? "" : retention_text(*now));
  }
}

}  // namespace tavola::workshop
