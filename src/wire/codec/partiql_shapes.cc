#include "wire/codec/partiql_shapes.h"

#include "value/limits.h"
#include "wire/codec/attribute_values.h"

namespace tavola::wire {
namespace {

// A text whose length is a constraint of the model.
std::optional<std::string> text_within(const Fields& in, std::string_view name, std::size_t most,
                                       Presence presence) {
  std::optional<std::string> text = in.text(name, presence);
  if (!text) return std::nullopt;
  Constraints& constraints = in.problems().constraints();
  if (text->empty()) constraints.add_broken("", in.path_of(name), "have length greater than or equal to 1");
  if (text->size() > most) {
    constraints.add_broken(*text, in.path_of(name),
                           "have length less than or equal to " + std::to_string(most));
  }
  return text;
}

}  // namespace

std::string read_statement(const Fields& in) {
  return text_within(in, "Statement", 8192, Presence::Required).value_or(std::string());
}

std::vector<Value> read_parameters(const Fields& in, Problems& values) {
  const auto list = in.list("Parameters");
  if (list && list->empty()) {
    in.problems().constraints().add_broken("[]", in.path_of("Parameters"),
                                           "have length greater than or equal to 1");
  }
  return read_values(in.with(values), "Parameters").value_or(std::vector<Value>());
}

std::string read_next_token(const Fields& in) {
  return text_within(in, "NextToken", 32768, Presence::Optional).value_or(std::string());
}

std::string read_request_token(const Fields& in) {
  return text_within(in, "ClientRequestToken", limits::kRequestTokenBytesMax, Presence::Optional)
      .value_or(std::string());
}

}  // namespace tavola::wire
