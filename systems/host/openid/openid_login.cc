#include "systems/host/openid/openid_login.h"

#include <algorithm>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/utf8.h"
#include "http/pages/page_answers.h"
#include "server/v1/problem.h"
#include "systems/host/openid/plain_page.h"

namespace tavola::systems {
namespace {

constexpr std::string_view kBegin = "/login/oidc";
constexpr std::string_view kCallback = "/login/oidc/callback";
constexpr std::size_t kUserBytesMax = 128;  // as long as a design lets an owner's name be
constexpr std::size_t kQuotedMax = 300;     // bytes of an issuer's own words that are repeated
constexpr std::size_t kViewBytesMax = 2000;

// Returns the view to which a login returns: a path of this server, and nothing that a browser takes for another one.
std::string view_in(const http::Request& request) {
  const auto parameters = read_parameters(request.query);
  const std::string_view to = parameters ? value_of(*parameters, "to") : std::string_view();
  const bool is_here = to.starts_with('/') && !to.starts_with("//") && !to.contains('\\') &&
                       to.size() <= kViewBytesMax &&
                       std::ranges::all_of(to, [](unsigned char c) { return c > 0x20 && c < 0x7f; });
  return is_here ? std::string(to) : "/";
}

http::Response redirect(std::string_view to) {
  http::Response response{.status = 303};
  response.add_header("Location", to);
  response.add_header("Cache-Control", "no-store");
  return response;
}

// Returns why the issuer sent the browser back without a code (RFC 6749, section 4.1.2.1).
std::string words_of_error(const Parameters& parameters) {
  const std::string_view error = value_of(parameters, "error");
  const std::string said(value_of(parameters, "error_description").substr(0, kQuotedMax));
  const std::string more = said.empty() ? "" : " It says: " + said;
  if (error == "access_denied") return "The login was declined." + more;
  if (error == "temporarily_unavailable" || error == "server_error") {
    return "The issuer cannot log anybody in at the moment." + more;
  }
  return "The issuer refused the login (" + std::string(error.substr(0, kQuotedMax)) + ")." + more;
}

// Returns a name that people recognise: a `sub` is often a UUID.
std::string display_name(const Map& claims) {
  for (const char* const name : {"name", "preferred_username", "cognito:username", "email"}) {
    const auto found = claims.find(name);
    if (found != claims.end() && found->second.is_string() && !found->second.string().empty()) {
      return found->second.string();
    }
  }
  return {};
}

Result<void> check_names(const design::Identity& who) {
  const auto is_name = [](const std::string& text) {
    return !text.empty() && text.size() <= kUserBytesMax && is_utf8(text) && !text.contains('#');
  };
  if (!is_name(who.sub)) {
    return fail(
        Error::validation("The issuer's name for this person (sub) must have 1 to 128 bytes and no #"));
  }
  if (!std::ranges::all_of(who.groups, is_name)) {
    return fail(Error::validation("The name of a group must have 1 to 128 bytes and no #"));
  }
  return {};
}

}  // namespace

OpenIdLogin::OpenIdLogin(Parts parts)
    : parts_(std::move(parts)), issuer_(parts_.issuer), pending_(parts_.issuer.clock) {}

void OpenIdLogin::describe(json::Writer& json) const {
  json.begin_object();
  json.name("href").text(kBegin);
  json.end_object();
}

LoginStep OpenIdLogin::answer(const http::Request& request) {
  if (request.path != kBegin && request.path != kCallback)
    return {.response = server::unknown_path(request.path)};
  if (request.method != "GET")
    return {.response = server::problem_answer(405, "This address is for browsers: use GET")};
  return request.path == kBegin ? begin(request) : complete(request);
}

std::string OpenIdLogin::base_of(const http::Request& request) const {
  if (!parts_.public_url.empty()) return parts_.public_url;
  const std::string_view host = request.header("host");
  return host.empty() ? std::string() : (parts_.is_secure ? "https://" : "http://") + std::string(host);
}

LoginStep OpenIdLogin::refused(int status, std::string_view why) const {
  PlainPage page{.status = status, .title = "Not logged in", .style = parts_.style};
  page.body = "<p class=\"notice\" role=\"alert\">" + html_text(why) +
              "</p><a class=\"button primary\" href=\"" + std::string(kBegin) +
              "\">Log in again</a><a href=\"/\">Back to the application</a>";
  return {.response = plain_page(page)};
}

// A cookie for each login, so that two tabs do not disturb each other. The state is in the URL anyway.
std::string OpenIdLogin::cookie(std::string_view state, std::string_view value, std::string_view age) const {
  return parts_.program + "-login-" + std::string(state.substr(0, 16)) + "=" + std::string(value) +
         "; Path=" + std::string(kBegin) + "; HttpOnly; SameSite=Lax; Max-Age=" + std::string(age) +
         (parts_.is_secure ? "; Secure" : "");
}

LoginStep OpenIdLogin::begin(const http::Request& request) {
  const std::string base = base_of(request);
  if (base.empty()) return refused(400, "The request does not say for which server it is (Host).");
  const std::string_view host = request.header("host");
  if (!base.ends_with("://" + std::string(host))) {
    // The cookie must be of the name to which the issuer sends the browser.
    return {.response = redirect(base + std::string(kBegin) + "?" + std::string(request.query))};
  }
  const auto metadata = issuer_.metadata();
  if (!metadata) {
    return refused(503, "The issuer of logins, " + issuer_.parts().url +
                            ", cannot be used: " + metadata.error().message() + ".");
  }
  const std::string state = access::random_secret(parts_.random);
  PendingLogin login{.browser = access::random_secret(parts_.random),
                     .nonce = access::random_secret(parts_.random),
                     .verifier = access::random_secret(parts_.random),
                     .redirect_uri = base + std::string(kCallback),
                     .to = view_in(request)};
  const Parameters parameters{{"response_type", "code"},
                              {"client_id", issuer_.parts().client_id},
                              {"redirect_uri", login.redirect_uri},
                              {"scope", parts_.scopes},
                              {"state", state},
                              {"nonce", login.nonce},
                              {"code_challenge", to_base64url(sha256({login.verifier}))},
                              {"code_challenge_method", "S256"}};
  LoginStep step{.response = redirect(with_parameters(metadata->authorization_endpoint, parameters))};
  step.response.add_header(
      "Set-Cookie",
      cookie(state, login.browser, std::to_string(std::chrono::seconds(PendingLogins::kTime).count())));
  pending_.add(state, std::move(login));
  return step;
}

Result<Login> OpenIdLogin::person_for(const PendingLogin& login, std::string_view code) {
  TAVOLA_TRY(std::string id_token, issuer_.id_token_for({code, login.redirect_uri, login.verifier}));
  TAVOLA_TRY(const Map claims, issuer_.claims_of(id_token, login.nonce));
  TAVOLA_TRY(design::Identity who, access::identity_in(claims, issuer_.parts().groups_claim));
  TAVOLA_CHECK(check_names(who));
  access::LoginOrigin origin{.provider = "oidc", .name = display_name(claims), .proof = std::move(id_token)};
  return Login{.who = std::move(who), .origin = std::move(origin)};
}

LoginStep OpenIdLogin::complete(const http::Request& request) {
  const auto parameters = read_parameters(request.query);
  if (!parameters)
    return refused(400, "The address of this page is not one to which an issuer sends browsers.");
  const std::string_view state = value_of(*parameters, "state");
  const std::string name = parts_.program + "-login-" + std::string(state.substr(0, 16));
  const auto login = pending_.take(state, access::cookie_of(request.header("cookie"), name));
  if (!login) return refused(400, login.error().message());
  const auto done = [&](LoginStep step) {
    step.response.add_header("Set-Cookie", cookie(state, "", "0"));
    return step;
  };
  const auto metadata = issuer_.metadata();
  const std::string_view issuer = value_of(*parameters, "iss");
  if (issuer.empty() ? metadata && metadata->names_itself : issuer != issuer_.parts().url) {
    return done(refused(403, "The answer is not from the issuer " + issuer_.parts().url + "."));
  }
  if (!value_of(*parameters, "error").empty()) return done(refused(403, words_of_error(*parameters)));
  const std::string_view code = value_of(*parameters, "code");
  if (code.empty()) return done(refused(400, "The issuer sent neither a code nor an error."));
  auto person = person_for(*login, code);
  if (!person && person.error().code() == ErrorCode::Io) {
    return done(refused(503, "The issuer of logins cannot be reached: " + person.error().message() + "."));
  }
  if (!person) return done(refused(403, person.error().message() + "."));
  return done({.who = *std::move(person), .response = redirect(login->to)});
}

std::string OpenIdLogin::end_address(const http::Request& request, const access::LoginOrigin& origin) {
  const auto metadata = issuer_.metadata();
  const std::string base = base_of(request);
  if (!metadata || metadata->end_session_endpoint.empty() || base.empty()) return {};
  // OpenID Connect RP-Initiated Logout, and `logout_uri` for Cognito.
  return with_parameters(metadata->end_session_endpoint, {{"id_token_hint", origin.proof},
                                                          {"client_id", issuer_.parts().client_id},
                                                          {"post_logout_redirect_uri", base + "/"},
                                                          {"logout_uri", base + "/"}});
}

}  // namespace tavola::systems
