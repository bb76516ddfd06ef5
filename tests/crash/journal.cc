#include "tests/crash/journal.h"

#include <algorithm>
#include <climits>
#include <sstream>
#include <utility>

namespace tavola::crash {

namespace {

std::string line_of(const Attempt& attempt) {
  const Operation& operation = attempt.operation;
  std::ostringstream out;
  out << "A " << operation.id << ' ' << static_cast<int>(operation.kind) << ' ' << operation.table << ' '
      << (operation.key.partition.empty() ? "-" : operation.key.partition) << ' ' << operation.key.sort;
  return out.str();
}

std::string line_of(const Acknowledged& end) {
  return "K " + std::to_string(end.id) + (end.outcome.applied ? " 1 " : " 0 ") +
         std::to_string(end.outcome.value);
}

std::string line_of(const Failed& end) {
  std::string line = "E " + std::to_string(end.id) + " " + end.message;
  std::ranges::replace(line, '\n', ' ');
  if (line.size() > PIPE_BUF - 1) line.resize(PIPE_BUF - 1);
  return line;
}

std::optional<JournalRecord> parse_attempt(std::istream& in) {
  Operation operation;
  int kind = 0;
  in >> operation.id >> kind >> operation.table >> operation.key.partition >> operation.key.sort;
  if (in.fail() || kind < 0 || kind > static_cast<int>(Operation::Kind::DeleteTable)) return std::nullopt;
  operation.kind = static_cast<Operation::Kind>(kind);
  if (operation.key.partition == "-") operation.key.partition.clear();
  return Attempt{std::move(operation)};
}

}  // namespace

std::string to_line(const JournalRecord& record) {
  return std::visit([](const auto& one) { return line_of(one); }, record) + "\n";
}

std::optional<JournalRecord> parse_line(std::string_view line) {
  std::istringstream in{std::string(line)};
  char tag = 0;
  in >> tag;
  if (tag == 'A') return parse_attempt(in);
  std::uint64_t id = 0;
  if (!(in >> id)) return std::nullopt;
  if (tag == 'K') {
    Outcome outcome;
    if (!(in >> outcome.applied >> outcome.value)) return std::nullopt;
    return Acknowledged{.id = id, .outcome = outcome};
  }
  if (tag != 'E') return std::nullopt;
  Failed failed{.id = id};
  std::getline(in >> std::ws, failed.message);
  return failed;
}

}  // namespace tavola::crash
