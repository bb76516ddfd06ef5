// Plans of operations as readable text: the reads, and then each write with its conditions and the meaning of each
// failure. Names and values replace their placeholders; an unused one fails the test, as DynamoDB refuses it.
#pragma once

#include <algorithm>

#include <gtest/gtest.h>

#include "design/load.h"
#include "design/model/plain_json.h"
#include "design/requests/operation_plan.h"
#include "expr/evaluate/compile.h"

namespace tavola::design {

constexpr WallTime kNow{std::chrono::milliseconds(1'700'000'000'000)};

inline std::string replaced(std::string text, const std::string& from, const std::string& to, bool& found) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    const std::size_t end = at + from.size();
    if (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) {
      at = end - to.size();
      continue;
    }
    text.replace(at, from.size(), to);
    found = true;
  }
  return text;
}

// The texts of a request, with names and values in place of their placeholders.
class Readable {
 public:
  template <class Write>
  explicit Readable(const Write& write) : names_(write.names), values_(write.values.unpack()) {
    for (const auto& [name, attribute] : names_) used_[name] = false;
    for (const auto& [name, value] : values_) used_[name] = false;
  }
  ~Readable() {
    for (const auto& [name, used] : used_) EXPECT_TRUE(used) << name << " is not used";
  }
  Readable(const Readable&) = delete;
  Readable& operator=(const Readable&) = delete;

  std::string operator()(std::string text) {
    for (const auto& [name, value] : values_) text = replaced(text, name, to_plain_json(value), used_[name]);
    for (const auto& [name, attribute] : names_) text = replaced(text, name, attribute, used_[name]);
    return text;
  }

 private:
  const AttributeNames& names_;
  const Item values_;
  std::map<std::string, bool> used_;
};

inline std::string readable(const Cause& cause, Readable& text) {
  const std::string otherwise = cause.kind == Cause::Kind::Refusal ? cause.name
                                : cause.kind == Cause::Kind::Gone  ? "without " + cause.name
                                                                   : "again";
  return "  " + text(cause.condition) + " | " + otherwise + "\n";
}

inline std::string readable(const Action& action) {
  return std::visit(
      [&](const auto& write) {
        Readable text(write);
        std::string out;
        using Write = std::decay_t<decltype(write)>;
        if constexpr (std::is_same_v<Write, PutItemRequest>) {
          out = "put " + to_plain_json(write.item.unpack()) + "\n";
        } else if constexpr (std::is_same_v<Write, UpdateItemRequest>) {
          expr::Compiler compiler(write.names, write.values.view());
          const auto update = compiler.update(write.update_expression);
          EXPECT_TRUE(update.has_value()) << write.update_expression << ": " << update.error().message();
          out = "update " + to_plain_json(write.key.unpack()) + "\n  " + text(write.update_expression) + "\n";
        } else {
          const bool is_delete = std::is_same_v<Write, DeleteItemRequest>;
          out = (is_delete ? "delete " : "check ") + to_plain_json(write.key.unpack()) + "\n";
        }
        for (const Cause& cause : action.causes) out += readable(cause, text);
        return out;
      },
      action.write);
}

inline Item item_of(std::string_view json) {
  const auto value = parse_plain_json(json);
  EXPECT_TRUE(value.has_value()) << json;
  return value ? value->map() : Item();
}

// One operation of a small design, with the items of its table by the read that finds them.
struct Case {
  std::string design;
  std::string parameters;
  std::vector<std::string> stored = {};  // items of the table, in the order in which a query finds them
};

class Planned {
 public:
  explicit Planned(const Case& one) : loaded_(load(kTable + one.design, "case.yaml")) {
    for (const Diagnostic& diagnostic : loaded_.diagnostics) {
      EXPECT_NE(diagnostic.severity, Severity::Error) << to_text(diagnostic, kTable + one.design);
    }
    if (!loaded_.design) return;
    const Operation& operation = loaded_.design->operations.front();
    auto call = begin(*loaded_.design, operation, item_of(one.parameters), {kNow, nullptr});
    if (!call) {
      text_ += call.error().message() + "\n";
      return;
    }
    const auto asked = reads(*call);
    if (!asked) {
      text_ += asked.error().message() + "\n";
      return;
    }
    ReadItems found;
    for (const Read& read : *asked) found.push_back(find(read, one.stored));
    auto plan = design::plan(
        *call, found, [&](const Read& read) -> Result<std::vector<Item>> { return find(read, one.stored); });
    if (!plan) {
      text_ += plan.error().message() + "\n";
      return;
    }
    for (const Action& action : plan->actions) text_ += readable(action);
    plan_ = *std::move(plan);
  }

  const std::string& text() const { return text_; }
  const Plan& plan() const { return plan_; }

 private:
  static inline const std::string kTable =
      "design: 1\nname: case\ntable: { name: cases, hash: PK, range: SK }\n";

  std::vector<Item> find(const Read& read, const std::vector<std::string>& stored) {
    const auto* get = std::get_if<GetItemRequest>(&read.request);
    text_ += get != nullptr ? "get " + to_plain_json(get->key.unpack()) + "\n" : "query\n";
    std::vector<Item> items;
    for (const std::string& json : stored) {
      const Item item = item_of(json);
      const bool is_asked = get == nullptr
                                ? decode(*loaded_.design, item).entity == read.entity
                                : std::ranges::all_of(get->key.unpack(), [&](const auto& part) {
                                    return item.contains(part.first) && item.at(part.first) == part.second;
                                  });
      if (is_asked) items.push_back(item);
    }
    return items;
  }

  Loaded loaded_;
  std::string text_;
  Plan plan_;
};

inline std::string planned(const Case& one) { return Planned(one).text(); }

}  // namespace tavola::design
