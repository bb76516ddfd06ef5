// The way of one item through its states: what its timestamps say, and a transition as a request.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/joined.h"
#include "design/items/entity_item.h"
#include "design/model/refusal.h"
#include "design/model/timestamps.h"
#include "json/writer.h"
#include "lens/lifecycles.h"
#include "lens/pattern_run.h"
#include "lens/reading.h"
#include "lens/shown_item.h"
#include "lens/states.h"

namespace tavola::lens {
namespace {

using design::Attribute;
using design::Decoded;
using design::Entity;
using design::Lifecycle;
using design::State;

struct Event {
  WallTime at;
  std::string field;
  std::string what;
};

// Returns what a timestamp says, by the design: "created", "startCrawl: became PROGRESS"; otherwise the title of the field, or its name.
std::string meaning_of(const Entity& entity, const Attribute& field) {
  std::string text;
  for (const Lifecycle& lifecycle : entity.lifecycles) {
    for (const design::Transition& one : lifecycle.transitions) {
      const bool sets = std::ranges::any_of(one.set, [&](const design::Assignment& assignment) {
        return assignment.field == field.name && assignment.value.changes_by_itself();
      });
      if (sets) text += (text.empty() ? "" : " or ") + one.name + ": became " + one.to.text;
    }
  }
  if (!text.empty()) return text;
  switch (field.automatic) {
    case Attribute::Auto::Create:
      return "created";
    case Attribute::Auto::Update:
      return "changed last";
    case Attribute::Auto::Transition:
      return "changed its state last";
    default:
      return field.notes.title.empty() ? field.name : field.notes.title;
  }
}

std::vector<Event> events_of(const Decoded& decoded) {
  std::vector<Event> events;
  for (const Attribute& field : decoded.entity->fields) {
    const auto value = decoded.fields.find(field.name);
    if (!field.type.is_timestamp() || value == decoded.fields.end()) continue;
    const auto at = design::read_moment(field.type, value->second);
    if (at) events.push_back({*at, field.name, meaning_of(*decoded.entity, field)});
  }
  std::ranges::sort(
      events, [](const Event& a, const Event& b) { return a.at != b.at ? a.at < b.at : a.field < b.field; });
  return events;
}

void write_states(json::Writer& json, const Decoded& decoded, WallTime now) {
  for (const Lifecycle& lifecycle : decoded.entity->lifecycles) {
    const State* const state = state_of(lifecycle, decoded.fields);
    if (state == nullptr) continue;
    json.begin_object();
    json.name("lifecycle").text(lifecycle.name);
    json.name("state").text(state->name);
    write_stay(json, stay_in(*decoded.entity, *state, decoded.fields, now));
    json.end_object();
  }
}

void write_events(json::Writer& json, const Decoded& decoded) {
  for (const Event& event : events_of(decoded)) {
    json.begin_object();
    json.name("at").text(iso8601(event.at));
    json.name("field").text(event.field);
    json.name("what").text(event.what);
    json.end_object();
  }
}

// Returns why an item cannot make a transition; empty if it can.
std::string why_not_from(const Entity& entity, const design::Transition& transition, const Item& fields) {
  for (const Lifecycle& lifecycle : entity.lifecycles) {
    if (std::ranges::find(lifecycle.transitions, transition.name, &design::Transition::name) ==
        lifecycle.transitions.end())
      continue;
    const State* const state = state_of(lifecycle, fields);
    const std::string is = state == nullptr ? "" : state->name;
    if (std::ranges::find(transition.from, is, &design::Word::text) != transition.from.end()) return "";
    return lifecycle.name + " is " + (is.empty() ? "in no state" : is) + "; " + transition.name +
           " leads from " + joined(transition.from, &design::Word::text);
  }
  return "";
}

}  // namespace

Result<std::string> timeline(const Subject& subject, const Question& question) {
  TAVOLA_TRY(const Item key, question.needed_item("key"));
  TAVOLA_TRY(const Item item, read_needed_item(subject, key));
  const Decoded decoded = design::decode(subject.design, item);
  std::string answer;
  json::Writer json(answer);
  json.begin_object();
  json.name("item").begin_object();
  write_item_members(json, subject, decoded, item);
  json.end_object();
  json.name("states").begin_list();
  if (decoded.entity != nullptr) write_states(json, decoded, subject.clock.now());
  json.end_list();
  json.name("events").begin_list();
  if (decoded.entity != nullptr) write_events(json, decoded);
  json.end_list();
  json.end_object();
  return answer;
}

Result<std::string> move(const Subject& subject, const Question& question) {
  TAVOLA_TRY(const Item key, question.needed_item("key"));
  TAVOLA_TRY(const std::string name, question.needed_text("transition"));
  TAVOLA_TRY(Item given, question.parameters("parameters"));
  TAVOLA_TRY(const Item item, read_needed_item(subject, key));
  const Decoded decoded = design::decode(subject.design, item);
  if (decoded.entity == nullptr)
    return fail(Error::validation("the design does not know the item: " + decoded.why_none));
  const design::Transition* const transition = decoded.entity->find_transition(name);
  if (transition == nullptr)
    return fail(Error(ErrorCode::ResourceNotFound, decoded.entity->name + " has no transition " + name));
  if (const std::string why = why_not_from(*decoded.entity, *transition, decoded.fields); !why.empty()) {
    std::string answer;
    json::Writer json(answer);
    json.begin_object();
    write_refusal(json, design::kWrongState, why);
    json.end_object();
    return answer;
  }
  for (const std::string& field : decoded.entity->key_fields())
    given.insert_or_assign(field, decoded.fields.at(field));
  TAVOLA_TRY(const design::Operation operation, operation_of(*decoded.entity, *transition));
  return planned_request(subject, operation, given);
}

}  // namespace tavola::lens
