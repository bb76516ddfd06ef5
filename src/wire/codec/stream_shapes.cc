#include "wire/codec/stream_shapes.h"

#include "wire/codec/attribute_values.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {

std::string stream_arn(const ServerIdentity& server, std::string_view stream) {
  return table_arn(server, stream);
}

std::optional<std::string_view> resource_in_arn(std::string_view arn) {
  constexpr std::string_view kStart = "arn:";
  constexpr std::string_view kService = ":dynamodb:";
  constexpr std::string_view kTable = ":table/";
  const std::size_t service = arn.find(kService);
  const std::size_t table = arn.find(kTable);
  if (!arn.starts_with(kStart) || service == std::string_view::npos || table == std::string_view::npos ||
      table < service) {
    return std::nullopt;
  }
  return arn.substr(table + kTable.size());
}

std::string read_stream_arn(const Fields& in, std::string_view name, Presence presence) {
  const std::optional<std::string> arn = in.text(name, presence);
  if (!arn) return {};
  const auto stream = resource_in_arn(*arn);
  if (!stream) in.problems().bad_value(Error::validation("Invalid StreamArn"));
  return std::string(stream.value_or(std::string_view()));
}

std::string read_sized_text(const Fields& in, std::string_view name, Lengths lengths, Presence presence) {
  std::optional<std::string> text = in.text(name, presence);
  if (!text) return {};
  Constraints& constraints = in.problems().constraints();
  if (text->size() < lengths.least) {
    constraints.add_broken(*text, in.path_of(name),
                           "have length greater than or equal to " + std::to_string(lengths.least));
  }
  if (text->size() > lengths.most) {
    constraints.add_broken(*text, in.path_of(name),
                           "have length less than or equal to " + std::to_string(lengths.most));
  }
  return *std::move(text);
}

Error stream_error(const ServerIdentity& server, std::string_view stream, const Error& error) {
  constexpr std::string_view kWhat = "Stream: ";
  std::string message = error.message();
  const std::size_t at = message.find(std::string(kWhat) + std::string(stream));
  if (error.code() != ErrorCode::ResourceNotFound || at == std::string::npos) return error;
  message.replace(at + kWhat.size(), stream.size(), stream_arn(server, stream));
  return Error::resource_not_found(std::move(message));
}

namespace {

void write_image(json::Writer& json, std::string_view name, const std::optional<PackedItem>& image) {
  if (!image) return;
  json.name(name);
  write_item(json, image->view());
}

}  // namespace

void write_record(json::Writer& json, const StreamRecord& record, const ServerIdentity& server) {
  json.begin_object();
  json.name("awsRegion").text(server.region);
  json.name("dynamodb").begin_object();
  // In whole seconds (API reference, StreamRecord).
  json.name("ApproximateCreationDateTime").integer(record.created_at.time_since_epoch().count() / 1000);
  json.name("Keys");
  write_item(json, record.keys.view());
  write_image(json, "NewImage", record.new_image);
  write_image(json, "OldImage", record.old_image);
  json.name("SequenceNumber").text(record.sequence_number);
  json.name("SizeBytes").integer(record.size_bytes);
  json.name("StreamViewType").text(enum_name(record.view));
  json.end_object();
  json.name("eventID").text(record.event_id);
  json.name("eventName").text(enum_name(record.kind));
  json.name("eventSource").text("aws:dynamodb");
  json.name("eventVersion").text("1.1");
  if (record.by_time_to_live) {
    json.name("userIdentity").begin_object();
    json.name("PrincipalId").text("dynamodb.amazonaws.com");
    json.name("Type").text("Service");
    json.end_object();
  }
  json.end_object();
}

}  // namespace tavola::wire
