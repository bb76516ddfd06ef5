#include "design/rules/govern_writes.h"

#include <algorithm>
#include <map>

#include "design/model/plain_json.h"

namespace tavola::design {
namespace {

Item key_in(const Table& table, const Item& item) {
  Item key{{table.hash.name, item.at(table.hash.name)}};
  if (table.range) key[table.range->name] = item.at(table.range->name);
  return key;
}

// Keys are equal when these texts are.
std::string id_of(const Item& key) { return to_json(key); }

class GoverningWrites {
 public:
  GoverningWrites(const Design& design, std::span<const WantedChange> writes, const Moment& moment,
                  const Surroundings& surroundings)
      : design_(design), writes_(writes), moment_(moment), surroundings_(surroundings), seen_(*this) {}

  Result<GovernedWrites> run() {
    for (std::size_t i = 0; i < writes_.size(); ++i) {
      const std::optional<Item>& image = writes_[i].after ? writes_[i].after : writes_[i].before;
      if (!image) continue;  // a missing item is already deleted
      begin(key_in(design_.table, *image), writes_[i], i);
    }
    for (std::size_t i = 0; i < images_.size(); ++i) TAVOLA_CHECK(govern_one(i));  // cascades add to them
    if (!look_up_companions()) return std::move(result_);
    apply(Companion::Kind::Delete);
    apply(Companion::Kind::Put);
    apply(Companion::Kind::Add);
    apply(Companion::Kind::Claim);
    for (Image& image : images_) compare_with_wanted(image);
    check_references();
    if (!result_.unknown.empty()) return std::move(result_);
    for (Image& image : images_) finish(image);
    return std::move(result_);
  }

 private:
  struct Image {
    Item key;
    std::optional<Item> before;
    std::optional<Item> wanted;  // by the client
    std::optional<Item> now;     // what it comes to, so far
    std::optional<std::size_t> write;
    std::size_t cause = 0;    // the write of the request that it changes for
    bool is_written = false;  // by the client, or because something else was deleted
    bool expires = false;
    Governed governed;
  };
  struct Pending {
    Companion companion;
    std::size_t cause;
  };

  // Shows the items of this request as they were before it, and all others as the surroundings have them.
  class Seen final : public Neighbours {
   public:
    explicit Seen(const GoverningWrites& all) : all_(all) {}
    const std::optional<Item>* find(const Item& key) const override {
      const auto found = all_.by_key_.find(id_of(key));
      if (found == all_.by_key_.end()) return all_.surroundings_.find(key);
      const Image& image = all_.images_[found->second];
      return image.before ? &image.before : &image.wanted;
    }

   private:
    const GoverningWrites& all_;
  };

  Image& begin(Item key, const WantedChange& change, std::optional<std::size_t> write) {
    by_key_.emplace(id_of(key), images_.size());
    images_.push_back({.key = std::move(key),
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

  void violate(std::size_t write, Error error) { result_.violations.push_back({write, std::move(error)}); }
  Error refusal(ErrorCode code, const std::string& message, const Span& at) const {
    return {code, "Tavola: " + message + " [" + design_.file + ":" + std::to_string(at.begin.line) + "]"};
  }
  void need(const Item& key) {
    if (std::ranges::find(result_.unknown, key) == result_.unknown.end()) result_.unknown.push_back(key);
  }

  // ---- Each write by itself ----

  Result<void> govern_one(std::size_t at) {
    Result<Governed> governed = govern(design_, images_[at].before, images_[at].wanted, moment_, seen_);
    Image& image = images_[at];
    if (!governed) {
      violate(image.cause, governed.error());
      return {};
    }
    image.governed = *std::move(governed);
    for (const Item& key : image.governed.unknown) need(key);
    // A copy that the client wrote starts unchanged: its source determines its new value.
    image.now = image.governed.only_with_its_source.empty() ? image.governed.item : image.before;
    for (Companion& companion : image.governed.companions) {
      pending_.push_back({std::move(companion), image.cause});
    }
    const std::size_t cause = image.cause;
    if (image.before && !image.wanted && image.governed.entity != nullptr) {
      TAVOLA_CHECK(cascade(*image.governed.entity, Item(image.key), *image.before, cause));
    }
    return keep_counts(images_[at]);
  }

  // Deletes the entities that cascade from a deleted one.
  Result<void> cascade(const Entity& entity, const Item& source, const Item& before, std::size_t cause) {
    if (entity.on_delete.empty()) return {};
    const Item fields = decode(design_, before).fields;
    for (const Cascade& one : entity.on_delete) {
      const Pattern& pattern = *design_.find_pattern(one.pattern.text);
      TAVOLA_TRY(const std::vector<Item> found, surroundings_.ask(pattern, fields, kCompanionsMax + 1));
      for (const Item& item : std::span(found).first(std::min(found.size(), kCompanionsMax))) {
        std::optional<Item> key = gone_along(design_, one, item);
        if (!key || by_key_.contains(id_of(*key))) continue;
        const std::optional<Item>* const stored = surroundings_.find(*key);
        if (stored == nullptr) {
          need(*key);
        } else if (*stored) {
          begin(*std::move(key), {.before = *stored, .after = std::nullopt}, std::nullopt).cause = cause;
        }
      }
      if (found.size() > kCompanionsMax) {
        result_.rests.push_back({.source = source, .copies = {}, .gone = &entity, .fields = fields});
      }
    }
    return {};
  }

  // ---- Counters that outlive their item ----
  // When an item with counters is deleted, the counted items remain and counting continues in an internal record, from
  // which the item gets its counters when it is created again.

  std::vector<std::string> counters_of(const Entity& entity) const {
    std::vector<std::string> names;
    for (const Copy& copy : design_.copies) {
      if (copy.kind != Copy::Kind::Counter || copy.to.text != entity.name) continue;
      if (!copy.count.empty()) names.push_back(copy.count);
      for (const Assignment& sum : copy.sum) names.push_back(sum.field);
    }
    return names;
  }

  Result<void> keep_counts(const Image& image) {
    if (image.governed.entity == nullptr || image.before.has_value() == image.now.has_value()) return {};
    const std::vector<std::string> names = counters_of(*image.governed.entity);
    if (names.empty()) return {};
    Companion counts{
        .kind = Companion::Kind::Add, .key = counts_key(design_.table, image.key), .dispensable = true};
    if (image.now) {
      returning_.push_back(image.key);
      if (by_key_.contains(id_of(counts.key))) return {};
      const std::optional<Item>* const stored = surroundings_.find(counts.key);
      if (stored == nullptr) need(counts.key);
      return {};
    }
    for (const std::string& name : names) {
      const auto value = image.before->find(name);
      if (value == image.before->end() || !value->second.is_number() || value->second.number().is_zero())
        continue;
      counts.numbers[name] = value->second.number();
    }
    if (!counts.numbers.empty()) pending_.push_back({std::move(counts), image.cause});
    return {};
  }

  // ---- What changes with them ----

  // Returns false if items must be read first.
  bool look_up_companions() {
    std::size_t copies = 0;
    std::erase_if(pending_, [&](const Pending& one) {
      const Companion& companion = one.companion;
      const bool is_copy =
          companion.kind == Companion::Kind::Put || companion.kind == Companion::Kind::Delete;
      if (!is_copy || is_record(design_.table, companion.key) || by_key_.contains(id_of(companion.key)))
        return false;
      if (++copies <= kCompanionsMax) return false;
      postpone(one);
      return true;
    });
    for (const Pending& one : pending_) look_up(one.companion.key, one.cause);
    for (const Pending& one : pending_) {
      if (one.companion.kind == Companion::Kind::Add && one.companion.dispensable) look_up_counts(one);
    }
    for (const Item& key : returning_)
      look_up(counts_key(design_.table, key), images_[by_key_.at(id_of(key))].cause);
    return result_.unknown.empty();
  }

  void postpone(const Pending& one) {
    const Image& source = images_[source_of(one.cause)];
    if (result_.rests.empty() || result_.rests.back().gone != nullptr ||
        result_.rests.back().source != source.key) {
      result_.rests.push_back({.source = source.key, .copies = {}, .gone = nullptr, .fields = {}});
    }
    result_.rests.back().copies.push_back(one.companion.key);
  }
  std::size_t source_of(std::size_t write) const {
    const auto found = std::ranges::find(images_, std::optional(write), &Image::write);
    return static_cast<std::size_t>(found - images_.begin());
  }

  void look_up(const Item& key, std::size_t cause) {
    if (by_key_.contains(id_of(key))) return;
    const std::optional<Item>* const stored = surroundings_.find(key);
    if (stored == nullptr) return need(key);
    by_key_.emplace(id_of(key), images_.size());
    images_.push_back({.key = key,
                       .before = *stored,
                       .wanted = {},
                       .now = *stored,
                       .write = {},
                       .cause = cause,
                       .is_written = false,
                       .governed = {}});
  }

  void look_up_counts(const Pending& one) {
    const auto target = by_key_.find(id_of(one.companion.key));
    if (target == by_key_.end() || images_[target->second].now) return;
    if (!is_record(design_.table, one.companion.key))
      look_up(counts_key(design_.table, one.companion.key), one.cause);
  }

  void apply(Companion::Kind kind) {
    if (kind == Companion::Kind::Add) restore_counts();
    for (const Pending& one : pending_) {
      if (one.companion.kind == kind)
        apply(one.companion, one.cause, images_[by_key_.at(id_of(one.companion.key))]);
    }
  }

  void apply(const Companion& companion, std::size_t cause, Image& image) {
    switch (companion.kind) {
      case Companion::Kind::Put:
        if (image.now && is_of_another(companion, *image.now)) {
          violate(cause, refusal(ErrorCode::Validation,
                                 companion.of + " already has a copy with the same key, of another item",
                                 companion.at));
        }
        image.now = companion.item;
        break;
      case Companion::Kind::Delete:
        if (image.now && is_held_by_another(companion, *image.now)) {
          if (image.is_written && !image.wanted)
            image.wanted = image.now;  // a client that knows nothing of the other
        } else {
          image.now.reset();
        }
        break;
      case Companion::Kind::Add:
        add(companion, cause, image);
        break;
      case Companion::Kind::Claim:
        if (image.now) {
          violate(cause, refusal(ErrorCode::ConditionalCheckFailed, companion.reason, companion.at));
        } else {
          image.now = companion.item;
        }
        break;
    }
  }

  // Returns whether the guard belongs to another existing item: the value was written twice while the table was not
  // governed.
  bool is_held_by_another(const Companion& companion, const Item& guard) {
    const auto own = companion.item.find("of");
    const auto held = guard.find("of");
    if (own == companion.item.end() || held == guard.end() || held->second.type() != Type::Map) return false;
    const Item& other = held->second.map();
    const bool is_key = other.contains(design_.table.hash.name) &&
                        (!design_.table.range || other.contains(design_.table.range->name));
    return is_key && other != own->second.map() && is_there(other);
  }

  // Returns whether the item exists, including the writes of this request. If it must be read first, the
  // result is not used.
  bool is_there(const Item& key) {
    const auto written = by_key_.find(id_of(key));
    if (written != by_key_.end()) return images_[written->second].now.has_value();
    const std::optional<Item>* const stored = surroundings_.find(key);
    if (stored == nullptr) need(key);
    return stored != nullptr && stored->has_value();
  }

  // Returns whether the stored item is the copy of another source, which must keep it.
  bool is_of_another(const Companion& companion, const Item& stored) {
    const auto copy = std::ranges::find(design_.copies, companion.of, &Copy::name);
    if (copy == design_.copies.end()) return false;
    const Entity& from = *design_.find_entity(copy->from.text);
    const Result<Item> own = key_of(design_, from, decode(design_, companion.item).fields);
    const Result<Item> other = key_of(design_, from, decode(design_, stored).fields);
    return own && other && *own != *other && is_there(*other);
  }

  void add(const Companion& companion, std::size_t cause, Image& image) {
    Image* target = &image;
    if (!image.now && !companion.dispensable) {
      return violate(cause, refusal(ErrorCode::Validation, companion.reason, companion.at));
    }
    if (!image.now && !is_record(design_.table, companion.key)) {
      target = &images_[by_key_.at(id_of(counts_key(design_.table, companion.key)))];
    }
    if (!target->now) target->now = target->key;
    for (const auto& [name, number] : companion.numbers) {
      Value& value = (*target->now)[name];
      const Result<Number> sum = value.is_number() ? value.number() + number : number;
      if (!sum)
        return violate(cause, refusal(ErrorCode::Validation, name + " would be too large", companion.at));
      value = *sum;
    }
  }

  void restore_counts() {
    for (const Item& key : returning_) {
      Image& counts = images_[by_key_.at(id_of(counts_key(design_.table, key)))];
      Image& image = images_[by_key_.at(id_of(key))];
      if (!counts.now || !image.now) continue;
      for (const auto& [name, value] : *counts.now) {
        if (!counts.key.contains(name)) (*image.now)[name] = value;
      }
      counts.now.reset();
    }
  }

  // ---- What the client wrote of it ----

  // Compares without automatic timestamps: a client that writes source and copy has its own clock.
  bool is_as_wanted(const Image& image) const {
    if (image.now == image.wanted) return true;
    if (!image.now || !image.wanted || image.governed.entity == nullptr) return false;
    Item now = *image.now;
    Item wanted = *image.wanted;
    for (const std::string& name : moments_in(*image.governed.entity)) {
      if (now.erase(name) != wanted.erase(name)) return false;
    }
    return now == wanted;
  }

  // Returns the fields of a copy that are automatic timestamps of its source.
  std::vector<std::string> moments_in(const Entity& copied) const {
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

  void compare_with_wanted(Image& image) {
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

  void check_references() {
    for (const Image& image : images_) {
      for (const Reference& reference : image.governed.references) {
        const auto written = by_key_.find(id_of(reference.key));
        if (written != by_key_.end()) {
          if (!images_[written->second].now) violate(image.cause, Error::validation(reference.message));
          continue;
        }
        const std::optional<Item>* const stored = surroundings_.find(reference.key);
        if (stored == nullptr) {
          need(reference.key);
        } else if (!*stored) {
          violate(image.cause, Error::validation(reference.message));
        }
      }
    }
  }

  // Drops the record if all counts are zero.
  void drop_empty_counts(Image& image) const {
    if (!image.now || image.write || !is_record(design_.table, image.key)) return;
    if (!image.key.at(design_.table.hash.name).string().starts_with("$count#")) return;
    const bool counts = std::ranges::any_of(*image.now, [&](const auto& attribute) {
      return attribute.second.is_number() && !attribute.second.number().is_zero();
    });
    if (!counts) image.now.reset();
  }

  void finish(Image& image) {
    drop_empty_counts(image);
    if (!image.write && image.before == image.now) return;
    result_.changes.push_back({.key = std::move(image.key),
                               .before = std::move(image.before),
                               .after = std::move(image.now),
                               .write = image.write,
                               .cause = image.cause,
                               .stuck_before = image.governed.stuck_before,
                               .stuck_after = image.governed.stuck_after});
  }

  const Design& design_;
  const std::span<const WantedChange> writes_;
  const Moment& moment_;
  const Surroundings& surroundings_;
  const Seen seen_;
  std::vector<Image> images_;
  std::map<std::string, std::size_t, std::less<>> by_key_;  // by id_of()
  std::vector<Pending> pending_;
  std::vector<Item> returning_;  // the keys of new items that have counters
  GovernedWrites result_;
};

}  // namespace

Result<GovernedWrites> govern_writes(const Design& design, std::span<const WantedChange> writes,
                                     const Moment& moment, const Surroundings& surroundings) {
  return GoverningWrites(design, writes, moment, surroundings).run();
}

std::optional<Item> gone_along(const Design& design, const Cascade& cascade, const Item& found) {
  const Decoded decoded = decode(design, found);
  const std::string& expected = design.find_pattern(cascade.pattern.text)->entity.text;
  if (decoded.entity == nullptr || decoded.entity->name != expected) return std::nullopt;
  Result<Item> key = key_of(design, *design.find_entity(cascade.entity.text), decoded.fields);
  return key ? std::optional(*std::move(key)) : std::nullopt;
}

Result<std::vector<Companion>> copies_of(const Design& design, const Item& source, const Moment& moment) {
  const Decoded decoded = decode(design, source);
  if (decoded.entity == nullptr) return std::vector<Companion>();
  TAVOLA_TRY(std::vector<Companion> companions,
             companions_of(design, *decoded.entity, nullptr, &decoded.fields, moment));
  std::erase_if(companions, [](const Companion& one) { return one.kind != Companion::Kind::Put; });
  return companions;
}

}  // namespace tavola::design
