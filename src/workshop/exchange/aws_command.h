// A command of the AWS CLI, read from its text.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/value.h>

namespace tavola::workshop {

struct AwsCommand {
  std::map<std::string, std::string, std::less<>> options{};  // "--index-name" → its value; empty for a flag

  bool has(std::string_view option) const { return options.contains(option); }
  std::string text(std::string_view option) const;  // empty if missing
};

// Reads `aws dynamodb query --index-name x --key '{…}'`: words are divided by blanks, and quotes work as in a shell.
AwsCommand parse_aws_command(std::string_view text);

// A comparison in a key condition: `#sk >= :v`, `begins_with(#sk, :v)`, `#sk BETWEEN :v AND :w`.
struct KeyComparison {
  std::string op;  // "=", "<", "<=", ">", ">=", "begins_with", "between"
  Value value;     // the first one
};

// Returns the comparison of one attribute in the key condition of a query; nullopt if it has none.
std::optional<KeyComparison> key_comparison(const AwsCommand& query, std::string_view attribute);

}  // namespace tavola::workshop
