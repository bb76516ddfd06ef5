#include "engine/catalog/policies.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "database/stream_names.h"
#include "engine/catalog/stream_catalog.h"
#include "engine/checks/messages.h"
#include "engine/records/keys.h"
#include "policy/policy.h"
#include "store/durable_reads.h"
#include "store/read_stamp.h"

namespace tavola::engine {
namespace {

constexpr std::string_view kNoPolicy = "NO_POLICY";

Error damaged_policy() {
  return Error::corrupt("The policy of a table is damaged. Restore the data directory from a backup.");
}

Error policy_not_found(std::string_view what) {
  return {ErrorCode::PolicyNotFound,
          "Resource-based policy not found for the provided ResourceArn: " + std::string(what)};
}

std::string table_in(std::string_view resource) {
  return std::string(resource.substr(0, resource.find('/')));
}

// moto's tests, which run against AWS, have these words; that for a resource without a policy ends in our own.
Result<void> check_revision(std::string_view expected, std::string_view resource,
                            const std::string* revision) {
  if (expected.empty() || (revision != nullptr && *revision == expected)) return {};
  const std::string table = table_in(resource);
  if (expected == kNoPolicy) {
    if (revision == nullptr) return {};
    return fail(policy_not_found("Requested policy update expecting none to be present for table " + table +
                                 ", but a policy exists with revision id " + *revision + "."));
  }
  const std::string asked =
      "Requested update for policy with revision id " + std::string(expected) + ", but ";
  if (revision == nullptr)
    return fail(policy_not_found(asked + "table " + table + " has no associated policy."));
  return fail(policy_not_found(asked + "the policy associated to target table " + table +
                               " has revision id " + *revision + "."));
}

}  // namespace

// A packed item: the policy as it is shown, and its revision.
Result<std::optional<Policies::Stored>> Policies::decode(const std::optional<std::string_view>& record) {
  if (!record) return std::optional<Stored>();
  TAVOLA_CHECK(check_packed(*record));
  const ItemView item(*record);
  const auto policy = item.find("policy");
  const auto revision = item.find("revision");
  if (!policy || policy->type() != Type::String || !revision || revision->type() != Type::String) {
    return fail(damaged_policy());
  }
  return Stored{std::string(policy->string()), std::string(revision->string())};
}

Result<Policies::Resource> Policies::find(const std::string& name) {
  const std::string table_name = table_in(name);
  TAVOLA_TRY(const SchemaPtr table, catalog_.find(table_name));
  if (table_name == name) {
    if (!table || table->description.restored_from) return fail(table_not_found(name));
    return Resource{table, policy_key(table->id)};
  }
  const auto stream = parse_stream_name(name);
  const auto missing = [&] {
    return fail(Error::resource_not_found(
        "Requested resource not found: Stream: " + name.substr(name.rfind('/') + 1) +
        " not found for Table: " + table_name));
  };
  if (!stream) return missing();
  TAVOLA_TRY(const std::optional<StreamPart> part, find_stream(store_, *stream));
  if (!part) return missing();
  const auto since_ms = static_cast<std::uint64_t>(stream->since.time_since_epoch().count());
  const bool is_of_this_table = table && table->id == part->table;
  return Resource{is_of_this_table ? table : nullptr, stream_policy_key(part->table, since_ms)};
}

template <class Change>
Result<void> Policies::update(const std::string& name, const Change& change) {
  for (;;) {
    TAVOLA_TRY(const Resource resource, find(name));
    if (!resource.table) return fail(table_not_found(table_in(name)));
    const std::string keys[] = {resource.key};
    const auto rule = [&](const store::View& view) -> Result<store::Decision> {
      TAVOLA_TRY(const std::optional<Stored> before, decode(view[0]));
      TAVOLA_TRY(const std::optional<Stored> after, change(before));
      store::Decision decision;
      if (!after) {
        if (before) decision.writes.push_back(store::Write::erase(keys[0]));
        return decision;
      }
      if (before && before->revision_id == after->revision_id) return decision;
      TAVOLA_TRY(const PackedItem packed,
                 pack({{"policy", after->policy}, {"revision", after->revision_id}}));
      decision.writes.push_back(store::Write::put(keys[0], packed.bytes()));
      return decision;
    };
    // The policy follows the table: a guard on its record prevents its replacement.
    const std::array guards{table_guard(*resource.table)};
    const Result<void> done = store_.transact(keys, guards, rule);
    if (!done && done.error().code() == ErrorCode::Stale) {
      catalog_.forget(table_in(name));
      continue;
    }
    const ExclusiveLock lock(mutex_);
    ++changes_;
    changed_at_ = store_.position();
    remembered_.erase(name);
    return done;
  }
}

std::uint64_t Policies::next_revision(const std::optional<Stored>& before, WallTime now) {
  auto revision = static_cast<std::uint64_t>(now.time_since_epoch().count());
  std::uint64_t last = 0;
  if (before) {
    const std::string& text = before->revision_id;
    std::from_chars(text.data(), text.data() + text.size(), last);
    revision = std::max(revision, last + 1);
  }
  return revision;
}

Result<PutResourcePolicyResponse> Policies::put(const PutResourcePolicyRequest& request) {
  const policy::Target target =
      request.resource.contains('/') ? policy::Target::Stream : policy::Target::Table;
  TAVOLA_TRY(const policy::Policy parsed, policy::parse_policy(request.policy, target));
  const std::string text = policy::to_text(parsed);
  TAVOLA_CHECK(policy::parse_policy(text, target));  // accounts became ARNs: it may be too large now
  PutResourcePolicyResponse response;
  const WallTime now = clock_.now();
  const auto change = [&](const std::optional<Stored>& before) -> Result<std::optional<Stored>> {
    TAVOLA_CHECK(check_revision(request.expected_revision_id, request.resource,
                                before ? &before->revision_id : nullptr));
    const bool is_same = before && before->policy == text;
    response.revision_id = is_same ? before->revision_id : std::to_string(next_revision(before, now));
    return Stored{text, response.revision_id};
  };
  TAVOLA_CHECK(update(request.resource, change));
  return response;
}

Result<DeleteResourcePolicyResponse> Policies::remove(const DeleteResourcePolicyRequest& request) {
  DeleteResourcePolicyResponse response;
  const auto change = [&](const std::optional<Stored>& before) -> Result<std::optional<Stored>> {
    TAVOLA_CHECK(check_revision(request.expected_revision_id, request.resource,
                                before ? &before->revision_id : nullptr));
    response.revision_id = before ? before->revision_id : std::string();
    return std::optional<Stored>();
  };
  TAVOLA_CHECK(update(request.resource, change));
  return response;
}

Result<GetResourcePolicyResponse> Policies::get(const GetResourcePolicyRequest& request) {
  const auto answer = [&](const std::shared_ptr<const Stored>& stored) -> Result<GetResourcePolicyResponse> {
    if (!stored) return fail(policy_not_found(request.resource));
    return GetResourcePolicyResponse{stored->policy, stored->revision_id};
  };
  const store::ReadStamp reads;
  TAVOLA_TRY(const SchemaPtr table, catalog_.find(table_in(request.resource)));
  std::uint64_t changes_before = 0;
  {
    const SharedLock lock(mutex_);
    if (!store_.is_durable(changed_at_)) store::DurableReads::end();
    const auto found = remembered_.find(request.resource);
    if (found != remembered_.end() && (!store_.is_shared() || reads.seen() == stamp_) && table &&
        found->second.table == table->id) {
      return answer(found->second.stored);
    }
    changes_before = changes_;
  }
  TAVOLA_TRY(const Resource resource, find(request.resource));
  TAVOLA_TRY(const std::optional<std::string> record, store_.get_for_answer(resource.key));
  TAVOLA_TRY(std::optional<Stored> decoded, decode(record));
  std::shared_ptr<const Stored> stored;
  if (decoded) stored = std::make_shared<const Stored>(*std::move(decoded));
  const ExclusiveLock lock(mutex_);
  // Otherwise the policy may be older than a concurrent change. Streams end without a notice: theirs are looked up.
  const bool is_of_table = resource.table && resource.table->description.table_name == request.resource;
  const std::optional<std::string> stamp = reads.seen();
  if (store_.is_shared() && !stamp) return answer(stored);  // another process changed something concurrently
  if (stamp && *stamp != stamp_) {
    remembered_.clear();
    stamp_ = *stamp;
  }
  if (changes_ == changes_before && is_of_table) {
    remembered_.insert_or_assign(request.resource, Remembered{resource.table->id, stored});
  }
  return answer(stored);
}

}  // namespace tavola::engine
