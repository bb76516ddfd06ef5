#include "access/identity/signature_parts.h"

#include <array>
#include <utility>

#include "access/identity/canonical_request.h"
#include "base/ascii.h"

namespace tavola::access {
namespace {

Error missing_token() {
  return {ErrorCode::MissingAuthenticationToken, "Request is missing Authentication Token"};
}

Error missing_parts(std::string message) { return {ErrorCode::IncompleteSignature, std::move(message)}; }

bool has_parameter(std::string_view query, std::string_view name) {
  bool found = false;
  for_each_part(query, '&', [&](std::string_view part) { found |= part.substr(0, part.find('=')) == name; });
  return found;
}

}  // namespace

Result<void> SignatureParts::read(const http::Request& request) {
  const std::string_view authorization = trimmed(request.header("authorization"));
  is_in_query = !request.query.empty() && has_parameter(request.query, "X-Amz-Algorithm");
  if (is_in_query && !authorization.empty()) {
    return fail({ErrorCode::InvalidSignature,
                 "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."});
  }
  if (is_in_query) return read_query(request);
  if (!authorization.starts_with("AWS4-")) return fail(missing_token());
  return read_header(request, authorization);
}

Result<void> SignatureParts::read_header(const http::Request& request, std::string_view authorization) {
  algorithm = authorization.substr(0, authorization.find(' '));
  std::string_view rest = authorization.substr(algorithm.size());
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(" ,"), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.empty()) continue;
    const std::size_t equal = pair.find('=');
    if (equal == std::string_view::npos) {
      return fail(
          missing_parts("'" + std::string(pair) +
                        "' not a valid key=value pair (missing equal-sign) in Authorization header: '" +
                        std::string(authorization) + "'."));
    }
    const std::string_view name = pair.substr(0, equal);
    const std::string_view value = pair.substr(equal + 1);
    if (name == "Credential") credential = value;
    if (name == "Signature") signature = value;
    if (name == "SignedHeaders") signed_headers = value;
  }
  date = request.header("x-amz-date");
  if (date.empty()) date = request.header("date");

  std::string missing;
  if (credential.empty()) missing += "Authorization header requires 'Credential' parameter. ";
  if (signature.empty()) missing += "Authorization header requires 'Signature' parameter. ";
  if (signed_headers.empty()) missing += "Authorization header requires 'SignedHeaders' parameter. ";
  if (date.empty()) {
    missing += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
  }
  if (!missing.empty()) return fail(missing_parts(missing + "Authorization=" + std::string(authorization)));
  return {};
}

Result<void> SignatureParts::read_query(const http::Request& request) {
  const std::array<std::pair<std::string_view, std::string_view*>, 6> wanted = {{
      {"X-Amz-Algorithm", &algorithm},
      {"X-Amz-Credential", &credential},
      {"X-Amz-Signature", &signature},
      {"X-Amz-SignedHeaders", &signed_headers},
      {"X-Amz-Date", &date},
      {"X-Amz-Expires", &expires},
  }};
  // Decoding never makes a text longer, so the views stay valid.
  decoded_.reserve(request.query.size());
  for (const auto& [name, value] : query_parameters(request.query)) {
    for (const auto& [wanted_name, part] : wanted) {
      if (name != wanted_name || !part->empty()) continue;
      const std::size_t offset = decoded_.size();
      decoded_ += value;
      *part = std::string_view(decoded_).substr(offset);
    }
  }
  std::string missing;
  for (const auto& [name, value] : wanted) {
    if (value->empty() && name != "X-Amz-Expires") {
      missing.append("AWS query-string parameters must include '").append(name).append("'. ");
    }
  }
  if (!missing.empty()) return fail(missing_parts(missing + "Re-examine the query-string parameters."));
  return {};
}

CredentialScope split_credential(std::string_view credential) {
  CredentialScope scope;
  std::string_view* const places[] = {&scope.access_key, &scope.date, &scope.region, &scope.service,
                                      &scope.terminator};
  while (credential.ends_with('/')) credential.remove_suffix(1);
  for_each_part(credential, '/', [&](std::string_view element) {
    if (scope.elements < std::size(places)) *places[scope.elements] = element;
    ++scope.elements;
  });
  return scope;
}

}  // namespace tavola::access
