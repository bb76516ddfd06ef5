#include "systems/host/openid/choose_person.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"
#include "systems/host/openid/plain_page.h"

namespace tavola::systems {
namespace {

constexpr std::size_t kNameBytesMax = 128;  // as long as a design lets an owner's name be
constexpr std::size_t kGroupsMax = 20;
constexpr std::string_view kStyle = "/style.css";

bool is_good_name(const std::string& text) {
  return !text.empty() && text.size() <= kNameBytesMax && is_utf8(text) && !text.contains('#');
}

std::string joined_groups(const design::Identity& person) {
  std::string text;
  for (const std::string& group : person.groups) text += (text.empty() ? "" : ", ") + group;
  return text;
}

// The parameters of the client's request, which the form sends again.
std::string hidden_fields(const Parameters& request) {
  std::string html;
  for (const char* const name : {"response_type", "client_id", "redirect_uri", "scope", "state", "nonce",
                                 "code_challenge", "code_challenge_method"}) {
    html += "<input type=\"hidden\" name=\"" + std::string(name) + "\" value=\"" +
            html_text(value_of(request, name)) + "\">";
  }
  return html;
}

std::string known_people(const std::vector<design::Identity>& people) {
  std::string html = "<div class=\"people\" role=\"group\" aria-label=\"Known people\">";
  for (const design::Identity& person : people) {
    html += "<button class=\"button\" name=\"person\" value=\"" + html_text(person.sub) + "\"><strong>" +
            html_text(person.sub) + "</strong> <span class=\"quiet small\">" +
            html_text(joined_groups(person)) + "</span></button>";
  }
  return html + "</div>";
}

std::string field(std::string_view label, std::string_view name, std::string_view value,
                  std::string_view hint) {
  const std::string id(name);
  return "<div class=\"field\"><label for=\"" + id + "\">" + std::string(label) + "</label><input id=\"" +
         id + "\" name=\"" + id + "\" value=\"" + html_text(value) + "\" aria-describedby=\"" + id +
         "-hint\"><p class=\"hint\" id=\"" + id + "-hint\">" + std::string(hint) + "</p></div>";
}

}  // namespace

http::Response choose_page(const std::vector<design::Identity>& people, const Parameters& request,
                           std::string_view wrong) {
  PlainPage page{.status = wrong.empty() ? 200 : 400, .title = "Who are you?", .style = std::string(kStyle)};
  const std::string hidden = hidden_fields(request);
  if (!wrong.empty()) page.body += "<p class=\"notice\" role=\"alert\">" + html_text(wrong) + "</p>";
  if (!people.empty()) {
    page.body += "<form method=\"post\" action=\"/authorize\">" + hidden + known_people(people) + "</form>";
  }
  page.body +=
      "<form method=\"post\" action=\"/authorize\">" + hidden +
      "<input type=\"hidden\" name=\"other\" value=\"yes\">" +
      field("Somebody else", "user", value_of(request, "user"), "A name of 1 to 128 bytes without #") +
      field("Groups", "groups", value_of(request, "groups"), "Separated by commas") +
      "<div class=\"row\"><button class=\"button primary\">Log in</button>"
      "<button class=\"button plain\" name=\"cancel\" value=\"yes\">Cancel</button></div></form>"
      "<p class=\"quiet small\">This login checks no password. It is for development, on this machine "
      "only.</p>";
  return plain_page(page);
}

Result<std::optional<design::Identity>> chosen_person(const Parameters& form,
                                                      const std::vector<design::Identity>& people) {
  if (!value_of(form, "cancel").empty()) return std::nullopt;
  if (const std::string_view name = value_of(form, "person"); !name.empty()) {
    const auto found = std::ranges::find(people, name, &design::Identity::sub);
    if (found == people.end()) return fail(Error::validation("There is nobody of this name."));
    return *found;
  }
  design::Identity who{.sub = std::string(value_of(form, "user"))};
  if (!is_good_name(who.sub))
    return fail(Error::validation("Type a name of 1 to 128 bytes without #, or choose somebody."));
  bool are_good = true;
  for_each_part(value_of(form, "groups"), ',', [&](std::string_view part) {
    const std::string group(trimmed(part));
    if (group.empty()) return;
    are_good = are_good && is_good_name(group) && who.groups.size() < kGroupsMax;
    who.groups.push_back(group);
  });
  if (!are_good)
    return fail(Error::validation("At most 20 groups, each a name of 1 to 128 bytes without #."));
  return who;
}

http::Response issuer_page(std::string_view url, const std::vector<std::string>& keys) {
  PlainPage page{.title = "Issuer for development", .style = std::string(kStyle)};
  page.body = "<p>OpenID Connect: <a href=\"/.well-known/openid-configuration\">" + html_text(url) +
              "</a></p><p>Its <a href=\"/jwks\">keys</a>, the newest first:</p><ul>";
  for (const std::string& key : keys) page.body += "<li><code>" + html_text(key) + "</code></li>";
  page.body +=
      "</ul><form method=\"post\" action=\"/rotate\"><button class=\"button\">Make a new key</button></form>";
  return plain_page(page);
}

http::Response refused_page(std::string_view why) {
  return plain_page({.status = 400,
                     .title = "Issuer for development",
                     .body = "<p class=\"notice\" role=\"alert\">" + html_text(why) + "</p>",
                     .style = std::string(kStyle)});
}

}  // namespace tavola::systems
