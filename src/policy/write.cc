#include "json/writer.h"
#include "policy/policy.h"

namespace tavola::policy {
namespace {

// Writes one text as itself, several as a list.
void write_texts(json::Writer& json, const std::vector<std::string>& texts) {
  if (texts.size() == 1) return json.text(texts.front());
  json.begin_list();
  for (const std::string& text : texts) json.text(text);
  json.end_list();
}

void write_principals(json::Writer& json, const Principals& principals) {
  json.name(principals.negated ? "NotPrincipal" : "Principal");
  if (principals.is_bare_star) return json.text("*");
  json.begin_object();
  json.name("AWS");
  std::vector<std::string> texts = principals.arns;
  if (principals.anyone) texts.insert(texts.begin(), "*");
  write_texts(json, texts);
  json.end_object();
}

void write_conditions(json::Writer& json, const std::vector<Condition>& conditions) {
  if (conditions.empty()) return;
  json.name("Condition").begin_object();
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const std::string& op = conditions[i].operator_text();
    if (i == 0 || conditions[i - 1].operator_text() != op) json.name(op).begin_object();
    json.name(conditions[i].key_text());
    write_texts(json, conditions[i].values());
    if (i + 1 == conditions.size() || conditions[i + 1].operator_text() != op) json.end_object();
  }
  json.end_object();
}

void write_statement(json::Writer& json, const Statement& statement) {
  json.begin_object();
  if (statement.sid) json.name("Sid").text(*statement.sid);
  json.name("Effect").text(statement.effect == Effect::Allow ? "Allow" : "Deny");
  write_principals(json, statement.principals);
  json.name(statement.actions.negated ? "NotAction" : "Action");
  write_texts(json, statement.actions.texts);
  json.name(statement.resources.negated ? "NotResource" : "Resource");
  write_texts(json, statement.resources.texts);
  write_conditions(json, statement.conditions);
  json.end_object();
}

}  // namespace

std::string to_text(const Policy& policy) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("Version").text(policy.version);
  if (policy.id) json.name("Id").text(*policy.id);
  json.name("Statement").begin_list();
  for (const Statement& statement : policy.statements) write_statement(json, statement);
  json.end_list();
  json.end_object();
  return out;
}

}  // namespace tavola::policy
