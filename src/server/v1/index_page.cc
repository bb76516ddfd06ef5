#include "server/v1/index_page.h"

#include <string_view>

#include "base/encoding.h"
#include "design/model/plain_json.h"
#include "design/requests/served_patterns.h"
#include "json/writer.h"
#include "workshop/texts/markup.h"

namespace tavola::server {
namespace {

using workshop::escape_markup;

constexpr std::string_view kStyle = R"(<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #223; }
  h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.5rem } h3 { font-size: 1rem; margin: 1.5rem 0 0 }
  p { margin: .25rem 0 } code, pre { font: .875em/1.5 ui-monospace, monospace; background: #f2f4f8; border-radius: 4px }
  code { padding: .1em .3em } pre { padding: .6em .8em; overflow-x: auto; margin: .5rem 0 }
  table { border-collapse: collapse; margin: .5rem 0 } td, th { text-align: left; padding: .1rem 1.2rem .1rem 0 }
  th { font-weight: 600; font-size: .875em; color: #667 } a { color: #1a56b0 }
  @media (prefers-color-scheme: dark) {
    body { background: #14171c; color: #dde } code, pre { background: #22262e } a { color: #8ab4f8 } th { color: #99a }
  }
</style>
)";

std::string page(std::string_view title, std::string_view body) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>";
  out += escape_markup(title);
  out += "</title>\n";
  out += kStyle;
  out += body;
  return out + "</html>\n";
}

// Returns the title and the doc of a part.
std::string words(const design::Notes& notes) {
  std::string out;
  if (!notes.title.empty()) out += "<p>" + escape_markup(notes.title) + "</p>\n";
  if (!notes.doc.empty()) out += "<p>" + escape_markup(notes.doc) + "</p>\n";
  return out;
}

std::string bounds(const design::Attribute& form) {
  std::string out;
  const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  if (form.min) add("≥ " + form.min->to_string());
  if (form.max) add("≤ " + form.max->to_string());
  for (const std::string& value : form.values) add(value);
  return out;
}

std::string parameter_table(const std::vector<design::Parameter>& parameters) {
  if (parameters.empty()) return {};
  std::string out = "<table><tr><th>parameter</th><th>type</th><th></th><th></th></tr>\n";
  for (const design::Parameter& parameter : parameters) {
    out += "<tr><td><code>" + escape_markup(parameter.name) + "</code></td><td>" +
           escape_markup(design::type_text(parameter.form.type)) + "</td><td>" +
           (parameter.required ? "required" : "optional") + "</td><td>" +
           escape_markup(bounds(parameter.form)) +
           (parameter.form.notes.doc.empty() ? "" : " " + escape_markup(parameter.form.notes.doc)) +
           "</td></tr>\n";
  }
  return out + "</table>\n";
}

// Returns an example of a parameter; "…" if the design gives none.
Value sample(const design::Parameter& parameter) {
  if (parameter.form.example) return *parameter.form.example;
  return Value(parameter.form.values.empty() ? "…" : parameter.form.values.front());
}

// Returns the value in a query string: special characters are encoded, the rest stays readable.
std::string in_query(const Value& value) {
  constexpr std::string_view kSpecial = " \"#%&+<>[]{}";
  std::string out;
  for (const char c : value.is_string() ? value.string() : design::to_plain_json(value)) {
    out += kSpecial.find(c) == std::string_view::npos ? std::string(1, c) : "%" + to_hex({&c, 1});
  }
  return out;
}

std::string try_pattern(const design::Design& design, const design::Pattern& pattern) {
  if (!design::is_served(pattern)) return "<p>No request serves it.</p>\n";
  std::string query;
  for (const design::Parameter& parameter : pattern.parameters) {
    if (!parameter.required) continue;
    query += (query.empty() ? "?" : "&") + parameter.name + "=" + in_query(sample(parameter));
  }
  return "<pre>GET /v1/" + escape_markup(design.name + "/" + pattern.name + query) + "</pre>\n";
}

std::string try_operation(const design::Design& design, const design::Operation& operation) {
  std::string body = "{";
  for (const design::Parameter& parameter : operation.parameters) {
    if (!parameter.required) continue;
    body += body.size() > 1 ? ", " : " ";
    json::append_text(body, parameter.name);
    body += ": " + design::to_plain_json(sample(parameter));
  }
  body += body.size() > 1 ? " }" : "}";
  return "<pre>POST /v1/" + escape_markup(design.name + "/" + operation.name) +
         "\nContent-Type: application/json\n\n" + escape_markup(body) + "</pre>\n";
}

std::string link(const std::string& address, const std::string& text) {
  return "<a href=\"" + escape_markup(address) + "\">" + escape_markup(text) + "</a>";
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

}  // namespace

std::string index_page(std::span<const design::Design> designs) {
  std::string body = "<h1>Designs</h1>\n<p>The designs of this server. For programs: " +
                     link("/v1/openapi.json", "openapi.json") + ".</p>\n";
  for (const design::Design& design : designs) {
    body += "<h2>" + link("/v1/" + design.name + "/", design.name) + "</h2>\n" + words(design.notes) + "<p>" +
            counted(design.entities.size(), "entity", "entities") + ", " +
            counted(design.patterns.size(), "pattern", "patterns") + ", " +
            counted(design.operations.size(), "operation", "operations") + " on the table <code>" +
            escape_markup(design.table.name) + "</code>.</p>\n";
  }
  return page("Designs", body);
}

std::string index_page(const design::Design& design) {
  std::string body = "<p>" + link("/v1/", "Designs") + "</p>\n<h1>" + escape_markup(design.name) + "</h1>\n" +
                     words(design.notes) + "<p>" +
                     link("/v1/" + design.name + "/docs.md", "All of it as Markdown") +
                     "</p>\n<h2>Patterns</h2>\n";
  for (const design::Pattern& pattern : design.patterns) {
    body += "<h3 id=\"" + escape_markup(pattern.name) + "\">" + escape_markup(pattern.name) + "</h3>\n" +
            words(pattern.notes) + parameter_table(pattern.parameters) + try_pattern(design, pattern);
  }
  body += "<h2>Operations</h2>\n";
  for (const design::Operation& operation : design.operations) {
    body += "<h3 id=\"" + escape_markup(operation.name) + "\">" + escape_markup(operation.name) + "</h3>\n" +
            words(operation.notes) + parameter_table(operation.parameters) + try_operation(design, operation);
  }
  return page(design.name, body);
}

}  // namespace tavola::server
