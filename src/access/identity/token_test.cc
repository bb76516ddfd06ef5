#include "access/identity/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/encoding.h"

namespace tavola::access {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kSecret = "a secret of this test, which is long enough";
const WallTime kNow = std::chrono::sys_days(std::chrono::year(2026) / 1 / 15) + hours(10);
const std::int64_t kNowSeconds = kNow.time_since_epoch().count() / 1000;

// ---- RFC 7515, appendix A: three signatures over the same claims ----

const std::string kRfcPayload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
const std::string kRfcHs256 = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." + kRfcPayload +
                              ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const std::string kRfcRs256 =
    "eyJhbGciOiJSUzI1NiJ9." + kRfcPayload +
    ".cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_"
    "O8W2Fp5jujGbds9uJdb"
    "F9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_"
    "eSN9383Lc"
    "OLn6_dO--xi12jzDwusC-"
    "eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVm"
    "tVrBp0igcN_IoypGlUPQGe77Rw";
const std::string kRfcEs256 =
    "eyJhbGciOiJFUzI1NiJ9." + kRfcPayload +
    ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-"
    "Kg6NU1Q";
const std::string kRfcRsaKey = R"({"kty":"RSA","e":"AQAB","n":")"
                               "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-"
                               "4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZ"
                               "S-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-"
                               "bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2"
                               "R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-"
                               "DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcD"
                               R"(TW9gb54h4FRWyuXpoQ"})";
const std::string kRfcEcKey =
    R"({"kty":"EC","crv":"P-256","kid":"ec","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
    R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})";

TokenVerifier with_secret(std::string secret) { return *TokenVerifier::make({.secret = std::move(secret)}); }

TokenVerifier with_keys(const std::string& keys) {
  auto read = read_jwks(R"({"keys":[)" + keys + "]}");
  EXPECT_TRUE(read) << read.error().message();
  return *TokenVerifier::make({.keys = *std::move(read)});
}

std::string rfc_secret() {
  return *from_base64url(
      "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow");
}

TEST(RfcTokens, AreVerified) {
  const std::string keys = kRfcRsaKey + "," + kRfcEcKey;
  EXPECT_EQ(with_secret(rfc_secret()).claims(kRfcHs256)->at("iss"), Value("joe"));
  EXPECT_EQ(with_keys(keys).claims(kRfcRs256)->at("exp"), Value(1300819380));
  EXPECT_EQ(with_keys(keys).claims(kRfcEs256)->at("http://example.com/is_root"), Value(true));
}

TEST(RfcTokens, AreRefusedWithAnyOtherBit) {
  const TokenVerifier secret = with_secret(rfc_secret());
  const TokenVerifier keys = with_keys(kRfcRsaKey + "," + kRfcEcKey);
  for (const auto& [token, verifier] :
       {std::pair(kRfcHs256, &secret), std::pair(kRfcRs256, &keys), std::pair(kRfcEs256, &keys)}) {
    for (std::size_t i = 0; i < token.size(); i += 7) {
      std::string other = token;
      other[i] = other[i] == 'A' ? 'B' : 'A';
      EXPECT_FALSE(verifier->claims(other)) << i;
    }
    EXPECT_FALSE(verifier->claims(token + "A"));
    EXPECT_FALSE(verifier->claims(token.substr(0, token.rfind('.') + 1)));
  }
}

TEST(RfcTokens, AreRefusedWithOtherKeys) {
  EXPECT_FALSE(with_secret(kSecret).claims(kRfcHs256));
  EXPECT_FALSE(with_keys(kRfcEcKey).claims(kRfcRs256));
  EXPECT_FALSE(with_keys(kRfcRsaKey).claims(kRfcEs256));
  EXPECT_FALSE(with_keys(kRfcRsaKey).claims(kRfcHs256));
}

// ---- Tokens of this test ----

std::string signed_by(std::string_view secret, std::string_view header, std::string_view payload) {
  const std::string text = to_base64url(header) + "." + to_base64url(payload);
  return text + "." + to_base64url(hmac_sha256(secret, text));
}

std::string with_claims(const std::string& claims) {
  return signed_by(kSecret, R"({"alg":"HS256"})", "{" + claims + "}");
}

TEST(Tokens, AreNotTakenWithAnotherAlgorithm) {
  const std::string claims =
      R"({"sub":"eve","groups":["admin"],"exp":)" + std::to_string(kNowSeconds + 60) + "}";
  const std::string unsigned_text = to_base64url(R"({"alg":"none"})") + "." + to_base64url(claims) + ".";
  EXPECT_FALSE(with_secret(kSecret).verify(unsigned_text, kNow));
  EXPECT_FALSE(with_keys(kRfcRsaKey).verify(unsigned_text, kNow));
  for (const char* const header : {R"({"alg":"none"})", R"({"alg":"HS512"})", R"({"alg":"hs256"})", "{}",
                                   R"({"alg":["HS256"]})", R"({"alg":"HS256","crit":["exp"]})"}) {
    EXPECT_FALSE(with_secret(kSecret).verify(signed_by(kSecret, header, claims), kNow)) << header;
  }
  // Everybody knows a public key: it must not serve as a secret.
  const TokenVerifier keys = with_keys(kRfcRsaKey);
  for (const std::string& public_text : {kRfcRsaKey, std::string(), R"({"keys":[)" + kRfcRsaKey + "]}"}) {
    EXPECT_FALSE(keys.verify(signed_by(public_text, R"({"alg":"HS256"})", claims), kNow));
    EXPECT_FALSE(keys.verify(signed_by(public_text, R"({"alg":"RS256"})", claims), kNow));
  }
}

TEST(Tokens, OfAKeyThatIsNotThereAreRefused) {
  const std::string text = to_base64url(R"({"alg":"ES256","kid":"another"})") + "." + kRfcPayload;
  EXPECT_FALSE(with_keys(kRfcEcKey).claims(text + kRfcEs256.substr(kRfcEs256.rfind('.'))));
}

struct ClaimsCase {
  std::string claims;
  std::string refused;  // part of the reason; empty: accepted
};

TEST(Tokens, SayWhoAndHowLong) {
  const std::string soon = R"("exp":)" + std::to_string(kNowSeconds + 600);
  const ClaimsCase cases[] = {
      {R"("sub":"anna",)" + soon, ""},
      {R"("sub":"anna","exp":)" + std::to_string(kNowSeconds - 59), ""},
      {R"("sub":"anna","exp":)" + std::to_string(kNowSeconds - 60), "has expired"},
      {R"("sub":"anna","exp":)" + std::to_string(kNowSeconds - 59) + ".5", ""},
      {R"("sub":"anna","exp":"never")", "exp must be a number"},
      {R"("sub":"anna")", "has no exp"},
      {R"("sub":"anna","nbf":)" + std::to_string(kNowSeconds + 60) + "," + soon, ""},
      {R"("sub":"anna","nbf":)" + std::to_string(kNowSeconds + 61) + "," + soon, "not valid yet"},
      {soon, "does not identify a person"},
      {R"("sub":"",)" + soon, "does not identify a person"},
      {R"("sub":5,)" + soon, "does not identify a person"},
      {R"("sub":"anna","groups":"admin",)" + soon, "groups must be a list"},
      {R"("sub":"anna","groups":[1],)" + soon, "groups must be a list"},
  };
  for (const ClaimsCase& one : cases) {
    const auto who = with_secret(kSecret).verify(with_claims(one.claims), kNow);
    if (one.refused.empty()) {
      ASSERT_TRUE(who) << one.claims << ": " << who.error().message();
      EXPECT_EQ(who->sub, "anna");
    } else {
      ASSERT_FALSE(who) << one.claims;
      EXPECT_THAT(who.error().message(), HasSubstr(one.refused));
    }
  }
}

TEST(Tokens, SayTheGroups) {
  const std::string claims =
      R"("sub":"anna","groups":["a"],"cognito:groups":["b","c"],"exp":)" + std::to_string(kNowSeconds + 600);
  EXPECT_THAT(with_secret(kSecret).verify(with_claims(claims), kNow)->groups, ElementsAre("a", "b", "c"));
}

TEST(Tokens, AreForOneServer) {
  const TokenVerifier verifier =
      *TokenVerifier::make({.secret = kSecret, .issuer = "https://login.example", .audience = "catalogue"});
  const std::string rest = R"("sub":"anna","exp":)" + std::to_string(kNowSeconds + 600);
  const auto is_taken = [&](const std::string& claims) {
    return verifier.verify(with_claims(claims + "," + rest), kNow).has_value();
  };
  EXPECT_TRUE(is_taken(R"("iss":"https://login.example","aud":"catalogue")"));
  EXPECT_TRUE(is_taken(R"("iss":"https://login.example","aud":["x","catalogue"])"));
  EXPECT_TRUE(is_taken(R"("iss":"https://login.example","client_id":"catalogue")"));
  EXPECT_FALSE(is_taken(R"("iss":"https://login.example","aud":"x","client_id":"catalogue")"));
  EXPECT_FALSE(is_taken(R"("iss":"https://login.example","aud":["x"])"));
  EXPECT_FALSE(is_taken(R"("iss":"https://login.example")"));
  EXPECT_FALSE(is_taken(R"("iss":"https://elsewhere.example","aud":"catalogue")"));
  EXPECT_FALSE(is_taken(R"("aud":"catalogue")"));
}

TEST(Tokens, OfOurOwnAreTaken) {
  const std::string token =
      sign_token(kSecret, {.sub = "anna", .groups = {"manager"}, .issued = kNow, .valid_for = seconds(3600)});
  const auto who = with_secret(kSecret).verify(token, kNow);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->sub, "anna");
  EXPECT_THAT(who->groups, ElementsAre("manager"));
  EXPECT_FALSE(with_secret(kSecret).verify(token, kNow + hours(1) + kClockLeeway));
  EXPECT_FALSE(with_secret(kSecret + "!").verify(token, kNow));
}

TEST(Tokens, MustBeTokens) {
  for (const char* const text :
       {"", ".", "..", "...", "a.b", "a.b.c", "e30.e30.", "e30.e30.e30.e30", "bnVsbA.e30.AA"}) {
    const auto who = with_secret(kSecret).verify(text, kNow);
    ASSERT_FALSE(who) << text;
    EXPECT_EQ(who.error().code(), ErrorCode::InvalidSignature);
  }
}

TEST(TokenVerifiers, NeedSomethingToVerifyWith) {
  EXPECT_FALSE(TokenVerifier::make({}));
  EXPECT_FALSE(TokenVerifier::make({.secret = "short"}));
}

TEST(Jwks, HoldGoodKeys) {
  EXPECT_EQ(read_jwks(R"({"keys":[{"kty":"oct","k":"AA"},{"use":"enc",)" + kRfcRsaKey.substr(1) + "," +
                      kRfcEcKey + "]}")
                ->size(),
            1U);
  for (const std::string& document :
       {std::string("{}"), std::string("[]"), std::string("no"), std::string(R"({"keys":[]})"),
        std::string(R"({"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]})"),  // 17 bits
        std::string(R"({"keys":[{"kty":"RSA","n":"?","e":"AQAB"}]})"),
        std::string(R"({"keys":[{"alg":"RS512",)") + kRfcRsaKey.substr(1) + "]}",
        // Not a point of the curve: x twice.
        std::string(R"({"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
                    R"("y":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}]})")}) {
    EXPECT_FALSE(read_jwks(document)) << document;
  }
}

}  // namespace
}  // namespace tavola::access
