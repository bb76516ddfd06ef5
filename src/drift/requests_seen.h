// Compares the requests that a table gets with the patterns of its design: counts how often each pattern is used, by
// any client, and which reads no pattern explains.
//
// A pattern explains a request that reads the same index by keys of the same form: a Query whose partition key and sort
// key condition match the pattern's templates; a GetItem whose key matches its entity's; a Scan of the same index.
// Filters, order and limits are ignored, so several patterns may explain a request, which then counts for each.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <tavola/requests.h>
#include <tavola/time.h>

#include "base/locks.h"
#include "design/model/model.h"

namespace tavola::drift {

// A read that was performed, or a further page of one.
struct Performed {
  std::uint64_t requests = 1;  // 0: a further page, which belongs to the request before
  std::uint64_t scanned = 0;   // items that were evaluated
  std::uint64_t returned = 0;
  double read_units = 0;
};

// A copy of the counts.
struct RequestCounts {
  struct Unexplained {
    std::string operation;  // "Query", "Scan", "GetItem"
    std::string index;      // empty: the table
    std::string example;    // PK = "SHOP#s1" AND begins_with(SK, "X#"), of the first one
    std::uint64_t count = 0;
  };
  std::map<std::string, std::uint64_t, std::less<>> patterns;  // those that send a request, by name
  std::map<std::string, Performed, std::less<>> costs;         // the sums of the same ones; not in the JSON
  WallTime since{};                                            // counted from then on; not in the JSON
  std::vector<Unexplained> unexplained;                        // most frequent first
  std::uint64_t further_unexplained = 0;                       // of other forms, which were too many to keep

  // A union is used if one of its parts is. Patterns that issue no request always count as used.
  bool is_used(const design::Design& design, const design::Pattern& pattern) const;
};

std::string to_json(const RequestCounts& counts);
// Fails with Validation if the text is malformed.
Result<RequestCounts> parse_request_counts(std::string_view json);

// Thread safety: all methods. A request whose form was seen before costs one lookup in a hash table and comparisons
// with the candidate templates, and does not allocate.
class RequestsSeen {
 public:
  // Borrows the design.
  explicit RequestsSeen(const design::Design& design, WallTime now = {});
  ~RequestsSeen();
  RequestsSeen(const RequestsSeen&) = delete;
  RequestsSeen& operator=(const RequestsSeen&) = delete;

  const design::Design& design() const { return design_; }

  void note(const QueryRequest& request, const Performed& performed = {});
  void note(const ScanRequest& request, const Performed& performed = {});
  void note_get(const PackedItem& key,  // by GetItem, a batch or a transaction
                const Performed& performed = {});

  // Return the names of the patterns that explain a request, without counting it.
  std::vector<std::string> explain(const QueryRequest& request);
  std::vector<std::string> explain(const ScanRequest& request) const;
  std::vector<std::string> explain_get(const PackedItem& key) const;

  RequestCounts counts() const;

 private:
  struct Asked;  // one read, taken apart
  // The parsed form of a key condition's text: terms by the names of their values.
  struct Form;

  struct Sum {
    void add(const Performed& performed);
    std::atomic<std::uint64_t> requests = 0;
    std::atomic<std::uint64_t> scanned = 0;
    std::atomic<std::uint64_t> returned = 0;
    std::atomic<double> read_units = 0;
  };

  // Calls `use` with the form and the keys of a request, unless it is malformed.
  template <class Use>
  void take_apart(const QueryRequest& request, Use use);
  template <class Use>
  void take_older_apart(const QueryRequest& request, const LegacyConditions& conditions, Use use) const;
  // Call `use` with the position of each pattern that explains a read. They return whether one does.
  template <class Use>
  bool each_explaining(const Asked& asked, const Form& form, Use use) const;
  template <class Use>
  bool each_scanning(std::string_view index, Use use) const;
  // `use` gets patterns of the form get only; those that follow references explain a read, too.
  template <class Use>
  bool each_getting(const Asked& asked, Use use) const;
  // Returns the key of an item, taken apart; nullopt for internal records and incomplete keys.
  std::optional<Asked> asked_key(const PackedItem& key) const;
  const Form* form_of(const QueryRequest& request, Form& if_new);
  std::vector<std::size_t> candidates_for(std::string_view index, const Form& form) const;
  void count_unexplained(std::uint64_t form, std::string_view operation, std::string_view index,
                         const Asked* asked);

  struct Surprise {
    Surprise(std::string_view what, std::string_view where, std::string how)
        : operation(what), index(where), example(std::move(how)) {}
    std::string operation;
    std::string index;
    std::string example;
    std::atomic<std::uint64_t> count = 0;
  };

  const design::Design& design_;
  const WallTime since_;
  std::unique_ptr<Sum[]> asked_;  // in the order of the design's patterns
  std::atomic<std::uint64_t> further_ = 0;
  mutable SharedMutex mutex_;
  // Keyed by hashes of texts: a collision only causes a wrong count.
  std::unordered_map<std::uint64_t, std::unique_ptr<const Form>> forms_ TAVOLA_GUARDED_BY(mutex_);
  std::unordered_map<std::uint64_t, std::unique_ptr<Surprise>> surprises_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::drift
