#include "design/rules/govern_writes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "design/items/entailed_items.h"
#include "design/items/entity_item.h"
#include "design/items/entity_rules.h"
#include "design/rules/cascade.h"
#include "design/rules/dependent_changes.h"
#include "design/rules/entail.h"
#include "design/rules/kept_counts.h"
#include "design/rules/request_images.h"

namespace tavola::design {
namespace {

// Returns the fields of a copy that are automatic times of its source.
std::vector<std::string> moments_in(const Design& design, const Entity& copied) {
  std::vector<std::string> names;
  for (const Copy& copy : design.copies) {
    const Entity* const from = copy.to.text == copied.name ? design.find_entity(copy.from.text) : nullptr;
    if (from == nullptr) continue;
    for (const Assignment& carried : copy.carry) {
      const bool is_moment = std::ranges::any_of(carried.value.paths(), [&](const auto& path) {
        const Attribute* const field = from->find_field(path.front());
        return field != nullptr && field->automatic != Attribute::Auto::No;
      });
      if (is_moment) names.push_back(carried.field);
    }
  }
  return names;
}

// Ignores automatic times: a client that writes source and copy has its own clock.
bool is_as_wanted(const Design& design, const RequestImage& image) {
  if (image.now == image.wanted) return true;
  if (!image.now || !image.wanted || image.governed.entity == nullptr) return false;
  Item now = *image.now;
  Item wanted = *image.wanted;
  for (const std::string& name : moments_in(design, *image.governed.entity)) {
    if (now.erase(name) != wanted.erase(name)) return false;
  }
  return now == wanted;
}

// The rule of all writes of one request: the order of its steps. A run() needs an object of its own.
class RequestRule {
 public:
  RequestRule(const Design& design, const Ambient& ambient, const TableLookup& lookup)
      : design_(design),
        ambient_(ambient),
        images_(lookup),
        cascades_(design, images_, result_),
        dependent_changes_(design, images_, result_),
        kept_counts_(design, images_) {}

  // The order of the steps matters:
  //   1. Each write is governed by itself, deletions first: they add further deletions and changes (cascades), which are governed likewise.
  //   2. The other items that change are looked up. If something was not read yet, the rule ends, to be called again.
  //   3. The dependent writes are applied. Deletions come first, because a put or a claim may take the place of a deleted item; kept counts
  //      are restored before anything is added to them.
  //   4. The changes so far have consequences: new items, with which steps 1 to 3 are repeated. These have no consequences themselves.
  //   5. Copies and counters that the client wrote are compared with the result. The targets of references must exist in it, and nothing
  //      may name a deleted item.
  //   6. The differences from the stored items are the changes.
  Result<RuledWrites> run(std::span<const UnpackedWrite> writes) {
    add_images(writes);
    TAVOLA_CHECK(govern_from(0));
    if (images_.is_waiting()) return waiting();
    const std::size_t wanted = images_.size();
    add_entailed(design_, ambient_, images_, result_);
    if (!images_.is_waiting() && images_.size() > wanted) TAVOLA_CHECK(govern_from(wanted));
    if (images_.is_waiting()) return waiting();
    for (RequestImage& image : images_) compare_with_wanted(image);
    for (const RequestImage& image : images_) check_final_rules(image);
    for (const RequestImage& image : images_) check_references(image);
    TAVOLA_CHECK(cascades_.check());
    if (images_.is_waiting()) return waiting();
    for (RequestImage& image : images_) TAVOLA_CHECK(finish(image));
    return std::move(result_);
  }

 private:
  void add_images(std::span<const UnpackedWrite> writes) {
    for (std::size_t i = 0; i < writes.size(); ++i) {
      const UnpackedWrite& write = writes[i];
      if (!write.before && !write.after) continue;  // a missing item is deleted: nothing changes
      images_.add({.key = write.key,
                   .before = write.before,
                   .wanted = write.after,
                   .now = write.after,
                   .write = i,
                   .cause = i,
                   .is_written = true,
                   .expires = write.expires,
                   .asked = write.asked});
    }
  }

  Result<RuledWrites> waiting() {
    result_.is_waiting = true;
    return std::move(result_);
  }

  // Governs the images from the position `first` on, and applies what changes with them, unless something was not read yet.
  Result<void> govern_from(std::size_t first) {
    for (std::size_t i = first; i < images_.size(); ++i) {
      if (!images_[i].wanted) TAVOLA_CHECK(govern_one(images_[i]));
    }
    for (std::size_t i = first; i < images_.size(); ++i) {
      if (images_[i].wanted) TAVOLA_CHECK(govern_one(images_[i]));
    }
    dependent_changes_.look_up_items();
    kept_counts_.look_up_records();
    if (images_.is_waiting()) return {};
    dependent_changes_.apply(DependentWrite::Kind::Delete);
    dependent_changes_.apply(DependentWrite::Kind::Put);
    kept_counts_.restore();
    dependent_changes_.apply(DependentWrite::Kind::Add);
    dependent_changes_.apply(DependentWrite::Kind::Claim);
    dependent_changes_.forget_applied();
    return {};
  }

  void violate(const RequestImage& image, const Error& error) {
    result_.violate(image.cause,
                    image.consequence == nullptr ? error : not_entailed(design_, *image.consequence, error));
  }

  Result<void> govern_one(RequestImage& image) {
    Result<Governed> governed = govern(design_, {image.before, image.wanted, image.asked}, ambient_, images_);
    if (!governed) {
      violate(image, governed.error());
      if (image.consequence != nullptr) image.now.reset();
      return {};
    }
    image.governed = *std::move(governed);
    if (image.governed.is_waiting) images_.wait();
    // A copy that the client wrote begins as it was: its source says what becomes of it.
    image.now = image.governed.only_with_its_source.empty() ? image.governed.item : image.before;
    for (DependentWrite& write : image.governed.dependent_writes)
      dependent_changes_.add(std::move(write), image.cause);
    if (image.before && !image.wanted && image.governed.entity != nullptr) TAVOLA_CHECK(cascades_.add(image));
    if (std::optional<DependentWrite> counts = kept_counts_.keep(image))
      dependent_changes_.add(*std::move(counts), image.cause);
    return {};
  }

  void compare_with_wanted(RequestImage& image) {
    const Governed& governed = image.governed;
    if (!governed.only_with_its_source.empty() && !image.expires && !is_as_wanted(design_, image)) {
      result_.violate(image.cause, Error::validation(governed.only_with_its_source));
      image.now = image.wanted;
    } else if (image.expires) {
      image.now = image.wanted;
    }
    if (!image.now) return;
    for (const auto& [name, sent] : governed.sent_counters.values) {
      const auto comes_to = image.now->find(name);
      const bool begins = !image.before && sent.is_number() && sent.number().is_zero();
      if (begins || (comes_to != image.now->end() && comes_to->second == sent)) continue;
      result_.violate(image.cause, Error::validation(governed.sent_counters.message));
      image.now->insert_or_assign(name, sent);
    }
  }

  void check_references(const RequestImage& image) {
    for (const Reference& reference : image.governed.references) {
      if (!images_.exists(reference.key)) violate(image, reference.missing);
    }
  }

  // Checks the rules of items that changed after they were governed: counters, and copies of other items.
  void check_final_rules(const RequestImage& image) {
    if (!image.now || image.now == image.governed.item || image.now == image.before) return;
    const Decoded decoded = decode(design_, *image.now);
    if (decoded.entity == nullptr) return;
    const Result<void> kept = check_rules(design_, *decoded.entity, decoded.fields);
    if (!kept) result_.violate(image.cause, kept.error());
  }

  Result<void> finish(RequestImage& image) {
    kept_counts_.drop_empty(image);
    if (!image.write && image.before == image.now) return {};
    RuledWrites::Change& change = result_.changes.emplace_back();
    change.write = image.write;
    change.cause = image.cause;
    if (!image.write) change.key = std::move(image.key);
    if (image.now) {
      TAVOLA_TRY(change.after, pack(*image.now));
    }
    return {};
  }

  const Design& design_;
  const Ambient& ambient_;
  RuledWrites result_;
  RequestImages images_;
  Cascades cascades_;
  DependentChanges dependent_changes_;
  KeptCounts kept_counts_;
};

}  // namespace

Result<RuledWrites> govern_writes(const Design& design, std::span<const UnpackedWrite> writes,
                                  const Ambient& ambient, const TableLookup& lookup) {
  return RequestRule(design, ambient, lookup).run(writes);
}

Result<std::vector<DependentWrite>> copies_of(const Design& design, const Item& source,
                                              const Ambient& ambient) {
  const Decoded decoded = decode(design, source);
  if (decoded.entity == nullptr) return std::vector<DependentWrite>();
  TAVOLA_TRY(std::vector<DependentWrite> dependent_writes,
             dependent_writes_of(design, *decoded.entity, nullptr, &decoded.fields, ambient));
  std::erase_if(dependent_writes,
                [](const DependentWrite& one) { return one.kind != DependentWrite::Kind::Put; });
  return dependent_writes;
}

}  // namespace tavola::design
