#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "json/reader.h"
#include "policy/actions.h"
#include "policy/policy.h"

namespace tavola::policy {
namespace {

constexpr std::string_view kNewVersion = "2012-10-17";
constexpr int kDepthMax = 16;                           // of lists and objects in each other
constexpr std::string_view kOldVersion = "2008-10-17";  // without variables

bool is_account(std::string_view text) {
  constexpr std::size_t kDigits = 12;
  return text.size() == kDigits && std::ranges::all_of(text, is_digit);
}

Error missing(std::string_view field) {
  return invalid_document("Missing required field " + std::string(field));
}

// Keeps equal principals once, as AWS does.
Result<void> add_principal(const std::string& text, Principals& principals) {
  if (text == "*") {
    principals.anyone = true;
    return {};
  }
  std::string arn = is_account(text) ? "arn:aws:iam::" + text + ":root" : text;
  constexpr std::string_view kStart = "arn:aws:iam::";
  const std::string_view rest = std::string_view(arn).substr(std::min(arn.size(), kStart.size()));
  constexpr std::size_t kAccountDigits = 12;
  const std::string_view who = rest.substr(std::min(rest.size(), kAccountDigits));
  const bool is_user =
      who.starts_with(":user/") && who.size() > 6 && !who.contains('*') && !who.contains('?');
  if (!arn.starts_with(kStart) || !is_account(rest.substr(0, kAccountDigits)) ||
      (!is_user && who != ":root")) {
    return fail(invalid_document("Tavola does not know the principal \"" + text +
                                 "\": use users (arn:aws:iam::ACCOUNT:user/ACCESS-KEY), accounts and \"*\""));
  }
  if (std::ranges::find(principals.arns, arn) == principals.arns.end()) {
    principals.arns.push_back(std::move(arn));
  }
  return {};
}

// Blocks public access as AWS does: a permission for everybody must be limited to callers that the policy names.
Result<void> check_bounds(const Statement& statement) {
  if (statement.effect == Effect::Deny) return {};
  if (!statement.principals.anyone && !statement.principals.negated) return {};
  if (!statement.principals.negated && std::ranges::any_of(statement.conditions, &Condition::names_callers)) {
    return {};
  }
  return fail(Error::validation(
      "Resource-based policy grants unbounded access in one or more elements. Please revise the "
      "policy to ensure least-privilege form of access"));
}

class PolicyReader {
 public:
  PolicyReader(std::string_view text, Target target) : text_(text), target_(target) {}

  Result<Policy> read(const json::Node& root) {
    TAVOLA_CHECK(check_members(root, {"Version", "Id", "Statement"}));
    TAVOLA_CHECK(read_head(root));
    const json::Node* const statement = root.find("Statement");
    if (statement == nullptr) return fail(syntax(root.end, ""));
    if (statement->is_object()) {
      TAVOLA_CHECK(read_statement(*statement));
    } else if (statement->is_list()) {
      for (const json::Node& one : statement->elements) TAVOLA_CHECK(read_statement(one));
    } else {
      return fail(syntax(statement->begin, "Statement must be an object or a list of them"));
    }
    if (policy_.statements.empty()) {
      return fail(invalid_document("Could not parse the policy: Statement is empty!"));
    }
    TAVOLA_CHECK(check_sids());
    return std::move(policy_);
  }

 private:
  Error syntax(std::size_t at, std::string_view what) const {
    return invalid_document("Syntax error at position " + json::position_of(text_, at) +
                            (what.empty() ? "" : ": " + std::string(what)));
  }

  Result<void> check_members(const json::Node& object, std::initializer_list<std::string_view> known) const {
    for (const auto& [name, node] : object.members) {
      if (std::ranges::find(known, name) != known.end()) continue;
      return fail(syntax(node.begin, "unknown element \"" + name + "\""));
    }
    return {};
  }

  Result<void> read_head(const json::Node& root) {
    policy_.version = kOldVersion;
    if (const json::Node* const version = root.find("Version")) {
      if (version->text != kNewVersion && version->text != kOldVersion) {
        return fail(invalid_document("The policy must contain a valid version string: 2012-10-17"));
      }
      policy_.version = version->text;
    }
    if (const json::Node* const id = root.find("Id")) {
      if (!id->is_text()) return fail(syntax(id->begin, "Id must be text"));
      policy_.id = id->text;
    }
    return {};
  }

  Result<void> read_statement(const json::Node& node) {
    if (!node.is_object()) return fail(syntax(node.begin, "a statement must be an object"));
    TAVOLA_CHECK(check_members(node, {"Sid", "Effect", "Principal", "NotPrincipal", "Action", "NotAction",
                                      "Resource", "NotResource", "Condition"}));
    Statement statement;
    if (const json::Node* const sid = node.find("Sid")) {
      if (!sid->is_text()) return fail(syntax(sid->begin, "Sid must be text"));
      statement.sid = sid->text;
    }
    TAVOLA_CHECK(read_effect(node, statement));
    TAVOLA_CHECK(read_principals(node, statement.principals));
    TAVOLA_CHECK(read_names(node, "Action", statement.actions));
    TAVOLA_CHECK(check_actions(statement.actions));
    TAVOLA_CHECK(read_names(node, "Resource", statement.resources));
    for (const std::string& resource : statement.resources.texts) TAVOLA_CHECK(check_resource(resource));
    for (const Pattern& resource : statement.resources.patterns) resource.add_keys(policy_.mentioned);
    if (const json::Node* const condition = node.find("Condition")) {
      TAVOLA_CHECK(read_conditions(*condition, statement));
    }
    TAVOLA_CHECK(check_bounds(statement));
    policy_.statements.push_back(std::move(statement));
    return {};
  }

  Result<void> read_effect(const json::Node& node, Statement& statement) const {
    const json::Node* const effect = node.find("Effect");
    if (effect == nullptr) return fail(missing("Effect"));
    if (effect->text == "Allow") {
      statement.effect = Effect::Allow;
    } else if (effect->text != "Deny") {
      return fail(syntax(effect->begin, "Effect must be \"Allow\" or \"Deny\""));
    }
    return {};
  }

  // Returns the element of this name or its Not form; refuses both together.
  Result<const json::Node*> find_either(const json::Node& node, const std::string& name,
                                        bool& negated) const {
    const json::Node* const plain = node.find(name);
    const json::Node* const inverse = node.find("Not" + name);
    if (plain != nullptr && inverse != nullptr) {
      return fail(syntax(inverse->begin, name + " and Not" + name + " cannot be in one statement"));
    }
    if (plain == nullptr && inverse == nullptr) return fail(missing(name));
    negated = inverse != nullptr;
    return negated ? inverse : plain;
  }

  Result<std::vector<std::string>> texts_of(const json::Node& node, const std::string& what) const {
    std::vector<std::string> texts;
    const auto add = [&](const json::Node& one) {
      if (one.is_text()) texts.push_back(one.text);
      return one.is_text();
    };
    const bool all = node.is_list() ? std::ranges::all_of(node.elements, add) : add(node);
    if (!all || texts.empty()) return fail(syntax(node.begin, what + " must be text or a list of texts"));
    return texts;
  }

  Result<void> read_names(const json::Node& node, const std::string& name, Names& names) const {
    TAVOLA_TRY(const json::Node* const found, find_either(node, name, names.negated));
    TAVOLA_TRY(names.texts, texts_of(*found, name));
    const bool is_action_name = name == "Action";
    for (const std::string& text : names.texts) {
      auto pattern = Pattern::parse(
          text, {.variables = !is_action_name && has_variables(), .ignores_case = is_action_name});
      if (!pattern) return fail(invalid_document(pattern.error()));
      names.patterns.push_back(*std::move(pattern));
    }
    return {};
  }

  bool has_variables() const { return policy_.version == kNewVersion; }

  Result<void> check_actions(const Names& actions) const {
    std::string wrong;
    for (const std::string& text : actions.texts) {
      if (is_action(text, target_)) continue;
      wrong += (wrong.empty() ? "\"" : ", \"") + text + "\"";
    }
    if (!wrong.empty()) return fail(invalid_document("The following action names are invalid: " + wrong));
    return {};
  }

  // A table's policy covers the table and its indexes, a stream's the stream. The resource's name is not checked, as on
  // AWS: a statement about another resource has no effect.
  Result<void> check_resource(std::string_view resource) const {
    if (resource == "*") return {};
    std::string_view rest = resource;
    for (int i = 0; i < 5; ++i) {
      const std::size_t colon = rest.find(':');
      if (colon == std::string_view::npos || !resource.starts_with("arn:")) {
        return fail(
            invalid_document("Resource " + std::string(resource) + " must be in ARN format or \"*\"."));
      }
      rest.remove_prefix(colon + 1);
    }
    const bool is_stream = rest.contains("/stream/");
    const bool may_be_any = rest.starts_with('*') || (rest.starts_with("table/") && rest.ends_with('*'));
    const bool fits = target_ == Target::Stream ? is_stream || may_be_any
                                                : !is_stream && (may_be_any || rest.starts_with("table/"));
    if (fits) return {};
    return fail(invalid_document("The relative-id \"" + std::string(rest) + "\" is invalid for ARN \"" +
                                 std::string(resource) + "\""));
  }

  Result<void> read_principals(const json::Node& node, Principals& principals) const {
    TAVOLA_TRY(const json::Node* const found, find_either(node, "Principal", principals.negated));
    if (found->is_text() && found->text == "*") {
      principals.is_bare_star = principals.anyone = true;
      return {};
    }
    if (!found->is_object() || found->members.empty()) {
      return fail(syntax(found->begin, R"(Principal must be "*" or {"AWS": …})"));
    }
    for (const auto& [kind, who] : found->members) {
      if (kind == "Service") return fail(invalid_document("Policy contains invalid service principal"));
      if (kind != "AWS") {
        return fail(invalid_document("Tavola does not support principals of type \"" + kind +
                                     "\": {\"AWS\": …} names users and accounts"));
      }
      TAVOLA_TRY(const std::vector<std::string> texts, texts_of(who, "Principal"));
      for (const std::string& text : texts) TAVOLA_CHECK(add_principal(text, principals));
    }
    if (principals.negated && principals.anyone) {
      return fail(invalid_document("NotPrincipal must name a user or an account: \"*\" is everybody"));
    }
    return {};
  }

  Result<void> read_conditions(const json::Node& node, Statement& statement) {
    if (!node.is_object()) return fail(syntax(node.begin, "Condition must be an object"));
    for (const auto& [op, tests] : node.members) {
      if (!tests.is_object() || tests.members.empty()) {
        return fail(syntax(tests.begin, "an operator needs an object of condition keys"));
      }
      for (const auto& [key, operands] : tests.members) {
        TAVOLA_TRY(std::vector<std::string> values, operands_of(operands));
        auto condition = Condition::parse(op, key, std::move(values), has_variables());
        if (!condition) return fail(invalid_document(condition.error()));
        condition->add_keys(policy_.mentioned);
        statement.conditions.push_back(*std::move(condition));
      }
    }
    return {};
  }

  // Numbers and booleans may stand there without quotes.
  Result<std::vector<std::string>> operands_of(const json::Node& node) const {
    std::vector<std::string> operands;
    const auto add = [&](const json::Node& one) {
      const bool is_scalar =
          one.is_text() || one.kind == json::Node::Kind::Number || one.kind == json::Node::Kind::Boolean;
      if (is_scalar) operands.push_back(one.text);
      return is_scalar;
    };
    const bool all = node.is_list() ? std::ranges::all_of(node.elements, add) : add(node);
    if (!all) return fail(syntax(node.begin, "a condition needs a text or a list of texts"));
    return operands;
  }

  Result<void> check_sids() const {
    std::set<std::string_view> sids;
    for (const Statement& statement : policy_.statements) {
      if (statement.sid && !statement.sid->empty() && !sids.insert(*statement.sid).second) {
        return fail(invalid_document("The Statement Ids in the policy are not unique"));
      }
    }
    return {};
  }

  std::string_view text_;
  Target target_;
  Policy policy_;
};

}  // namespace

Error invalid_document(std::string_view what) {
  return Error::validation("One or more parameter values were invalid: Invalid policy document: " +
                           std::string(what));
}

// The second sentence is ours.
Error invalid_principal(std::string_view who) {
  return Error::validation(
      "One or more parameter values were invalid: Invalid principal in policy document. There is no " +
      std::string(who));
}

Result<Policy> parse_policy(std::string_view text, Target target) {
  if (text.size() > kPolicyBytesMax) {
    return fail(Error::validation("One or more parameter values were invalid: Maximum policy size of " +
                                  std::to_string(kPolicyBytesMax) + " bytes exceeded"));
  }
  const auto root = json::parse(text, kDepthMax);
  if (!root) {
    return fail(invalid_document(
        "This policy contains invalid Json" +
        (text.empty() ? std::string()
                      : ": " + root.error().what + " " + json::position_of(text, root.error().at))));
  }
  if (root->kind == json::Node::Kind::Null)
    return fail(invalid_document("This text appears not to be a policy"));
  if (!root->is_object()) return fail(invalid_document("This policy contains invalid Json"));
  return PolicyReader(text, target).read(*root);
}

}  // namespace tavola::policy
