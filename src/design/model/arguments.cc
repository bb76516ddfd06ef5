#include "design/model/arguments.h"

#include <algorithm>
#include <memory>

#include "design/model/field_value.h"
#include "design/model/nearest.h"

namespace tavola::design {
namespace {

Error bad_parameter(const std::string& name, const std::string& message) {
  return {ErrorCode::Validation, message, std::make_shared<BadParameter>(name)};
}

const Parameter* find(std::span<const Parameter> parameters, std::string_view name) {
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

Error unknown(std::span<const Parameter> parameters, const std::string& name) {
  std::vector<std::string> names;
  names.reserve(parameters.size());
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  std::string message = "there is no parameter " + name;
  if (const std::string near = nearest(name, names); !near.empty())
    return bad_parameter(name, message + "; did you mean " + near + "?");
  if (names.empty()) return bad_parameter(name, message + "; there are none");
  message += "; the parameters are ";
  for (std::size_t i = 0; i < names.size(); ++i) message += (i == 0 ? "" : ", ") + names[i];
  return bad_parameter(name, message);
}

// Returns whether the text is a day that ends a range of times: the day sorts before all times of that day, which
// begin with it.
bool ends_as_day(const Parameter& parameter, std::string_view text) {
  if (!parameter.may_be_day) return false;
  Attribute day = parameter.form;
  day.type = {AttributeType::Kind::Date, {}};
  return !why_not(day, Value(text));
}

Result<Value> named(const Parameter& parameter, Result<Value> value) {
  if (value) return value;
  return fail(bad_parameter(parameter.name, value.error().message()));
}

Result<std::optional<Value>> computed_default(const Parameter& parameter, const Item& so_far,
                                              const Ambient& ambient) {
  if (!parameter.otherwise) return std::optional<Value>();
  Result<std::optional<Value>> computed = parameter.otherwise->value(ambient.with({.parameters = &so_far}));
  if (!computed) {
    // A default that depends on one other parameter fails because of that one: a time zone that does not exist.
    const std::vector<std::string>& used = parameter.otherwise->parameters();
    return fail(bad_parameter(used.size() == 1 ? used.front() : parameter.name, computed.error().message()));
  }
  std::optional<Value> value = *std::move(computed);
  if (value) {
    TAVOLA_TRY(Value accepted, accept_computed(parameter.form, *parameter.otherwise, *value));
    value = std::move(accepted);
  }
  return value;
}

}  // namespace

Result<Value> accept_computed(const Attribute& field, const Rule& rule, const Value& value) {
  if (field.type.is_timestamp() && value.is_number() && rule.gives_moment()) {
    if (const auto ms = value.number().to_int64())
      return write_moment(field.type, WallTime(std::chrono::milliseconds(*ms)));
  }
  return from_plain(field, value);
}

Result<void> assign_computed(const Entity& entity, const Assignment& assignment, const Value& value,
                             Item& fields) {
  const Attribute* const form = entity.find_field(assignment.field);
  if (form == nullptr) {
    fields[assignment.field] = value;
    return {};
  }
  Result<Value> accepted = accept_computed(*form, assignment.value, value);
  if (!accepted) return fail(Error::validation(entity.name + ": " + accepted.error().message()));
  fields[assignment.field] = *std::move(accepted);
  return {};
}

Result<Item> check_parameters(std::span<const Parameter> parameters, const Item& given,
                              const Ambient& ambient) {
  for (const auto& [name, value] : given) {
    if (find(parameters, name) == nullptr) return fail(unknown(parameters, name));
  }
  Item checked;
  for (const Parameter& parameter : parameters) {
    const auto found = given.find(parameter.name);
    if (found != given.end() && !found->second.is_null()) {
      if (found->second.is_string() && ends_as_day(parameter, found->second.string())) {
        checked[parameter.name] = found->second;
        continue;
      }
      TAVOLA_TRY(checked[parameter.name], named(parameter, from_plain(parameter.form, found->second)));
      continue;
    }
    TAVOLA_TRY(std::optional<Value> value, computed_default(parameter, checked, ambient));
    if (value) {
      checked[parameter.name] = *std::move(value);
    } else if (parameter.required) {
      return fail(bad_parameter(parameter.name, parameter.name + " is required"));
    }
  }
  return checked;
}

Result<Item> from_texts(std::span<const Parameter> parameters,
                        const std::map<std::string, std::string, std::less<>>& texts) {
  Item values;
  for (const auto& [name, text] : texts) {
    const Parameter* parameter = find(parameters, name);
    if (parameter == nullptr) return fail(unknown(parameters, name));
    if (ends_as_day(*parameter, text)) {
      values[name] = text;
      continue;
    }
    TAVOLA_TRY(values[name], named(*parameter, from_text(parameter->form, text)));
  }
  return values;
}

}  // namespace tavola::design
