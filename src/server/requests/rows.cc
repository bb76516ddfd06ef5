#include "server/requests/rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string_view>

#include "server/requests/masked_body.h"

namespace tavola::server {
namespace {

// The message of a refusal is the text of a JSON string, and may have been cut in the middle of a character or an escape.
std::string_view whole_text(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto c = static_cast<unsigned char>(text[at]);
    std::size_t size = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (c == '\\') size = text.substr(at).starts_with("\\u") ? 6 : 2;
    if (at + size > text.size()) break;
    at += size;
  }
  return text.substr(0, at);
}

void write_number(json::Writer& json, double number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  json.raw().append(digits.data(), end);
}

void write_texts(json::Writer& json, std::string_view name, const std::vector<std::string>& texts) {
  json.name(name).begin_list();
  for (const std::string& text : texts) json.text(text);
  json.end_list();
}

void write_cost(json::Writer& json, const RequestFacts& facts) {
  if (facts.scanned) json.name("scanned").integer(*facts.scanned);
  if (facts.returned) json.name("returned").integer(*facts.returned);
  if (facts.read_units > 0) write_number(json.name("read"), facts.read_units);
  if (facts.write_units > 0) write_number(json.name("write"), facts.write_units);
}

void write_asked(json::Writer& json, const AskedFor& asked) {
  if (!asked.tables.empty()) write_texts(json, "tables", asked.tables);
  if (!asked.index.empty()) json.name("index").text(asked.index);
  if (asked.patterns) write_texts(json, "patterns", *asked.patterns);
  if (asked.is_scan) json.name("scan").boolean(true);
}

}  // namespace

void write_row(json::Writer& json, const RecordedRequest& request, const AskedFor& asked) {
  const RequestFacts& facts = request.facts;
  const RequestTexts texts = request.texts();
  json.name("id").integer(static_cast<std::int64_t>(request.number));
  json.name("at").integer(facts.began.time_since_epoch() / std::chrono::milliseconds(1));
  write_number(json.name("ms"), static_cast<double>(facts.duration / std::chrono::microseconds(1)) / 1000);
  json.name("operation")
      .text(facts.operation.empty() ? texts.target.substr(0, texts.target.find('?')) : facts.operation);
  write_asked(json, asked);
  write_cost(json, facts);
  json.name("status").integer(facts.status);
  if (!texts.error.empty()) json.name("error").text(texts.error);
  if (!texts.refusal.empty()) json.name("why").raw().append("\"").append(whole_text(texts.refusal)) += '"';
  if (!texts.sender.empty()) json.name("key").text(texts.sender);
  json.name("sent").integer(static_cast<std::int64_t>(facts.request_bytes));
  json.name("received").integer(static_cast<std::int64_t>(facts.answer_bytes));
  if (facts.origin == Origin::Console) json.name("from").text("console");
  if (facts.origin == Origin::Tool) json.name("from").text("tool");
}

std::string page_json(const RecordedPage& page, const AskedReader& reader) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("requests").begin_list();
  for (const RecordedRequest& request : page.requests) {
    json.begin_object();
    write_row(json, request, reader.read(request));
    json.end_object();
  }
  json.end_list();
  json.name("last").integer(static_cast<std::int64_t>(page.last));
  json.name("missed").integer(static_cast<std::int64_t>(page.missed));
  json.end_object();
  return out;
}

std::string request_json(const RecordedRequest& request, const AskedReader& reader,
                         SensitiveValues sensitive) {
  const AskedFor asked = reader.read(request);
  const RequestTexts texts = request.texts();
  const DesignsOfTables designs =
      sensitive == SensitiveValues::Masked ? reader.designs_of(asked) : DesignsOfTables();
  MaskedBody body = mask_body(texts.body, designs);
  MaskedBody target = mask_target(texts.target, designs);
  std::string out;
  json::Writer json(out);
  json.begin_object();
  write_row(json, request, asked);
  if (texts.target.find(' ') != std::string_view::npos) json.name("path").text(target.body);
  if (request.has_whole_body && (!body.body.empty() || texts.body.empty())) json.name("body").text(body.body);
  body.masked.insert(body.masked.end(), target.masked.begin(), target.masked.end());
  if (!body.masked.empty()) write_texts(json, "masked", body.masked);
  json.end_object();
  return out;
}

}  // namespace tavola::server
