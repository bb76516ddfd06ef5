#include "http/request_parser.h"

#include <string>

#include <gtest/gtest.h>

namespace tavola::http {
namespace {

struct Case {
  std::string_view name;
  std::string_view text;
  int status;  // 0: it is taken
};

// Input that the server and a proxy could interpret differently must be refused (RFC 9112 and known smuggling
// techniques).
constexpr Case kCases[] = {
    {"plain", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"1.0 without host", "GET / HTTP/1.0\r\n\r\n", 0},
    {"odd but legal target", "GET /a%20b?x=%zz HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"unknown method", "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"empty header value", "GET / HTTP/1.1\r\nHost: a\r\nX-Empty:\r\nX-Spaces:   \r\n\r\n", 0},
    {"same length twice", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n",
     400},
    {"same length twice in one", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\n", 400},
    {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
    {"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
    {"length and chunks",
     "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
    {"chunks and length",
     "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 400},
    {"two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", 400},
    {"two lengths in one", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 4\r\n\r\n", 400},
    {"negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -3\r\n\r\n", 400},
    {"signed length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\n", 400},
    {"hexadecimal length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x3\r\n\r\n", 400},
    {"length beyond 64 bits", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551616\r\n\r\n",
     400},
    {"empty length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 400},
    {"other coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
    {"coding before chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501},
    {"chunked twice", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", 501},
    {"chunked and identity",
     "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n", 400},
    {"chunked with a tail", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunkedx\r\n\r\n", 501},
    {"chunked in quotes", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n", 501},
    {"vertical tab before chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \vchunked\r\n\r\n",
     400},
    {"empty coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n", 501},
    {"chunks in 1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 501},
    {"space before colon", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 3\r\n\r\n", 400},
    {"space before name", "POST / HTTP/1.1\r\n Host: a\r\n\r\n", 400},
    {"folded", "POST / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n", 400},
    {"folded onto an empty line", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n",
     400},
    {"line feeds only", "GET / HTTP/1.1\nHost: a\n\n", 505},
    {"line feed in a value", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", 400},
    {"carriage return in a value", "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", 400},
    {"zero byte in a value", std::string_view("GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n", 29), 400},
    {"no colon", "GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n", 400},
    {"empty name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", 400},
    {"no version", "GET /\r\nHost: a\r\n\r\n", 400},
    {"version 0.9", "GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505},
    {"version 1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505},
    {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
    {"two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 505},
    {"TLS on the wrong port", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400},
    {"proxy request", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 501},
    {"other expectation", "POST / HTTP/1.1\r\nHost: a\r\nExpect: magic\r\nContent-Length: 3\r\n\r\n", 417},
};

TEST(RequestParser, RefusesWhatServersDisagreeOn) {
  const Limits limits;
  for (const Case& one : kCases) {
    RequestParser parser(limits);
    const Parsed parsed = parser.parse_head(one.text);
    ASSERT_NE(parsed, Parsed::NeedMore) << one.name;
    EXPECT_EQ(parsed == Parsed::Refused ? parser.refusal().status : 0, one.status) << one.name;
  }
}

TEST(RequestParser, ComesToTheSameResultInPieces) {
  const Limits limits;
  for (const Case& one : kCases) {
    RequestParser parser(limits);
    Parsed parsed = Parsed::NeedMore;
    std::string moving;  // grows, so the bytes move
    for (std::size_t size = 1; size <= one.text.size() && parsed == Parsed::NeedMore; ++size) {
      moving = one.text.substr(0, size);
      parsed = parser.parse_head(moving);
    }
    // Beast may wait for the end of a head that is already wrong.
    EXPECT_EQ(parsed == Parsed::Done, one.status == 0) << one.name;
  }
}

TEST(RequestParser, TellsWhatTheHeadSays) {
  const Limits limits;
  RequestParser parser(limits);
  const std::string_view text =
      "POST /p?q=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nAccept-Encoding: gzip\r\nAccept-Encoding: "
      "br\r\n"
      "Content-Encoding: deflate\r\nOrigin: http://x\r\nExpect: 100-Continue\r\nConnection: close\r\n\r\nabc";
  ASSERT_EQ(parser.parse_head(text), Parsed::Done);
  const RequestHead& head = parser.head();
  EXPECT_EQ(head.method.of(text), "POST");
  EXPECT_EQ(head.target.of(text), "/p?q=1");
  EXPECT_EQ(text.substr(head.size_bytes), "abc");
  EXPECT_EQ(head.content_length, 3U);
  EXPECT_EQ(head.accept_encoding.of(text), "gzip");
  EXPECT_EQ(head.content_encoding.of(text), "deflate");
  EXPECT_TRUE(head.expects_continue);
  EXPECT_FALSE(head.keep_alive);
  EXPECT_FALSE(head.chunked);
  ASSERT_EQ(head.fields.size(), 8U);
  EXPECT_EQ(head.fields[1].name.of(text), "Content-Length");
  EXPECT_EQ(head.fields[1].value.of(text), "3");
}

TEST(RequestParser, KeepsConnectionsAliveAsTheVersionSays) {
  const Limits limits;
  const std::pair<std::string_view, bool> cases[] = {
      {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", true},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n", false},
      {"GET / HTTP/1.1\r\nHost: a\r\nConnection: x, close\r\n\r\n", false},
      {"GET / HTTP/1.0\r\n\r\n", false},
      {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true},
  };
  for (const auto& [text, keep_alive] : cases) {
    RequestParser parser(limits);
    ASSERT_EQ(parser.parse_head(text), Parsed::Done) << text;
    EXPECT_EQ(parser.head().keep_alive, keep_alive) << text;
  }
}

TEST(RequestParser, LimitsTheHead) {
  const Limits limits{.head_bytes = 1000, .head_fields = 5};
  const std::string begin = "GET / HTTP/1.1\r\nHost: a\r\n";
  const auto parse = [&](const std::string& text) {
    RequestParser parser(limits);
    return parser.parse_head(text) == Parsed::Refused ? parser.refusal().status : 0;
  };
  const std::size_t frame = begin.size() + std::string("x: \r\n\r\n").size();
  EXPECT_EQ(parse(begin + "x: " + std::string(1000 - frame, 'v') + "\r\n\r\n"), 0);
  EXPECT_EQ(parse(begin + "x: " + std::string(1001 - frame, 'v') + "\r\n\r\n"), 431);
  EXPECT_EQ(parse(begin + "x: " + std::string(2000, 'v')), 431);  // before it ends
  EXPECT_EQ(parse("GET /" + std::string(2000, 'p')), 431);
  EXPECT_EQ(parse(begin + "a: 1\r\nb: 1\r\nc: 1\r\nd: 1\r\n\r\n"), 0);
  EXPECT_EQ(parse(begin + "a: 1\r\nb: 1\r\nc: 1\r\nd: 1\r\ne: 1\r\n\r\n"), 431);
}

// Feeds chunks like a connection: unconsumed bytes are passed again, with more.
struct Chunks {
  Parsed parsed = Parsed::NeedMore;
  std::string body;
  std::string rest;
};

Chunks feed_chunks(std::string_view bytes, std::size_t step) {
  const Limits limits;
  RequestParser parser(limits);
  EXPECT_EQ(parser.parse_head("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"),
            Parsed::Done);
  Chunks result;
  while (result.parsed == Parsed::NeedMore && !bytes.empty()) {
    const std::size_t count = std::min(step, bytes.size());
    result.rest += bytes.substr(0, count);
    bytes.remove_prefix(count);
    std::size_t consumed = 0;
    result.parsed = parser.parse_chunks(result.rest, result.body, consumed);
    result.rest.erase(0, consumed);
  }
  result.rest += bytes;
  return result;
}

TEST(RequestParser, JoinsChunks) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"0\r\n\r\n", ""},
      {"3\r\nabc\r\n0\r\n\r\n", "abc"},
      {"3\r\nabc\r\nA\r\n0123456789\r\n00\r\n\r\n", "abc0123456789"},
      {"3;ext=1;q=\"x\"\r\nabc\r\n0;last\r\nTrailer: x\r\nContent-MD5: y\r\n\r\n", "abc"},
  };
  for (const auto& [text, body] : cases) {
    for (const std::size_t step : {1U, 2U, 3U, 5U, 1000U}) {
      const Chunks chunks = feed_chunks(std::string(text) + "GET /next", step);
      EXPECT_EQ(chunks.parsed, Parsed::Done) << text << " by " << step;
      EXPECT_EQ(chunks.body, body) << text << " by " << step;
      EXPECT_EQ(chunks.rest, "GET /next") << text << " by " << step;
    }
  }
}

TEST(RequestParser, RefusesBrokenChunks) {
  for (const std::string_view text :
       {"x\r\nabc\r\n0\r\n\r\n", "-1\r\nabc\r\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", " 3\r\nabc\r\n0\r\n\r\n",
        "3 \r\nabc\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFFF\r\nabc", "3\r\nabcxx0\r\n\r\n",
        "0\r\nTransfer-Encoding: chunked\r\n\r\n", "0\r\nContent-Length: 5\r\n\r\n"}) {
    for (const std::size_t step : {1U, 1000U}) {
      EXPECT_EQ(feed_chunks(text, step).parsed, Parsed::Refused) << text << " by " << step;
    }
  }
}

TEST(RequestParser, ReadsOneRequestAfterAnother) {
  const Limits limits;
  RequestParser parser(limits);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(parser.parse_head("GET / HTTP/1.1\r\nHost: a\r\nOrigin: b\r\n\r\n"), Parsed::Done);
    EXPECT_EQ(parser.head().fields.size(), 2U);
    parser.reset();
    EXPECT_TRUE(parser.head().fields.empty());
  }
}

}  // namespace
}  // namespace tavola::http
