#include "server/requests/recording.h"

#include <algorithm>
#include <array>
#include <string>

#include "wire/codec/maintenance_header.h"

namespace tavola::server {
namespace {

// The text between `before` and `end`; empty if it is missing.
std::string_view text_between(std::string_view text, std::string_view before, std::string_view end) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  return text.substr(0, text.find(end));
}

// The id of the access key that signed a request, if it says so. It was verified, or nobody verifies it.
std::string_view key_of(const http::Request& request) {
  const std::string_view authorization = request.header("authorization");
  if (authorization.starts_with("Bearer ")) return "token";
  return text_between(authorization, "Credential=", "/");
}

// Returns the message of an error as the text of a JSON string. Quotes in a text are escaped, so only a member looks like one.
std::string_view message_in(std::string_view answer) {
  constexpr std::array<std::string_view, 4> kMembers = {R"("message":")", R"("Message":")", R"("detail":")",
                                                        R"("title":")"};
  for (const std::string_view member : kMembers) {
    const std::size_t at = answer.rfind(member);
    if (at == std::string_view::npos) continue;
    const std::string_view text = answer.substr(at + member.size());
    std::size_t end = 0;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    return text.substr(0, end);
  }
  return {};
}

// "INSUFFICIENT_STOCK", the name of a refusal of a design, or "not-found" of "urn:tavola:not-found".
std::string_view problem_name(std::string_view answer) {
  const std::string_view refusal = text_between(answer, R"("refusal":")", "\"");
  if (!refusal.empty()) return refusal;
  const std::string_view type = text_between(answer, R"("type":")", "\"");
  return type.substr(type.rfind(':') + 1);
}

// "GET /v1/music/songsOf?artist=a"; of an unknown operation its name.
std::string target_of(const http::Request& request) {
  const std::string_view target = request.header("x-amz-target");
  if (!target.empty()) return std::string(target.substr(target.rfind('.') + 1));
  std::string text = std::string(request.method) + " " + std::string(request.path);
  if (!request.query.empty()) text += "?" + std::string(request.query);
  return text;
}

}  // namespace

void record_answer(RequestRecorder& recorder, const AnsweredOperation& answered) {
  const http::Request& request = answered.request;
  const bool is_console = !answered.console_sender.empty();
  const bool is_tool = !request.header(wire::kMaintenanceHeader).empty();
  RequestFacts facts{.operation = answered.operation,
                     .began = recorder.time_of(answered.started),
                     .duration = answered.ended - answered.started,
                     .status = answered.status,
                     .origin = is_console ? Origin::Console
                               : is_tool  ? Origin::Tool
                                          : Origin::Client,
                     .request_bytes = request.body.size(),
                     .answer_bytes = answered.answer.size(),
                     .scanned = {},
                     .returned = {},
                     .read_units = answered.cost.read_units,
                     .write_units = answered.cost.write_units};
  if (answered.cost.reads) {
    facts.scanned = answered.cost.reads->scanned;
    facts.returned = answered.cost.reads->returned;
  }
  const std::string target = answered.operation.empty() ? target_of(request) : std::string();
  RequestTexts texts{.target = target,
                     .body = request.body,
                     .sender = is_console ? answered.console_sender : key_of(request),
                     .error = answered.exception,
                     .refusal = {}};
  if (facts.is_refused()) {
    if (texts.error.empty()) texts.error = problem_name(answered.answer);
    texts.refusal = message_in(answered.answer);
  }
  recorder.record(facts, texts);
}

}  // namespace tavola::server
