// Renders structured expressions as DynamoDB's expression text, with the names and values they need.
#pragma once

#include <string>
#include <vector>

#include <tavola/expression.h>

#include "tests/model/expressions.h"
#include "tests/model/random.h"

namespace tavola::model {

// The texts of one request share one Renderer, so that names and values are shared as a client would.
class Renderer {
 public:
  // `random` decides which names are escaped unnecessarily, and the case of keywords.
  explicit Renderer(Random& random) : random_(random) {}

  std::string name(const std::string& attribute);  // itself, or "#n1"
  std::string value(const Value& value);           // ":v1"
  std::string path(const Path& path);
  std::string condition(const Condition& condition);
  std::string update(const Update& update);
  std::string projection(const std::vector<Path>& paths);

  const AttributeNames& names() const { return names_; }
  const Item& values() const { return values_; }

 private:
  std::string keyword(std::string upper);  // sometimes in lower case
  std::string operand(const Operand& operand);
  std::string set_right_side(const Action& action);

  Random& random_;
  AttributeNames names_;
  Item values_;
};

std::string_view text_of(Comparison comparison);

}  // namespace tavola::model
