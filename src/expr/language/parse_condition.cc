#include <utility>

#include "expr/language/parse.h"
#include "expr/language/parser.h"

namespace tavola::expr {

namespace {

using ast::Comparator;
using ast::Node;
using ast::Operand;

// An opening parenthesis may start a condition or an operand, `(a = b)` or `(a) = b`: the parsed part stays undecided
// until the token after it is known.
struct Parsed {
  std::variant<Operand, Node> form;
  bool parenthesized = false;
};

std::optional<Comparator> comparator(TokenKind kind) {
  switch (kind) {
    case TokenKind::Equal:
      return Comparator::Equal;
    case TokenKind::NotEqual:
      return Comparator::NotEqual;
    case TokenKind::Less:
      return Comparator::Less;
    case TokenKind::LessEqual:
      return Comparator::LessEqual;
    case TokenKind::Greater:
      return Comparator::Greater;
    case TokenKind::GreaterEqual:
      return Comparator::GreaterEqual;
    default:
      return std::nullopt;
  }
}

// Parsed parts are kept on a stack of values rather than returned: the functions recurse once per parenthesis, and a
// tree's nodes would make their frames large.
class ConditionParser {
 public:
  ConditionParser(std::string_view text, ExpressionKind kind) : parser_(text, kind) {}

  Result<ast::Condition> parse() {
    TAVOLA_CHECK(parser_.check_size());
    TAVOLA_CHECK(disjunction());
    TAVOLA_CHECK(make_condition());
    TAVOLA_CHECK(parser_.expect(TokenKind::End));
    if (parser_.is_rule()) {
      TAVOLA_CHECK(parser_.check_shape({}));
    } else {
      TAVOLA_CHECK(check_request());
    }
    return ast::Condition{take_node(), parser_.take_placeholders()};
  }

 private:
  Result<void> check_request() const {
    return parser_.check_shape(
        {&ShapeFaults::unknown_function, &ShapeFaults::misused_function, &ShapeFaults::reserved_word});
  }

  Result<void> disjunction() {
    const std::size_t first = stack_.size();
    TAVOLA_CHECK(conjunction());
    if (parser_.peek() != TokenKind::Or) return {};
    TAVOLA_CHECK(make_condition());
    while (parser_.accept(TokenKind::Or)) {
      parser_.count_operator();
      TAVOLA_CHECK(conjunction());
      TAVOLA_CHECK(make_condition());
    }
    push(Node{ast::Or{take_nodes(first)}});
    return {};
  }

  Result<void> conjunction() {
    const std::size_t first = stack_.size();
    TAVOLA_CHECK(negation());
    if (parser_.peek() != TokenKind::And) return {};
    TAVOLA_CHECK(make_condition());
    while (parser_.accept(TokenKind::And)) {
      parser_.count_operator();
      TAVOLA_CHECK(negation());
      TAVOLA_CHECK(make_condition());
    }
    push(Node{ast::And{take_nodes(first)}});
    return {};
  }

  Result<void> negation() {
    std::size_t negations = 0;
    while (parser_.accept(TokenKind::Not)) {
      parser_.count_operator();
      ++negations;
    }
    TAVOLA_CHECK(primary());
    if (negations > 0) TAVOLA_CHECK(make_condition());
    for (; negations > 0; --negations) push(Node{ast::Not{take_nodes(stack_.size() - 1)}});
    return {};
  }

  Result<void> primary() {
    if (parser_.peek() == TokenKind::OpenParen) {
      TAVOLA_CHECK(group());
      if (std::holds_alternative<Node>(stack_.back().form)) return {};
    } else {
      TAVOLA_CHECK(push_operand(parser_.plain_operand()));
    }
    if (parser_.is_rule()) TAVOLA_CHECK(push_operand(parser_.arithmetic(take_operand())));
    return relation();
  }

  Result<void> group() {
    const std::size_t start = parser_.position();
    parser_.advance();
    const Parser::Level level(parser_, 2);  // each has an operator of its own, or is refused
    TAVOLA_CHECK(parser_.check_depth());
    TAVOLA_CHECK(disjunction());
    TAVOLA_CHECK(parser_.expect(TokenKind::CloseParen));
    if (parser_.is_rule()) {
      if (auto* operand = std::get_if<Operand>(&stack_.back().form))
        operand->source = parser_.span_from(start);
      return {};
    }
    if (stack_.back().parenthesized) return fail(parser_.fault(messages::redundant_parentheses()));
    stack_.back().parenthesized = true;
    return {};
  }

  // Parses what may follow an operand: a comparison, BETWEEN, IN, or nothing.
  Result<void> relation() {
    const TokenKind next = parser_.peek();
    const std::optional<Comparator> op = comparator(next);
    if (!op && next != TokenKind::Between && next != TokenKind::In) return {};
    parser_.advance();
    parser_.count_operator();
    if (op) return comparison(*op);
    return next == TokenKind::Between ? between() : in();
  }

  Result<void> comparison(Comparator op) {
    TAVOLA_CHECK(push_operand(parser_.operand()));
    Operand right = take_operand();
    Operand left = take_operand();
    TAVOLA_CHECK(need_value(left));
    TAVOLA_CHECK(need_value(right));
    push(Node{ast::Comparison{op, std::move(left), std::move(right)}});
    return {};
  }

  Result<void> between() {
    TAVOLA_CHECK(push_operand(parser_.operand()));
    TAVOLA_CHECK(parser_.expect(TokenKind::And));
    TAVOLA_CHECK(push_operand(parser_.operand()));
    Operand high = take_operand();
    Operand low = take_operand();
    Operand value = take_operand();
    TAVOLA_CHECK(need_value(value));
    TAVOLA_CHECK(need_value(low));
    TAVOLA_CHECK(need_value(high));
    push(Node{ast::Between{std::move(value), std::move(low), std::move(high)}});
    return {};
  }

  Result<void> in() {
    TAVOLA_CHECK(parser_.expect(TokenKind::OpenParen));
    ast::In in{take_operand(), {}};
    TAVOLA_CHECK(need_value(in.value));
    do {
      TAVOLA_TRY(Operand candidate, parser_.operand());
      TAVOLA_CHECK(need_value(candidate));
      in.candidates.push_back(std::move(candidate));
    } while (parser_.accept(TokenKind::Comma));
    TAVOLA_CHECK(parser_.expect(TokenKind::CloseParen));
    push(Node{std::move(in)});
    return {};
  }

  void push(Node node) { stack_.push_back({std::move(node), false}); }

  Result<void> push_operand(Result<Operand> operand) {
    if (!operand) return fail(std::move(operand).error());
    stack_.push_back({*std::move(operand), false});
    return {};
  }

  Operand take_operand() {
    Operand operand = std::move(std::get<Operand>(stack_.back().form));
    stack_.pop_back();
    return operand;
  }

  Node take_node() {
    Node node = std::move(std::get<Node>(stack_.back().form));
    stack_.pop_back();
    return node;
  }

  // Takes everything from `first` on, which make_condition has turned into conditions.
  std::vector<Node> take_nodes(std::size_t first) {
    std::vector<Node> nodes;
    nodes.reserve(stack_.size() - first);
    for (std::size_t i = first; i < stack_.size(); ++i)
      nodes.push_back(std::move(std::get<Node>(stack_[i].form)));
    stack_.resize(first);
    return nodes;
  }

  // The top of the stack must be a condition now. Function calls are the only operands that are also conditions.
  Result<void> make_condition() {
    Parsed& top = stack_.back();
    if (std::holds_alternative<Node>(top.form)) return {};
    if (parser_.is_rule()) TAVOLA_CHECK(parser_.need_condition(std::get<Operand>(top.form)));
    auto* call = std::get_if<ast::Call>(&std::get<Operand>(top.form).form);
    if (call == nullptr) return fail(parser_.syntax_error());
    if (call->function == Function::Size) note_misuse(*call);
    top.form = Node{std::move(*call)};
    return {};
  }

  // A function whose result is compared must return one; size() is the only such function in requests.
  Result<void> need_value(const Operand& operand) {
    if (parser_.is_rule()) return parser_.need_value(operand);
    const auto* call = std::get_if<ast::Call>(&operand.form);
    if (call != nullptr && call->function != Function::Size) note_misuse(*call);
    return {};
  }

  void note_misuse(const ast::Call& call) {
    std::optional<std::string>& fault = parser_.faults().misused_function;
    if (!fault) fault = messages::function_misused(info(call.function).name);
  }

  Parser parser_;
  std::vector<Parsed> stack_;
};

}  // namespace

Result<ast::Condition> parse_condition(std::string_view text, ExpressionKind kind) {
  return ConditionParser(text, kind).parse();
}

}  // namespace tavola::expr
