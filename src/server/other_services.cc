#include "server/other_services.h"

#include <string>

#include "access/identity/signature_parts.h"
#include "json/writer.h"
#include "objects/codec/xml.h"

namespace tavola::server {
namespace {

constexpr std::string_view kXml = "text/xml";
constexpr std::string_view kRequestId = "00000000-0000-0000-0000-000000000000";

struct Failure {
  int status = 400;
  std::string_view code;
  std::string message;
};

Failure not_here(std::string_view service) {
  return {.code = "UnsupportedService",
          .message = "This is Tavola, which answers DynamoDB alone, and the request is for the service " +
                     std::string(service) +
                     ". AWS_ENDPOINT_URL sends the requests of all services here: unset it and set "
                     "AWS_ENDPOINT_URL_DYNAMODB instead"};
}

// The forms in which services of AWS write errors.
enum class Form : std::uint8_t { Json, Cbor, Query, Ec2, S3 };

Form form_of(const http::Request& request, std::string_view service) {
  if (service == "s3" || service == "s3express") return Form::S3;
  if (service == "ec2") return Form::Ec2;
  if (request.header("smithy-protocol") == "rpc-v2-cbor") return Form::Cbor;
  const bool is_query = request.header("content-type").starts_with("application/x-www-form-urlencoded") ||
                        service == "route53" || service == "cloudfront";
  return is_query ? Form::Query : Form::Json;
}

// A text of CBOR (RFC 8949): its length in two bytes is enough for every message here.
void append_cbor(std::string& out, std::string_view text) {
  out.push_back('\x79');
  out.push_back(static_cast<char>(text.size() >> 8U));
  out.push_back(static_cast<char>(text.size() & 0xffU));
  out.append(text);
}

http::Response as_cbor(const Failure& failure) {
  http::Response response{.status = failure.status, .content_type = "application/cbor"};
  response.add_header("smithy-protocol", "rpc-v2-cbor");
  response.body = "\xa2";  // a map of two
  append_cbor(response.body, "__type");
  append_cbor(response.body, failure.code);
  append_cbor(response.body, "message");
  append_cbor(response.body, failure.message);
  return response;
}

http::Response as_json(const Failure& failure) {
  http::Response response{.status = failure.status, .content_type = "application/json"};
  response.add_header("x-amzn-ErrorType", failure.code);
  json::Writer json(response.body);
  json.begin_object();
  json.name("__type").text(failure.code);
  json.name("message").text(failure.message);
  json.end_object();
  return response;
}

http::Response as_xml(const Failure& failure, Form form) {
  objects::XmlWriter xml;
  if (form == Form::Query) xml.open("ErrorResponse");
  if (form == Form::Ec2) xml.open("Response").open("Errors");
  xml.open("Error");
  if (form == Form::Query) xml.text("Type", "Sender");
  xml.text("Code", failure.code).text("Message", failure.message).close();
  if (form == Form::Query) xml.text("RequestId", kRequestId);
  if (form == Form::Ec2) xml.close().text("RequestID", kRequestId);
  return {.status = failure.status,
          .content_type = form == Form::S3 ? "application/xml" : kXml,
          .body = xml.finish()};
}

http::Response in_form_of(const http::Request& request, std::string_view service, const Failure& failure) {
  const Form form = form_of(request, service);
  if (form == Form::Json) return as_json(failure);
  return form == Form::Cbor ? as_cbor(failure) : as_xml(failure, form);
}

bool asks_for_identity(const http::Request& request) {
  constexpr std::string_view kAction = "Action=GetCallerIdentity";
  const std::size_t at = request.body.find(kAction);
  if (at == std::string_view::npos || (at > 0 && request.body[at - 1] != '&')) return false;
  const std::size_t end = at + kAction.size();
  return end == request.body.size() || request.body[end] == '&';
}

}  // namespace

std::string_view OtherServices::service_of(const http::Request& request) {
  constexpr std::string_view kCredential = "Credential=";
  if (request.header("x-amz-target").starts_with("DynamoDB")) return {};
  const std::string_view authorization = request.header("authorization");
  const std::size_t at = authorization.find(kCredential);
  if (!authorization.starts_with("AWS4-HMAC-SHA256") || at == std::string_view::npos) return {};
  const std::string_view credential = authorization.substr(at + kCredential.size());
  const access::CredentialScope scope =
      access::split_credential(credential.substr(0, credential.find_first_of(", ")));
  return scope.elements != 5 || scope.service == "dynamodb" ? std::string_view() : scope.service;
}

http::Response OtherServices::answer_identity(const http::Request& request, WallTime now) const {
  const Result<access::Sender> sender =
      verifier_ == nullptr ? access::well_formed(request) : verifier_->verify(request, now);
  if (!sender) {
    return in_form_of(request, "sts",
                      {.status = 403, .code = "SignatureDoesNotMatch", .message = sender.error().message()});
  }
  objects::XmlWriter xml;
  xml.open("GetCallerIdentityResponse").open("GetCallerIdentityResult");
  xml.text("Arn", "arn:aws:iam::" + place_.account + ":user/" + sender->access_key);
  xml.text("UserId", sender->access_key).text("Account", place_.account).close();
  xml.open("ResponseMetadata").text("RequestId", kRequestId);
  return {.status = 200, .content_type = kXml, .body = xml.finish()};
}

http::Response OtherServices::answer(const http::Request& request, WallTime now) const {
  const std::string_view service = service_of(request);
  if (service == "sts" && asks_for_identity(request)) return answer_identity(request, now);
  return in_form_of(request, service, not_here(service));
}

std::optional<http::Response> OtherServices::refuse_head(const http::Request& request, WallTime now) const {
  const std::string_view service = service_of(request);
  if (service != "sts") return in_form_of(request, service, not_here(service));
  if (verifier_ == nullptr) return std::nullopt;
  const Result<void> checked = verifier_->check_head(request, now);
  if (checked) return std::nullopt;
  return in_form_of(request, service,
                    {.status = 403, .code = "InvalidClientTokenId", .message = checked.error().message()});
}

}  // namespace tavola::server
