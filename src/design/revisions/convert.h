// From one revision of a design to the next, and back: what `revisions` of the newer design says, applied to items.
//
//   older item ─▶ decode ─▶ fields ─▶ set, rename, drop, retype ─▶ fields ─▶ complete, to_item ─▶ newer item
//                                     back: rename, replaced_by
//
// Both forms hold what both revisions know. What only one of them knows stays with that one: so an item that changes in one
// form changes in the other by the same fields, and keeps the rest (`follow`). Pure. Thread safety: immutable.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/items/entity_item.h"
#include "design/model/model.h"

namespace tavola::design {

enum class Way : std::uint8_t { Forward, Back };

// An item that changes, and its counterpart in the other revision as it is.
struct ItemChange {
  std::optional<Item> before;
  std::optional<Item> after;
  std::optional<Item> counterpart;
};

class Conversion {
 public:
  // Borrows both. Fails with Validation when the newer design has no revision from the older one, when that does not say what
  // becomes of something, or when it asks for what cannot be done item by item.
  static Result<Conversion> between(const Design& older, const Design& newer);

  // The key of the counterpart, from an item or a key; nothing when the other revision has no such entity.
  Result<std::optional<Item>> counterpart_key(Way way, const Item& item) const;
  // An item in the other revision, for the first time; nothing when that has no such entity.
  Result<std::optional<Item>> convert(Way way, const Item& item, const Moment& moment) const;
  // What becomes of the counterpart of an item that changes. Fails with Validation when the change has no counterpart.
  Result<std::optional<Item>> follow(Way way, const ItemChange& change, const Moment& moment) const;
  // How a newer item is not what it should be beside the older one; nothing when it is right.
  std::optional<std::string> why_apart(const Item& older, const Item& newer) const;

  const Design& target(Way way) const { return way == Way::Forward ? *newer_ : *older_; }

 private:
  // What becomes of one entity's fields.
  struct EntityChanges {
    const Entity* older = nullptr;
    const Entity* newer = nullptr;
    std::map<std::string, std::string, std::less<>> renamed{};  // older name → newer name
    FieldNames dropped{};
    FieldNames retyped{};     // by the newer name; what does not fit the other type ...
    FieldNames recomputed{};  // ... is left out when somebody makes it anew, and is an error otherwise
    struct Set {
      std::string field;  // of the newer entity
      Value value;
      std::optional<Rule> when;  // over the older fields
    };
    std::vector<Set> sets{};
    struct Replacement {
      std::string field;  // of the older entity
      Rule says;          // over the newer fields
    };
    std::vector<Replacement> replaced{};

    const std::string& newer_name(const std::string& older_name) const;
    const std::string& older_name(const std::string& newer_name) const;
    bool is_only_newer(const std::string& newer_name) const;
  };
  friend class RevisionReader;
  struct Side {
    const EntityChanges* changes = nullptr;
    Item fields{};  // of the item, in its own revision
  };

  // Fields of the other revision, not yet complete.
  struct Draft {
    Item fields;
    Occasion occasion;
    const Item& told;  // those that this revision tells
  };

  Conversion(const Design& older, const Design& newer) : older_(&older), newer_(&newer) {}
  const Design& source(Way way) const { return way == Way::Forward ? *older_ : *newer_; }
  static const Entity& target_entity(const EntityChanges& changes, Way way) {
    return way == Way::Forward ? *changes.newer : *changes.older;
  }
  // The item as one of its own revision's entities. No changes: the other revision has no such entity.
  Result<Side> read(Way way, const Item& item) const;
  static Result<Item> translate(Way way, const Side& side, const Moment& moment);
  static Result<Item> translate_back(const Side& side, const Moment& moment);
  Result<Item> finish(Way way, const EntityChanges& changes, Draft draft, const Moment& moment) const;
  bool agree(Way way, const Item& item, const Item& counterpart) const;
  Item convert_record(Way way, const Item& record) const;

  const Design* older_;
  const Design* newer_;
  std::map<std::string, EntityChanges, std::less<>> entities_;  // of both revisions
  FieldNames gone_;                                             // entities that are dropped
};

}  // namespace tavola::design
