#include "base/ascii.h"
#include "base/overloaded.h"
#include "partiql/messages.h"
#include "partiql/parse.h"
#include "partiql/parser.h"
#include "partiql/words.h"

namespace tavola::partiql {

using messages::malformed;

// ---- The cursor ----

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

Token Parser::take() {
  Token token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Parser::at_word(std::string_view word, std::size_t ahead) const {
  return peek(ahead).kind == TokenKind::Word && same_text(peek(ahead).text, word);
}
bool Parser::at_symbol(std::string_view symbol, std::size_t ahead) const {
  return peek(ahead).kind == TokenKind::Symbol && peek(ahead).text == symbol;
}
bool Parser::at_name(std::size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind == TokenKind::QuotedName || (token.kind == TokenKind::Word && !is_keyword(token.text));
}

bool Parser::accept_word(std::string_view word) {
  if (!at_word(word)) return false;
  static_cast<void>(take());
  return true;
}
bool Parser::accept_symbol(std::string_view symbol) {
  if (!at_symbol(symbol)) return false;
  static_cast<void>(take());
  return true;
}

Result<void> Parser::expect_word(std::string_view word) {
  if (accept_word(word)) return {};
  return fail(peek().kind == TokenKind::Bad ? malformed("") : malformed("Expected " + std::string(word)));
}
Result<void> Parser::expect_symbol(std::string_view symbol) {
  if (accept_symbol(symbol)) return {};
  return fail(peek().kind == TokenKind::Bad ? malformed("")
                                            : malformed("Expected '" + std::string(symbol) + "'"));
}

void Parser::refuse(Error error) {
  if (!refused_) refused_ = std::move(error);
}

// ---- Statements ----

Result<Statement> Parser::statement() {
  TAVOLA_TRY(Statement parsed, statement_of_any_kind());
  accept_symbol(";");
  if (peek().kind == TokenKind::Bad) return fail(malformed(""));
  if (peek().kind != TokenKind::End) return fail(malformed("Unexpected token after expression"));
  if (refused_) return fail(*std::move(refused_));
  return parsed;
}

Result<Statement> Parser::statement_of_any_kind() {
  if (at_word("select")) {
    TAVOLA_TRY(Select parsed, select());
    return Statement(std::move(parsed));
  }
  if (at_word("insert") && at_word("into", 1)) return insert();
  if (at_word("update")) return update();
  if (at_word("from")) return update_from_first();
  if (at_word("delete")) return remove();
  return no_statement();
}

// PartiQL accepts any expression as a statement, DynamoDB only EXISTS.
Result<Statement> Parser::no_statement() {
  TAVOLA_TRY(Expr parsed, expression());
  if (const auto* call = std::get_if<Call>(&parsed.form); call != nullptr && call->select != nullptr) {
    return Statement(Exists{*call->select});
  }
  const std::string_view kind =
      std::visit(Overloaded{
                     [](const TypeTest&) { return "IsType"; },
                     [](const Operation&) { return "NAry"; },
                     [](const Call&) { return "NAry"; },
                     [](const Path& path) { return path.steps.size() == 1 ? "VariableReference" : "Path"; },
                     [](const Sequence&) { return "Seq"; },
                     [](const Tuple&) { return "Struct"; },
                     [](const Parameter&) { return "Parameter"; },
                     [](const auto&) { return "Literal"; },
                 },
                 parsed.form);
  refuse(messages::refused("Unsupported operation: " + std::string(kind)));
  return Statement(Select());
}

Result<Source> Parser::source() {
  Source named{take().text};
  if (accept_symbol(".")) {
    if (!at_name()) return fail(malformed("Invalid path dot component"));
    named.index = take().text;
    if (at_symbol(".") || at_symbol("[")) {
      TAVOLA_CHECK(accept_symbol(".") ? dot_step() : (static_cast<void>(take()), bracket_step()));
      refuse(messages::refused("A path may contain at most 2 components in the FROM clause"));
    }
  }
  return named;
}

Result<void> Parser::alias() {
  if (accept_word("as")) {
    if (!at_name()) return fail(malformed("Expected identifier"));
  } else if (!at_name()) {
    return {};
  }
  static_cast<void>(take());
  refuse(messages::aliased());
  return {};
}

Result<std::optional<Expr>> Parser::where() {
  if (!accept_word("where")) return std::optional<Expr>();
  TAVOLA_TRY(Expr condition, expression());
  return std::optional(std::move(condition));
}

Result<Select> Parser::select() {
  static_cast<void>(take());
  Select made;
  TAVOLA_CHECK(select_list(made));
  TAVOLA_CHECK(expect_word("from"));
  if (!at_name())
    return fail(peek().kind == TokenKind::Text ? messages::refused("Unexpected from source") : unexpected());
  TAVOLA_TRY(made.from, source());
  TAVOLA_CHECK(alias());
  while (accept_symbol(",") || accept_word("join")) {
    TAVOLA_CHECK(expression());
    refuse(messages::several_sources());
  }
  TAVOLA_TRY(made.where, where());
  if (accept_word("order")) TAVOLA_CHECK(order_by(made));
  TAVOLA_CHECK(unsupported_clauses());
  return made;
}

Result<void> Parser::select_list(Select& select) {
  if (at_word("distinct")) refuse(messages::refused("Unsupported clause: DISTINCT", take().place));
  accept_word("all");
  if (accept_word("value") || accept_word("pivot")) {
    refuse(messages::refused("Select projection doesn't support value or pivot keywords"));
  }
  bool has_star = false;
  std::size_t columns = 0;
  do {
    ++columns;
    if (accept_symbol("*")) {
      has_star = true;
      continue;
    }
    if (at_word("from")) return fail(malformed("Unexpected keyword"));
    TAVOLA_TRY(Expr column, expression());
    if (!std::holds_alternative<Path>(column.form)) {
      refuse(messages::refused("Unexpected path component", column.place));
    }
    select.columns.push_back(std::move(column));
    TAVOLA_CHECK(alias());
  } while (accept_symbol(","));
  if (has_star && columns > 1) {
    refuse(messages::refused("Other attributes should not be present in the projection when '*' is used."));
  }
  return {};
}

Result<void> Parser::order_by(Select& select) {
  TAVOLA_CHECK(expect_word("by"));
  do {
    TAVOLA_TRY(const Expr key, expression());
    const auto* path = std::get_if<Path>(&key.form);
    if (path == nullptr || path->steps.size() != 1) {
      refuse(messages::refused("Argument to ORDER BY must be of type VariableReference. Type: " +
                               std::string(path == nullptr ? "Expression" : "Path")));
    }
    const bool descending = accept_word("desc");
    if (!descending) accept_word("asc");
    select.order.push_back({path == nullptr ? std::string() : path->steps.front().name, descending});
  } while (accept_symbol(","));
  return {};
}

// Clauses of PartiQL that DynamoDB lacks: the number of items is the parameter Limit of the request.
Result<void> Parser::unsupported_clauses() {
  for (;;) {
    if (accept_word("group")) {
      TAVOLA_CHECK(expect_word("by"));
      const Place place = peek().place;
      do {
        TAVOLA_CHECK(expression());
      } while (accept_symbol(","));
      refuse(messages::refused("Unsupported clause: GROUP BY", place));
      continue;
    }
    const bool known = at_word("having") || at_word("limit") || at_word("offset");
    if (!known) return {};
    std::string clause = lower_case(take().text);
    for (char& c : clause) c = static_cast<char>(c - 'a' + 'A');
    const Place place = peek().place;
    TAVOLA_CHECK(expression());
    refuse(messages::refused("Unsupported clause: " + clause, place));
  }
}

Result<Statement> Parser::insert() {
  static_cast<void>(take());
  static_cast<void>(take());
  if (!at_name()) return fail(malformed("Expected identifier for simple path"));
  Insert made;
  TAVOLA_TRY(made.into, source());
  if (!made.into.index.empty()) refuse(messages::index_in_write());
  const bool one = accept_word("value");
  if (!one) {
    accept_word("values");
    refuse(
        messages::refused("Unsupported operation: Inserting multiple items in a single statement is not "
                          "supported, use \"INSERT INTO "
                          "tableName VALUE item\" instead"));
  }
  TAVOLA_TRY(made.item, expression());
  if (at_word("at")) {
    static_cast<void>(take());
    TAVOLA_CHECK(expression());
    refuse(messages::refused("AT is not supported in insert statements."));
  }
  if (at_word("returning")) {
    TAVOLA_CHECK(returning());
    refuse(messages::refused("RETURNING is not supported in INSERT"));
  }
  return Statement(std::move(made));
}

Result<Path> Parser::target() {
  if (!at_name()) {
    return fail(peek().kind == TokenKind::Bad ? malformed("")
                                              : malformed("Expected identifier for simple path"));
  }
  return path();
}

Result<void> Parser::assignment(std::vector<Change>& changes) {
  Change change;
  TAVOLA_TRY(change.target, target());
  TAVOLA_CHECK(expect_symbol("="));
  TAVOLA_TRY(change.value, right_side(&Parser::expression));
  changes.push_back(std::move(change));
  return {};
}

Result<void> Parser::changes(std::vector<Change>& changes) {
  while (at_word("set") || at_word("remove")) {
    if (accept_word("remove")) {
      Change change;
      TAVOLA_TRY(change.target, target());
      changes.push_back(std::move(change));
      continue;
    }
    static_cast<void>(take());
    do {
      TAVOLA_CHECK(assignment(changes));
    } while (accept_symbol(","));
  }
  if (changes.empty())
    return fail(peek().kind == TokenKind::Bad ? malformed("") : malformed("Expected data manipulation"));
  return {};
}

Result<Statement> Parser::update() {
  static_cast<void>(take());
  if (!at_name()) return fail(unexpected());
  Update made;
  TAVOLA_TRY(made.table, source());
  TAVOLA_CHECK(alias());
  if (!made.table.index.empty()) refuse(messages::index_in_write());
  TAVOLA_CHECK(changes(made.changes));
  TAVOLA_TRY(made.where, where());
  TAVOLA_TRY(made.returning, returning());
  return Statement(std::move(made));
}

Result<Statement> Parser::update_from_first() {
  static_cast<void>(take());
  if (!at_name()) return fail(unexpected());
  Update made;
  TAVOLA_TRY(made.table, source());
  TAVOLA_CHECK(alias());
  if (!made.table.index.empty()) refuse(messages::index_in_write());
  TAVOLA_TRY(made.where, where());
  TAVOLA_CHECK(changes(made.changes));
  TAVOLA_TRY(made.returning, returning());
  return Statement(std::move(made));
}

Result<Statement> Parser::remove() {
  static_cast<void>(take());
  TAVOLA_CHECK(expect_word("from"));
  if (!at_name()) return fail(malformed("Expected identifier for simple path"));
  Delete made;
  TAVOLA_TRY(made.from, source());
  TAVOLA_CHECK(alias());
  if (!made.from.index.empty()) refuse(messages::index_in_write());
  TAVOLA_TRY(made.where, where());
  TAVOLA_TRY(made.returning, returning());
  const bool is_fine = !made.returning || *made.returning == Returning::AllOld;
  if (!is_fine) {
    refuse(messages::refused("Invalid returning clause: RETURNING " + std::string(to_text(*made.returning)) +
                             ". Only RETURNING ALL OLD * is allowed in DELETE statements."));
  }
  return Statement(std::move(made));
}

Result<std::optional<Returning>> Parser::returning() {
  if (!accept_word("returning")) return std::optional<Returning>();
  const bool modified = accept_word("modified");
  if (!modified) TAVOLA_CHECK(expect_word("all"));
  const bool is_new = accept_word("new");
  if (!is_new) TAVOLA_CHECK(expect_word("old"));
  if (!accept_symbol("*")) {
    return fail(messages::refused("Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause"));
  }
  if (at_symbol(",")) {
    return fail(messages::refused("Invalid syntax with multiple returning elements in RETURNING clause"));
  }
  if (modified) return std::optional(is_new ? Returning::ModifiedNew : Returning::ModifiedOld);
  return std::optional(is_new ? Returning::AllNew : Returning::AllOld);
}

Result<Statement> parse(std::string_view text) { return Parser(text).statement(); }

}  // namespace tavola::partiql
