#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "objects/codec/aws_chunked.h"
#include "objects/codec/checksums.h"
#include "objects/codec/http_time.h"
#include "objects/codec/s3_error.h"
#include "objects/codec/url.h"
#include "objects/codec/xml.h"

namespace tavola::objects {
namespace {

std::string checksum_in_pieces(Checksum checksum, std::string_view text, std::size_t step) {
  const auto running = begin(checksum);
  for (; !text.empty(); text.remove_prefix(std::min(step, text.size()))) running->add(text.substr(0, step));
  return to_hex(running->finish());
}

// The check values of the catalogue of CRC algorithms, and those of FIPS 180-4.
TEST(Checksums, HaveTheirPublishedValues) {
  constexpr std::string_view kDigits = "123456789";
  EXPECT_EQ(checksum_in_pieces(Checksum::Crc32, kDigits, 9), "cbf43926");
  EXPECT_EQ(checksum_in_pieces(Checksum::Crc32c, kDigits, 9), "e3069283");
  EXPECT_EQ(checksum_in_pieces(Checksum::Crc64Nvme, kDigits, 9), "ae8b14860a799888");
  EXPECT_EQ(checksum_in_pieces(Checksum::Sha1, "abc", 9), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(checksum_in_pieces(Checksum::Sha256, "abc", 9),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Checksums, AreTheSameInAnyPieces) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * i);
  for (const Checksum checksum : {Checksum::Crc32, Checksum::Crc32c, Checksum::Crc64Nvme, Checksum::Sha256})
    for (const std::size_t step : {1U, 3U, 7U, 8U, 9U, 64U})
      EXPECT_EQ(checksum_in_pieces(checksum, text, step), checksum_in_pieces(checksum, text, text.size()));
}

TEST(Checksums, AreNamedInThreeWays) {
  EXPECT_EQ(checksum_of_header("X-Amz-Checksum-CRC32C"), Checksum::Crc32c);
  EXPECT_EQ(checksum_of_algorithm("SHA256"), Checksum::Sha256);
  EXPECT_EQ(element_of(Checksum::Crc64Nvme), "ChecksumCRC64NVME");
  EXPECT_FALSE(checksum_of_header("x-amz-checksum-type"));
}

TEST(Xml, ReadsWhatClientsWrite) {
  const auto read = parse_xml(
      "\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- keys --><x:Delete xmlns:x=\"http://s3\" a='1'>"
      "<Object><Key>a&amp;b&lt;&#x1F600;&#65;</Key></Object><Object/><Quiet >true</Quiet ></x:Delete>\n");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->name, "Delete");
  ASSERT_EQ(read->children.size(), 3U);
  EXPECT_EQ(read->children[0].text_of("Key"),
            "a&b<\xf0\x9f\x98\x80"
            "A");
  EXPECT_EQ(read->text_of("Quiet"), "true");
  EXPECT_EQ(read->text_of("Missing"), "");
}

TEST(Xml, RefusesEverythingElse) {
  const std::string deep = "<a><a><a><a><a><a><a><a><a></a></a></a></a></a></a></a></a></a>";
  for (const std::string& text : std::vector<std::string>{
           "", "x", "<a>", "<a></b>", "<a/><b/>", "<a>&nbsp;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>",
           "<a>&#x110000;</a>", "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "<a><![CDATA[x]]></a>",
           "<a b></a>", "<a b=c></a>", "<a b=\"></a>", "<a><?php ?></a>", "<a>\xff</a>", "<a><!-- </a>",
           "< a></a>", deep}) {
    const auto read = parse_xml(text);
    EXPECT_FALSE(read) << text;
    if (!read) EXPECT_EQ(read.error().detail<S3Fault>()->code, "MalformedXML");
  }
}

TEST(Xml, EscapesWhatItWrites) {
  XmlWriter xml("R");
  xml.open("A").text("B", "<&>\"\x01").number("C", 7).boolean("D", true);
  EXPECT_EQ(
      xml.finish(),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<R xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
      "<A><B>&lt;&amp;&gt;&quot;&#1;</B><C>7</C><D>true</D></A></R>");
}

// Writes down what a body consists of.
class Chunks final : public ChunkEvents {
 public:
  Result<void> on_data(std::string_view piece) override {
    data += piece;
    return {};
  }
  Result<void> on_chunk_end(std::string_view signature) override {
    signatures.emplace_back(signature);
    return {};
  }
  Result<void> on_trailer(std::string_view name, std::string_view value) override {
    trailers.push_back(std::string(name) + "=" + std::string(value));
    return {};
  }
  std::string data;
  std::vector<std::string> signatures;
  std::vector<std::string> trailers;
};

TEST(AwsChunked, ReadsABodyInAnyPieces) {
  const std::string body =
      "5;chunk-signature=one\r\nhello\r\nA\r\n, world\r\n.\r\n0;chunk-signature=end\r\nX-Amz-Checksum-Crc32: "
      "AAAA\r\n\r\n";
  for (const std::size_t step : {std::size_t{1}, std::size_t{2}, std::size_t{7}, body.size()}) {
    AwsChunkedReader reader;
    Chunks chunks;
    for (std::size_t at = 0; at < body.size(); at += step) {
      EXPECT_FALSE(reader.is_complete());
      ASSERT_TRUE(reader.take(std::string_view(body).substr(at, step), chunks));
    }
    EXPECT_TRUE(reader.is_complete());
    EXPECT_EQ(chunks.data, "hello, world\r\n.");
    EXPECT_THAT(chunks.signatures, testing::ElementsAre("one", "", "end"));
    EXPECT_THAT(chunks.trailers, testing::ElementsAre("x-amz-checksum-crc32=AAAA"));
  }
}

TEST(AwsChunked, RefusesOtherForms) {
  for (const std::string_view body :
       {"x\r\n", "\r\n", "5\r\nhello!\r\n", "5\r\nhello0\r\n", "0\r\nno colon\r\n", "0\r\n\r\nmore",
        "11111111111111111\r\n", "-1\r\n", " 5\r\n"}) {
    AwsChunkedReader reader;
    Chunks chunks;
    EXPECT_FALSE(reader.take(body, chunks)) << body;
  }
  AwsChunkedReader reader;
  Chunks chunks;
  EXPECT_FALSE(reader.take("5;" + std::string(5000, 'x'), chunks));
}

TEST(Url, IsDecodedAndEncoded) {
  EXPECT_EQ(percent_decoded("a%2Fb%20c+%C3%BC"), "a/b c+ü");
  EXPECT_FALSE(percent_decoded("a%2"));
  EXPECT_FALSE(percent_decoded("%zz"));
  EXPECT_EQ(percent_encoded("a/b c+ü\x01"), "a/b%20c%2B%C3%BC%01");
}

TEST(HttpTime, IsReadAsWritten) {
  const auto moment = parse_http_time("Sun, 09 Jun 2013 10:07:59 GMT");
  ASSERT_TRUE(moment);
  EXPECT_EQ(http_time(*moment), "Sun, 09 Jun 2013 10:07:59 GMT");
  EXPECT_FALSE(parse_http_time("yesterday"));
  EXPECT_FALSE(parse_http_time(""));
}

}  // namespace
}  // namespace tavola::objects
