#include "wire/codec/policy_shapes.h"

#include "json/writer.h"
#include "wire/codec/stream_shapes.h"

namespace tavola::wire {
namespace {

constexpr Lengths kArnLengths{1, 1283};
constexpr Lengths kRevisionLengths{1, 255};

}  // namespace

Result<std::string> read_policy_resource(const Fields& in) {
  const std::string arn = read_sized_text(in, "ResourceArn", kArnLengths, Presence::Required);
  TAVOLA_CHECK(in.problems().check());
  const auto invalid = [&arn](std::string_view why) {
    return fail(
        Error::validation("One or more parameter values were invalid: " + std::string(why) + ": " + arn));
  };
  if (!arn.starts_with("arn:")) return invalid("ARNs must start with 'arn:'");
  std::string resource(resource_in_arn(arn).value_or(std::string_view()));
  if (resource.contains("/index/")) {
    return invalid("Invalid resource arn provided, only table or stream is accepted. Provided resource arn");
  }
  const std::size_t slash = resource.find('/');
  if (resource.empty() || (slash != std::string::npos && !resource.substr(slash).starts_with("/stream/"))) {
    return invalid("Provided Arn is not a DynamoDB resource arn");
  }
  return resource;
}

std::string read_expected_revision(const Fields& in) {
  return read_sized_text(in, "ExpectedRevisionId", kRevisionLengths);
}

Error policy_error(const Fields& in, std::string_view resource, const Error& error) {
  if (error.code() != ErrorCode::PolicyNotFound || !error.message().ends_with(": " + std::string(resource))) {
    return error;
  }
  const std::string_view before =
      std::string_view(error.message()).substr(0, error.message().size() - resource.size());
  return {ErrorCode::PolicyNotFound, std::string(before) + in.text("ResourceArn").value_or(std::string())};
}

std::string write_revision(const std::string& revision_id) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (!revision_id.empty()) json.name("RevisionId").text(revision_id);
  json.end_object();
  return out;
}

}  // namespace tavola::wire
