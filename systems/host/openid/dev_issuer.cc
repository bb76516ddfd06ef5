#include "systems/host/openid/dev_issuer.h"

#include <algorithm>

#include "access/identity/sessions.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "base/utf8.h"
#include "http/pages/page_answers.h"
#include "json/writer.h"
#include "server/v1/problem.h"
#include "systems/host/openid/choose_person.h"
#include "systems/host/openid/plain_page.h"

namespace tavola::systems {
namespace {

constexpr std::chrono::minutes kCodeTime{1};
constexpr std::chrono::minutes kIdTokenTime{5};
constexpr std::chrono::hours kAccessTokenTime{1};
constexpr std::chrono::hours kKeyTime{24};  // then the next one signs
constexpr std::size_t kCodesMax = 1000;

std::int64_t seconds_of(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

http::Response redirect_back(std::string_view to, const Parameters& parameters) {
  http::Response response{.status = 303};
  response.add_header("Location", with_parameters(to, parameters));
  response.add_header("Cache-Control", "no-store");
  return response;
}

// RFC 6749, section 5.2.
http::Response token_error(std::string_view error, std::string_view why) {
  std::string body;
  json::Writer json(body);
  json.begin_object();
  json.name("error").text(error);
  json.name("error_description").text(why);
  json.end_object();
  http::Response response = http::json_answer(std::move(body));
  response.status = 400;
  return response;
}

// A mistake in a request for a login, in the words of RFC 6749, section 4.1.2.1.
struct RequestError {
  std::string_view error = {};  // empty: nothing
  std::string_view why = {};
};

bool has_word(std::string_view list, std::string_view word) {
  return (" " + std::string(list) + " ").contains(" " + std::string(word) + " ");
}

RequestError error_in(const Parameters& request) {
  if (value_of(request, "response_type") != "code")
    return {"unsupported_response_type", "response_type must be code"};
  if (!has_word(value_of(request, "scope"), "openid")) return {"invalid_scope", "scope must have openid"};
  if (value_of(request, "code_challenge").empty() || value_of(request, "code_challenge_method") != "S256") {
    return {"invalid_request", "PKCE is needed: send code_challenge, and code_challenge_method=S256"};
  }
  if (value_of(request, "prompt") == "none") return {"login_required", "nobody stays logged in here"};
  return {};
}

void write_groups(json::Writer& json, const design::Identity& who) {
  json.name("cognito:groups").begin_list();
  for (const std::string& group : who.groups) json.text(group);
  json.end_list();
}

}  // namespace

Result<std::unique_ptr<DevIssuer>> DevIssuer::start(Parts parts) {
  std::unique_ptr<DevIssuer> issuer(new DevIssuer(std::move(parts)));
  TAVOLA_CHECK(issuer->add_key());
  http::ServerOptions options;
  options.port = 0;
  options.threads = 1;
  options.reach = http::Reach::ThisMachine;
  options.web = {.pages = http::WebPages::None};
  options.may_take_long = [](const http::Request&) { return true; };
  DevIssuer* const self = issuer.get();
  TAVOLA_TRY(issuer->server_,
             http::Server::start(std::move(options), [self](const http::Request& request, http::Reply reply) {
               http::Response response = self->answer(request);
               // Chrome applies form-action to redirects, too: the answer to the form leads to the application.
               http::protect(response, {}, http::Forms::Anywhere);
               reply(std::move(response));
             }));
  issuer->url_ = issuer->server_->urls().front();
  return issuer;
}

DevIssuer::~DevIssuer() {
  if (server_) server_->stop();
}

void DevIssuer::allow(std::vector<std::string> origins) {
  const MutexLock lock(mutex_);
  origins_ = std::move(origins);
}

Result<void> DevIssuer::add_key() {
  const WallTime now = parts_.clock.now();
  TAVOLA_TRY(SigningKey key, SigningKey::make("dev-" + access::random_secret(parts_.random).substr(0, 12)));
  const MutexLock lock(mutex_);
  keys_.insert(keys_.begin(), Key{std::move(key), now});
  // A key stays published until the last token that it signed has expired.
  std::erase_if(keys_, [&](const Key& one) { return now - one.made > kKeyTime + kAccessTokenTime; });
  return {};
}

std::vector<DevIssuer::Key> DevIssuer::current_keys() {
  bool is_old = false;
  {
    const MutexLock lock(mutex_);
    is_old = parts_.clock.now() - keys_.front().made > kKeyTime;
  }
  if (is_old) {
    if (const auto added = add_key(); !added) return {};
  }
  const MutexLock lock(mutex_);
  return keys_;
}

http::Response DevIssuer::answer(const http::Request& request) {
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  if (is_read && request.path == "/.well-known/openid-configuration") return metadata();
  if (is_read && request.path == "/jwks") return keys();
  if (is_read && request.path == "/authorize") return authorize(request);
  if (is_read && request.path == "/end") return end(request);
  if (is_read && request.path == "/style.css") return style(request);
  if (is_read && request.path == "/") return home();
  if (request.method == "POST" && request.path == "/token") return token(request);
  if (request.method == "POST" && request.path == "/authorize") return authorize(request);
  if (request.method == "POST" && request.path == "/rotate") {
    if (const auto added = add_key(); !added) return server::problem_answer(500, added.error().message());
    return redirect_back("/", {});
  }
  return server::unknown_path(request.path);
}

http::Response DevIssuer::metadata() const {
  std::string body;
  json::Writer json(body);
  const auto one_of = [&](std::string_view name, std::initializer_list<std::string_view> values) {
    json.name(name).begin_list();
    for (const std::string_view value : values) json.text(value);
    json.end_list();
  };
  json.begin_object();
  json.name("issuer").text(url_);
  json.name("authorization_endpoint").text(url_ + "/authorize");
  json.name("token_endpoint").text(url_ + "/token");
  json.name("jwks_uri").text(url_ + "/jwks");
  json.name("end_session_endpoint").text(url_ + "/end");
  one_of("response_types_supported", {"code"});
  one_of("response_modes_supported", {"query"});
  one_of("grant_types_supported", {"authorization_code"});
  one_of("subject_types_supported", {"public"});
  one_of("id_token_signing_alg_values_supported", {"RS256"});
  one_of("token_endpoint_auth_methods_supported", {"none"});
  one_of("code_challenge_methods_supported", {"S256"});
  one_of("scopes_supported", {"openid"});
  one_of("claims_supported", {"sub", "preferred_username", "cognito:groups"});
  json.name("authorization_response_iss_parameter_supported").boolean(true);
  json.end_object();
  return http::json_answer(std::move(body));
}

http::Response DevIssuer::keys() {
  std::string body;
  json::Writer json(body);
  json.begin_object();
  json.name("keys").begin_list();
  for (const Key& one : current_keys()) one.key.write_jwk(json);
  json.end_list();
  json.end_object();
  return http::json_answer(std::move(body));
}

http::Response DevIssuer::style(const http::Request& request) const {
  const http::Asset* const sheet = style_sheet(parts_.assets);
  if (sheet == nullptr) return server::unknown_path(request.path);
  return {.status = 200, .content_type = sheet->type, .body = std::string(sheet->plain.text())};
}

http::Response DevIssuer::home() {
  std::vector<std::string> ids;
  for (const Key& one : current_keys()) ids.push_back(one.key.id());
  return issuer_page(url_, ids);
}

std::string DevIssuer::mistake_in(const Parameters& request) const {
  const std::string client(value_of(request, "client_id"));
  if (client != parts_.client)
    return "There is no client \"" + client + "\" here, only " + parts_.client + ".";
  const std::string_view uri = value_of(request, "redirect_uri");
  const MutexLock lock(mutex_);
  const bool is_known = std::ranges::any_of(
      origins_, [&](const std::string& one) { return uri == one + "/login/oidc/callback"; });
  return is_known ? "" : "The client may not return to \"" + std::string(uri) + "\".";
}

http::Response DevIssuer::authorize(const http::Request& request) {
  const bool is_form = request.method == "POST";
  const auto parameters = read_parameters(is_form ? request.body : request.query);
  const std::string mistake =
      parameters ? mistake_in(*parameters) : "The parameters are not encoded, or one is there twice.";
  // Without a known client, nobody knows where an error may be sent.
  if (!mistake.empty()) return refused_page(mistake);
  if (const RequestError wrong = error_in(*parameters); !wrong.error.empty()) {
    return redirect_back(value_of(*parameters, "redirect_uri"),
                         {{"error", std::string(wrong.error)},
                          {"error_description", std::string(wrong.why)},
                          {"state", std::string(value_of(*parameters, "state"))},
                          {"iss", url_}});
  }
  return is_form ? decide(*parameters) : choose_page(parts_.people, *parameters);
}

http::Response DevIssuer::decide(const Parameters& form) {
  const std::string_view to = value_of(form, "redirect_uri");
  const std::string state(value_of(form, "state"));
  const auto chosen = chosen_person(form, parts_.people);
  if (!chosen) return choose_page(parts_.people, form, chosen.error().message());
  if (!*chosen) {
    return redirect_back(to, {{"error", "access_denied"},
                              {"error_description", "Nobody was chosen."},
                              {"state", state},
                              {"iss", url_}});
  }
  const std::string code = access::random_secret(parts_.random);
  const WallTime now = parts_.clock.now();
  {
    const MutexLock lock(mutex_);
    std::erase_if(codes_, [&](const auto& one) { return one.second.until < now; });
    if (codes_.size() >= kCodesMax) codes_.erase(codes_.begin());
    codes_[code] = Code{.who = **chosen,
                        .redirect_uri = std::string(to),
                        .nonce = std::string(value_of(form, "nonce")),
                        .challenge = std::string(value_of(form, "code_challenge")),
                        .until = now + kCodeTime};
  }
  return redirect_back(to, {{"code", code}, {"state", state}, {"iss", url_}});
}

std::optional<DevIssuer::Code> DevIssuer::take_code(const std::string& code) {
  const MutexLock lock(mutex_);
  const auto found = codes_.find(code);
  if (found == codes_.end()) return std::nullopt;
  Code taken = std::move(found->second);
  codes_.erase(found);
  return taken.until >= parts_.clock.now() ? std::optional(std::move(taken)) : std::nullopt;
}

http::Response DevIssuer::token(const http::Request& request) {
  const auto form = read_parameters(request.body);
  if (!form) return token_error("invalid_request", "the body must be a form");
  if (value_of(*form, "grant_type") != "authorization_code")
    return token_error("unsupported_grant_type", "grant_type must be authorization_code");
  if (value_of(*form, "client_id") != parts_.client)
    return token_error("invalid_client", "there is no such client");
  const auto code = take_code(std::string(value_of(*form, "code")));
  const std::string challenge = to_base64url(sha256({value_of(*form, "code_verifier")}));
  if (!code || code->redirect_uri != value_of(*form, "redirect_uri") ||
      !same_secret(code->challenge, challenge)) {
    return token_error(
        "invalid_grant",
        "the code is unknown, used or expired, or redirect_uri or code_verifier are not those of the login");
  }
  const std::vector<Key> keys = current_keys();
  if (keys.empty()) return server::problem_answer(500, "There is no key");
  const WallTime now = parts_.clock.now();
  const auto token_for = [&](std::string_view use, std::string_view party, std::chrono::seconds time) {
    std::string claims;
    json::Writer json(claims);
    json.begin_object();
    json.name("iss").text(url_);
    json.name("sub").text(code->who.sub);
    json.name(party).text(parts_.client);
    json.name("token_use").text(use);
    json.name("preferred_username").text(code->who.sub);
    write_groups(json, code->who);
    if (use == "id" && !code->nonce.empty()) json.name("nonce").text(code->nonce);
    json.name("iat").integer(seconds_of(now));
    json.name("auth_time").integer(seconds_of(now));
    json.name("exp").integer(seconds_of(now + time));
    json.end_object();
    return keys.front().key.sign(claims);
  };
  std::string body;
  json::Writer json(body);
  json.begin_object();
  json.name("id_token").text(token_for("id", "aud", kIdTokenTime));
  json.name("access_token").text(token_for("access", "client_id", kAccessTokenTime));
  json.name("token_type").text("Bearer");
  json.name("expires_in").integer(std::chrono::seconds(kAccessTokenTime).count());
  json.name("scope").text("openid");
  json.end_object();
  return http::json_answer(std::move(body));
}

http::Response DevIssuer::end(const http::Request& request) {
  const auto parameters = read_parameters(request.query);
  const std::string_view to =
      parameters ? value_of(*parameters, "post_logout_redirect_uri") : std::string_view();
  {
    const MutexLock lock(mutex_);
    const bool is_known =
        std::ranges::any_of(origins_, [&](const std::string& one) { return to == one + "/"; });
    if (!to.empty() && !is_known)
      return refused_page("The client may not return to \"" + std::string(to) + "\".");
  }
  if (to.empty()) return refused_page("The login has ended.");
  const std::string_view state = value_of(*parameters, "state");
  return redirect_back(to, state.empty() ? Parameters() : Parameters{{"state", std::string(state)}});
}

}  // namespace tavola::systems
