#include "lens/lens.h"

#include <algorithm>
#include <array>

#include "base/joined.h"
#include "lens/copies_lens.h"
#include "lens/facets.h"
#include "lens/index_lens.h"
#include "lens/key_tree.h"
#include "lens/lifecycles.h"
#include "lens/partition.h"
#include "lens/pattern_run.h"
#include "lens/references.h"
#include "lens/why_not.h"

namespace tavola::lens {
namespace {

constexpr std::array kLenses{
    Lens{"board", kBoardMembers, board},
    Lens{"copies", kCopiesMembers, copies},
    Lens{"explain", kExplainMembers, explain},
    Lens{"facets", kFacetsMembers, facets},
    Lens{"indexes", kIndexesMembers, indexes},
    Lens{"move", kMoveMembers, move},
    Lens{"partition", kPartitionMembers, partition},
    Lens{"references", kReferencesMembers, references},
    Lens{"run", kRunMembers, run},
    Lens{"timeline", kTimelineMembers, timeline},
    Lens{"tree", kKeyTreeMembers, key_tree},
    Lens{"why-not", kWhyNotMembers, why_not},
};
static_assert(std::ranges::is_sorted(kLenses, {}, &Lens::name));

}  // namespace

std::span<const Lens> all_lenses() { return kLenses; }

Result<std::string> look(const Subject& subject, std::string_view lens, std::string_view question) {
  const auto found = std::ranges::find(kLenses, lens, &Lens::name);
  if (found == kLenses.end()) {
    return fail(Error(ErrorCode::ResourceNotFound,
                      "there is no lens " + std::string(lens) + "; there are " +
                          joined(kLenses, [](const Lens& one) { return std::string(one.name); })));
  }
  TAVOLA_TRY(const Question asked, Question::parse(question, found->members));
  return found->look(subject, asked);
}

}  // namespace tavola::lens
