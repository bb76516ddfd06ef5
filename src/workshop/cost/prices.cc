#include "workshop/cost/prices.h"

#include "yaml/parse.h"

namespace tavola::workshop {
namespace {

class Reader {
 public:
  explicit Reader(const yaml::Node& root) : root_(root) {}

  // Returns empty texts after the first missing entry.
  std::string text(std::string_view name) {
    const yaml::Node* const node = root_.find(name);
    if (node == nullptr || !node->is_scalar() || node->text.empty()) return missing(name, root_), "";
    return node->text;
  }
  Number price(std::string_view section, std::string_view name) {
    const std::string path = std::string(section) + "." + std::string(name);
    const yaml::Node* const part = root_.find(section);
    const yaml::Node* const node = part == nullptr ? nullptr : part->find(name);
    if (node == nullptr) return missing(path, part == nullptr ? root_ : *part), Number();
    const Result<Number> number = Number::parse(node->text);
    if (node->kind != yaml::Kind::Number || !number || number->is_negative()) {
      return note(path + " must be a price, such as 0.125", *node), Number();
    }
    return *number;
  }
  const std::string& problem() const { return problem_; }

 private:
  void missing(std::string_view path, const yaml::Node& where) {
    note(std::string(path) + " is missing", where);
  }
  void note(const std::string& what, const yaml::Node& where) {
    if (problem_.empty()) problem_ = what + " (line " + std::to_string(where.span.begin.line) + ")";
  }
  const yaml::Node& root_;
  std::string problem_;
};

}  // namespace

// Defined in a file that the build makes from prices/us-east-1.yaml.
extern const char* const kStandardPrices;

std::string_view standard_prices() { return kStandardPrices; }

Result<Prices> parse_prices(std::string_view text) {
  const yaml::Document document = yaml::parse(text);
  if (!document.problems.empty()) {
    const yaml::Problem& first = document.problems.front();
    return fail(Error::validation("the price list is not YAML: " + first.message + " (line " +
                                  std::to_string(first.span.begin.line) + ")"));
  }
  Reader in(document.root);
  Prices prices{.region = in.text("region"),
                .date = in.text("date"),
                .currency = in.text("currency"),
                .read_million = in.price("on_demand", "read_million"),
                .write_million = in.price("on_demand", "write_million"),
                .read_unit_hour = in.price("provisioned", "read_unit_hour"),
                .write_unit_hour = in.price("provisioned", "write_unit_hour"),
                .storage_gb_month = in.price("storage", "gb_month")};
  if (!in.problem().empty()) return fail(Error::validation("the price list: " + in.problem()));
  return prices;
}

}  // namespace tavola::workshop
