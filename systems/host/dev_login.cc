#include "systems/host/dev_login.h"

#include "base/utf8.h"
#include "json/reader.h"
#include "server/v1/problem.h"

namespace tavola::systems {
namespace {

constexpr std::size_t kNameBytesMax = 128;  // as long as a design lets an owner's name be
constexpr std::size_t kGroupsMax = 20;

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= kNameBytesMax && is_utf8(text) && !text.contains('#');
}

}  // namespace

void DevLogin::describe(json::Writer& json) const {
  json.begin_object();
  json.name("kind").text("choose");
  json.name("href").text("/login/dev");
  json.name("people").begin_list();
  for (const design::Identity& person : people_) {
    json.begin_object();
    json.name("user").text(person.sub);
    json.name("groups").begin_list();
    for (const std::string& group : person.groups) json.text(group);
    json.end_list();
    json.end_object();
  }
  json.end_list();
  json.end_object();
}

LoginStep DevLogin::answer(const http::Request& request) {
  if (request.method != "POST" || request.path != "/login/dev")
    return {.response = server::unknown_path(request.path)};
  const auto body = json::parse(request.body);
  if (!body || !body->is_object()) {
    return {.response = server::problem_answer(400, R"(send {"user": "anna", "groups": ["owner"]})")};
  }
  design::Identity who{.sub = body->text_at("user")};
  if (!is_name(who.sub)) {
    return {.response =
                server::problem_answer(400, "A user's name has 1 to 128 bytes and no #; type another one")};
  }
  if (const json::Node* groups = body->find("groups"); groups != nullptr && groups->is_list()) {
    for (const json::Node& group : groups->elements) {
      if (!group.is_text() || !is_name(group.text) || who.groups.size() == kGroupsMax) {
        return {.response = server::problem_answer(
                    400, "At most 20 groups, each a name of 1 to 128 bytes without #")};
      }
      who.groups.push_back(group.text);
    }
  }
  return {.who = std::move(who), .response = {.status = 204}};
}

}  // namespace tavola::systems
