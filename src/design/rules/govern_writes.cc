#include "design/rules/govern_writes.h"

#include <algorithm>
#include <map>

namespace tavola::design {
namespace {

Item key_in(const Table& table, const Item& item) {
  Item key{{table.hash.name, item.at(table.hash.name)}};
  if (table.range) key[table.range->name] = item.at(table.range->name);
  return key;
}

class RequestRule {
 public:
  RequestRule(const Design& design, std::span<const UnpackedWrite> writes, const Ambient& ambient,
              const TableLookup& lookup)
      : design_(design), writes_(writes), ambient_(ambient), lookup_(lookup), seen_(*this) {}

  Result<RuledWrites> run();

 private:
  struct Image {
    Item key;
    PackedItem id;  // the key again, as it is compared and looked up
    std::optional<Item> before;
    std::optional<Item> wanted;  // by the client
    std::optional<Item> now;     // the decision so far
    std::optional<std::size_t> write;
    std::size_t cause = 0;    // the write of the request that it changes for
    bool is_written = false;  // by the client, or because something else was deleted
    bool expires = false;
    Governed governed;
  };
  struct Pending {
    DependentWrite dependent;
    PackedItem id;  // the key of the companion
    std::size_t cause;
  };

  // A new item that has counters, and the record that may have counted for it before it existed.
  struct Returning {
    PackedItem id;
    Item counts_key;
    PackedItem counts_id;
  };

  // Shows items that are written here as they were, and all others as the table has them.
  class Seen final : public TableLookup {
   public:
    explicit Seen(const RequestRule& all) : all_(all) {}
    const std::optional<Item>* find(const PackedItem& key) const override {
      const auto found = all_.by_key_.find(key.bytes());
      if (found == all_.by_key_.end()) return all_.lookup_.find(key);
      const Image& image = all_.images_[found->second];
      return image.before ? &image.before : &image.wanted;
    }
    Result<std::optional<FoundItems>> ask(const Pattern& pattern, const Item& parameters,
                                          std::size_t limit) const override {
      return all_.lookup_.ask(pattern, parameters, limit);
    }

   private:
    const RequestRule& all_;
  };

  Image& begin(Item key, const UnpackedWrite& change, std::optional<std::size_t> write);
  void violate(std::size_t write, Error error) { result_.violations.push_back({write, std::move(error)}); }
  Error refusal(ErrorCode code, const std::string& message, const Span& at) const;
  bool has_image(const PackedItem& id) const { return by_key_.contains(id.bytes()); }
  Image& image_of(const PackedItem& id) { return images_[by_key_.find(id.bytes())->second]; }
  // Returns null if the item was not read yet; then nothing can be decided.
  const std::optional<Item>* stored(const PackedItem& id);
  void add_pending(DependentWrite dependent, std::size_t cause);

  // ---- Each write by itself ----
  Result<void> govern_one(std::size_t at);
  // Deletes what is deleted with an entity.
  Result<void> cascade(const Entity& entity, const Item& source, const Item& before, std::size_t cause);

  // ---- Counts that outlive what they are kept on ----
  // When an item with counters is deleted, the items it counted stay, and are counted on in an internal record. From it the item
  // gets its counters when it is put again.

  std::vector<std::string> counters_of(const Entity& entity) const;
  Result<void> keep_counts(const Image& image);

  // ---- What changes with them ----
  // Returns false when something was not read yet.
  bool look_up_companions();
  void postpone(const Pending& one);
  std::size_t source_of(std::size_t write) const;
  void look_up(const Item& key, const PackedItem& id, std::size_t cause);
  void look_up_counts(const Pending& one);
  void apply(DependentWrite::Kind kind);
  void apply(const DependentWrite& dependent, std::size_t cause, Image& image);
  // Returns whether a unique guard belongs to another existing item: the value was written twice while the design was not enforced.
  bool is_held_by_another(const DependentWrite& dependent, const Item& guard);
  // Returns whether the item exists after this request. If it was not read yet, the answer is not used.
  bool is_there(const Item& key);
  // Returns whether the stored item is the copy of another existing source.
  bool is_of_another(const DependentWrite& dependent, const Item& stored);
  void add(const DependentWrite& dependent, std::size_t cause, Image& image);
  void restore_counts();

  // ---- What the client wrote of it ----
  // Ignores automatic times: a client that writes source and copy has its own clock.
  bool is_as_wanted(const Image& image) const;
  // Returns the fields of a copy that are automatic times of its source.
  std::vector<std::string> moments_in(const Entity& copied) const;
  void compare_with_wanted(Image& image);
  void check_references();
  // Drops a record of counts that are all zero.
  void drop_empty_counts(Image& image) const;
  Result<void> finish(Image& image);

  const Design& design_;
  const std::span<const UnpackedWrite> writes_;
  const Ambient& ambient_;
  const TableLookup& lookup_;
  const Seen seen_;
  std::vector<Image> images_;
  std::map<std::string, std::size_t, std::less<>> by_key_;  // in images_, by the bytes of their ids
  std::vector<Pending> pending_;
  std::vector<Returning> returning_;
  RuledWrites result_;
};

Result<RuledWrites> RequestRule::run() {
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    const std::optional<Item>& image = writes_[i].after ? writes_[i].after : writes_[i].before;
    if (!image) continue;  // a missing item is deleted: nothing changes
    begin(key_in(design_.table, *image), writes_[i], i);
  }
  for (std::size_t i = 0; i < images_.size(); ++i) TAVOLA_CHECK(govern_one(i));  // cascades add to them
  if (!look_up_companions()) return std::move(result_);
  apply(DependentWrite::Kind::Delete);
  apply(DependentWrite::Kind::Put);
  apply(DependentWrite::Kind::Add);
  apply(DependentWrite::Kind::Claim);
  for (Image& image : images_) compare_with_wanted(image);
  check_references();
  if (result_.is_waiting) return std::move(result_);
  for (Image& image : images_) TAVOLA_CHECK(finish(image));
  return std::move(result_);
}

RequestRule::Image& RequestRule::begin(Item key, const UnpackedWrite& change,
                                       std::optional<std::size_t> write) {
  PackedItem id = packed_key(key);
  by_key_.emplace(id.bytes(), images_.size());
  images_.push_back({.key = std::move(key),
                     .id = std::move(id),
                     .before = change.before,
                     .wanted = change.after,
                     .now = change.after,
                     .write = write,
                     .cause = write.value_or(0),
                     .is_written = true,
                     .expires = change.expires,
                     .governed = {}});
  return images_.back();
}

Error RequestRule::refusal(ErrorCode code, const std::string& message, const Span& at) const {
  return {code, "Tavola: " + message + " [" + design_.file + ":" + std::to_string(at.begin.line) + "]"};
}

const std::optional<Item>* RequestRule::stored(const PackedItem& id) {
  const std::optional<Item>* const found = lookup_.find(id);
  if (found == nullptr) result_.is_waiting = true;
  return found;
}

void RequestRule::add_pending(DependentWrite dependent, std::size_t cause) {
  PackedItem id = packed_key(dependent.key);
  pending_.push_back({std::move(dependent), std::move(id), cause});
}

// ---- Each write by itself ----

Result<void> RequestRule::govern_one(std::size_t at) {
  Result<Governed> governed = govern(design_, images_[at].before, images_[at].wanted, ambient_, seen_);
  Image& image = images_[at];
  if (!governed) {
    violate(image.cause, governed.error());
    return {};
  }
  image.governed = *std::move(governed);
  if (image.governed.is_waiting) result_.is_waiting = true;
  // A copy that the client wrote begins as it was: its source says what becomes of it.
  image.now = image.governed.only_with_its_source.empty() ? image.governed.item : image.before;
  for (DependentWrite& dependent : image.governed.dependent_writes)
    add_pending(std::move(dependent), image.cause);
  const std::size_t cause = image.cause;
  if (image.before && !image.wanted && image.governed.entity != nullptr) {
    TAVOLA_CHECK(cascade(*image.governed.entity, Item(image.key), *image.before, cause));
  }
  return keep_counts(images_[at]);
}

Result<void> RequestRule::cascade(const Entity& entity, const Item& source, const Item& before,
                                  std::size_t cause) {
  if (entity.on_delete.empty()) return {};
  const Item fields = decode(design_, before).fields;
  for (const Cascade& one : entity.on_delete) {
    const Pattern& pattern = *design_.find_pattern(one.pattern.text);
    TAVOLA_TRY(const std::optional<FoundItems> found, lookup_.ask(pattern, fields, kDependentWritesMax));
    if (!found) {
      result_.is_waiting = true;
      continue;
    }
    for (const Item& item : found->items) {
      std::optional<Item> key = gone_along(design_, one, item);
      const PackedItem id = key ? packed_key(*key) : PackedItem();
      if (!key || has_image(id)) continue;
      const std::optional<Item>* const there = stored(id);
      if (there == nullptr || !*there) continue;
      begin(*std::move(key), {.before = *there, .after = std::nullopt}, std::nullopt).cause = cause;
    }
    if (!found->is_all) {
      result_.remainders.push_back({.source = source, .copies = {}, .gone = &entity, .fields = fields});
    }
  }
  return {};
}

// ---- Counts that outlive what they are kept on ----

std::vector<std::string> RequestRule::counters_of(const Entity& entity) const {
  std::vector<std::string> names;
  for (const Copy& copy : design_.copies) {
    if (copy.kind != Copy::Kind::Counter || copy.to.text != entity.name) continue;
    if (!copy.count.empty()) names.push_back(copy.count);
    for (const Assignment& sum : copy.sum) names.push_back(sum.field);
  }
  return names;
}

Result<void> RequestRule::keep_counts(const Image& image) {
  if (image.governed.entity == nullptr || image.before.has_value() == image.now.has_value()) return {};
  const std::vector<std::string> names = counters_of(*image.governed.entity);
  if (names.empty()) return {};
  DependentWrite counts{
      .kind = DependentWrite::Kind::Add, .key = counts_key(design_.table, image.key), .dispensable = true};
  if (image.now) {
    PackedItem id = packed_key(counts.key);
    if (!has_image(id)) stored(id);
    returning_.push_back({image.id, std::move(counts.key), std::move(id)});
    return {};
  }
  for (const std::string& name : names) {
    const auto value = image.before->find(name);
    if (value == image.before->end() || !value->second.is_number() || value->second.number().is_zero())
      continue;
    counts.numbers[name] = value->second.number();
  }
  if (!counts.numbers.empty()) add_pending(std::move(counts), image.cause);
  return {};
}

// ---- What changes with them ----

bool RequestRule::look_up_companions() {
  std::size_t copies = 0;
  std::erase_if(pending_, [&](const Pending& one) {
    const DependentWrite& dependent = one.dependent;
    const bool is_copy =
        dependent.kind == DependentWrite::Kind::Put || dependent.kind == DependentWrite::Kind::Delete;
    if (!is_copy || is_record(design_.table, dependent.key) || has_image(one.id)) return false;
    if (++copies <= kDependentWritesMax) return false;
    postpone(one);
    return true;
  });
  for (const Pending& one : pending_) look_up(one.dependent.key, one.id, one.cause);
  for (const Pending& one : pending_) {
    if (one.dependent.kind == DependentWrite::Kind::Add && one.dependent.dispensable) look_up_counts(one);
  }
  for (const Returning& one : returning_) look_up(one.counts_key, one.counts_id, image_of(one.id).cause);
  return !result_.is_waiting;
}

void RequestRule::postpone(const Pending& one) {
  const Image& source = images_[source_of(one.cause)];
  if (result_.remainders.empty() || result_.remainders.back().gone != nullptr ||
      result_.remainders.back().source != source.key) {
    result_.remainders.push_back({.source = source.key, .copies = {}, .gone = nullptr, .fields = {}});
  }
  result_.remainders.back().copies.push_back(one.dependent.key);
}

std::size_t RequestRule::source_of(std::size_t write) const {
  const auto found = std::ranges::find(images_, std::optional(write), &Image::write);
  return static_cast<std::size_t>(found - images_.begin());
}

void RequestRule::look_up(const Item& key, const PackedItem& id, std::size_t cause) {
  if (has_image(id)) return;
  const std::optional<Item>* const there = stored(id);
  if (there == nullptr) return;
  by_key_.emplace(id.bytes(), images_.size());
  images_.push_back({.key = key,
                     .id = id,
                     .before = *there,
                     .wanted = {},
                     .now = *there,
                     .write = {},
                     .cause = cause,
                     .is_written = false,
                     .governed = {}});
}

void RequestRule::look_up_counts(const Pending& one) {
  if (!has_image(one.id) || image_of(one.id).now) return;
  if (is_record(design_.table, one.dependent.key)) return;
  const Item key = counts_key(design_.table, one.dependent.key);
  look_up(key, packed_key(key), one.cause);
}

void RequestRule::apply(DependentWrite::Kind kind) {
  if (kind == DependentWrite::Kind::Add) restore_counts();
  for (const Pending& one : pending_) {
    if (one.dependent.kind == kind) apply(one.dependent, one.cause, image_of(one.id));
  }
}

void RequestRule::apply(const DependentWrite& dependent, std::size_t cause, Image& image) {
  switch (dependent.kind) {
    case DependentWrite::Kind::Put:
      if (image.now && is_of_another(dependent, *image.now)) {
        violate(cause, refusal(ErrorCode::Validation,
                               dependent.of + " already has a copy with the same key, of another item",
                               dependent.at));
      }
      image.now = dependent.item;
      break;
    case DependentWrite::Kind::Delete:
      if (image.now && is_held_by_another(dependent, *image.now)) {
        if (image.is_written && !image.wanted)
          image.wanted = image.now;  // a client that knows nothing of the other
      } else {
        image.now.reset();
      }
      break;
    case DependentWrite::Kind::Add:
      add(dependent, cause, image);
      break;
    case DependentWrite::Kind::Claim:
      if (image.now) {
        violate(cause, refusal(ErrorCode::ConditionalCheckFailed, dependent.reason, dependent.at));
      } else {
        image.now = dependent.item;
      }
      break;
  }
}

bool RequestRule::is_held_by_another(const DependentWrite& dependent, const Item& guard) {
  const auto own = dependent.item.find("of");
  const auto held = guard.find("of");
  if (own == dependent.item.end() || held == guard.end() || held->second.type() != Type::Map) return false;
  const Item& other = held->second.map();
  const bool is_key = other.contains(design_.table.hash.name) &&
                      (!design_.table.range || other.contains(design_.table.range->name));
  return is_key && other != own->second.map() && is_there(other);
}

bool RequestRule::is_there(const Item& key) {
  const PackedItem id = packed_key(key);
  if (has_image(id)) return image_of(id).now.has_value();
  const std::optional<Item>* const there = stored(id);
  return there != nullptr && there->has_value();
}

bool RequestRule::is_of_another(const DependentWrite& dependent, const Item& stored) {
  const auto copy = std::ranges::find(design_.copies, dependent.of, &Copy::name);
  if (copy == design_.copies.end()) return false;
  const Entity& from = *design_.find_entity(copy->from.text);
  const Result<Item> own = key_of(design_, from, decode(design_, dependent.item).fields);
  const Result<Item> other = key_of(design_, from, decode(design_, stored).fields);
  return own && other && *own != *other && is_there(*other);
}

void RequestRule::add(const DependentWrite& dependent, std::size_t cause, Image& image) {
  Image* target = &image;
  if (!image.now && !dependent.dispensable) {
    return violate(cause, refusal(ErrorCode::Validation, dependent.reason, dependent.at));
  }
  if (!image.now && !is_record(design_.table, dependent.key)) {
    target = &image_of(packed_key(counts_key(design_.table, dependent.key)));
  }
  if (!target->now) target->now = target->key;
  for (const auto& [name, number] : dependent.numbers) {
    Value& value = (*target->now)[name];
    const Result<Number> sum = value.is_number() ? value.number() + number : number;
    if (!sum)
      return violate(cause, refusal(ErrorCode::Validation, name + " would be too large", dependent.at));
    value = *sum;
  }
}

void RequestRule::restore_counts() {
  for (const Returning& one : returning_) {
    Image& counts = image_of(one.counts_id);
    Image& image = image_of(one.id);
    if (!counts.now || !image.now) continue;
    for (const auto& [name, value] : *counts.now) {
      if (!counts.key.contains(name)) (*image.now)[name] = value;
    }
    counts.now.reset();
  }
}

// ---- What the client wrote of it ----

bool RequestRule::is_as_wanted(const Image& image) const {
  if (image.now == image.wanted) return true;
  if (!image.now || !image.wanted || image.governed.entity == nullptr) return false;
  Item now = *image.now;
  Item wanted = *image.wanted;
  for (const std::string& name : moments_in(*image.governed.entity)) {
    if (now.erase(name) != wanted.erase(name)) return false;
  }
  return now == wanted;
}

std::vector<std::string> RequestRule::moments_in(const Entity& copied) const {
  std::vector<std::string> names;
  for (const Copy& copy : design_.copies) {
    const Entity* const from = copy.to.text == copied.name ? design_.find_entity(copy.from.text) : nullptr;
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

void RequestRule::compare_with_wanted(Image& image) {
  const Governed& governed = image.governed;
  if (!governed.only_with_its_source.empty() && !image.expires && !is_as_wanted(image)) {
    violate(image.cause, Error::validation(governed.only_with_its_source));
    image.now = image.wanted;
  } else if (image.expires) {
    image.now = image.wanted;
  }
  if (!image.now) return;
  for (const auto& [name, sent] : governed.counters_sent) {
    const auto comes_to = image.now->find(name);
    const bool begins = !image.before && sent.is_number() && sent.number().is_zero();
    if (begins || (comes_to != image.now->end() && comes_to->second == sent)) continue;
    violate(image.cause, Error::validation(governed.counters_message));
    image.now->insert_or_assign(name, sent);
  }
}

void RequestRule::check_references() {
  for (const Image& image : images_) {
    for (const Reference& reference : image.governed.references) {
      if (!is_there(reference.key)) violate(image.cause, Error::validation(reference.message));
    }
  }
}

void RequestRule::drop_empty_counts(Image& image) const {
  if (!image.now || image.write || !is_record(design_.table, image.key)) return;
  if (!image.key.at(design_.table.hash.name).string().starts_with("$count#")) return;
  const bool counts = std::ranges::any_of(*image.now, [&](const auto& attribute) {
    return attribute.second.is_number() && !attribute.second.number().is_zero();
  });
  if (!counts) image.now.reset();
}

Result<void> RequestRule::finish(Image& image) {
  drop_empty_counts(image);
  if (!image.write && image.before == image.now) return {};
  RuledWrites::Change& change = result_.changes.emplace_back();
  change.write = image.write;
  change.cause = image.cause;
  if (!image.write) change.key = std::move(image.id);
  if (image.now) {
    TAVOLA_TRY(change.after, pack(*image.now));
  }
  return {};
}

}  // namespace

Result<RuledWrites> govern_writes(const Design& design, std::span<const UnpackedWrite> writes,
                                  const Ambient& ambient, const TableLookup& lookup) {
  return RequestRule(design, writes, ambient, lookup).run();
}

std::optional<Item> gone_along(const Design& design, const Cascade& cascade, const Item& found) {
  const Decoded decoded = decode(design, found);
  const std::string& expected = design.find_pattern(cascade.pattern.text)->entity.text;
  if (decoded.entity == nullptr || decoded.entity->name != expected) return std::nullopt;
  Result<Item> key = key_of(design, *design.find_entity(cascade.entity.text), decoded.fields);
  return key ? std::optional(*std::move(key)) : std::nullopt;
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
