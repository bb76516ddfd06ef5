// Any text as a policy: it is refused, or written in one form with the same meaning, and evaluated safely.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "policy/policy.h"

namespace tavola::policy {
namespace {

void try_target(std::string_view text, Target target) {
  const Result<Policy> policy = parse_policy(text, target);
  if (!policy) {
    TAVOLA_ASSERT(!policy.error().message().empty());
    return;
  }
  const std::string written = to_text(*policy);
  if (written.size() > kPolicyBytesMax) return;  // accounts became ARNs
  const Result<Policy> again = parse_policy(written, target);
  TAVOLA_ASSERT(again && to_text(*again) == written);

  Context context;
  context.set(Key::UserName, "ANNA");
  context.set(Key::LeadingKeys, {"a", "*", "${aws:username}"});
  context.set(Key::SourceIp, "::ffff:10.0.0.1");
  context.set(Key::CurrentTime, "2026-11-16T00:00:00Z");
  const Asked asked{.action = "dynamodb:GetItem",
                    .resource = "arn:aws:dynamodb:local:000000000000:table/Music",
                    .user = "arn:aws:iam::000000000000:user/ANNA",
                    .account = "000000000000",
                    .context = context};
  TAVOLA_ASSERT(evaluate(*policy, asked) == evaluate(*again, asked));
}

}  // namespace
}  // namespace tavola::policy

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  tavola::policy::try_target(text, tavola::policy::Target::Table);
  tavola::policy::try_target(text, tavola::policy::Target::Stream);
  return 0;
}
