// Converts items from one revision of a design to the next, and back, as `revisions` of the newer design says.
//
//   older item ─▶ decode ─▶ fields ─▶ set, rename, drop, retype ─▶ fields ─▶ complete, to_item ─▶ newer item
//                                     back: rename, replaced_by
//
// Both forms hold the fields that both revisions have. A field of only one revision stays in that form: an item that
// changes in one form changes the common fields in the other, which keeps its own (`follow`). Pure. Thread safety:
// immutable.
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

// A change of an item, and the current counterpart in the other revision.
struct ItemChange {
  std::optional<Item> before;
  std::optional<Item> after;
  std::optional<Item> counterpart;
};

class Conversion {
 public:
  // Borrows both designs. Fails with Validation if the newer design has no revision from the older one, if the revision
  // does not cover a difference, or if it asks for a change that cannot be made item by item.
  static Result<Conversion> between(const Design& older, const Design& newer);

  // Returns the key of the counterpart of an item or a key; nullopt if the other revision has no such entity.
  Result<std::optional<Item>> counterpart_key(Way way, const Item& item) const;
  // Converts an item that has no counterpart yet; returns nullopt if the other revision has no such entity.
  Result<std::optional<Item>> convert(Way way, const Item& item, const Ambient& ambient) const;
  // Returns the counterpart of a changed item. Fails with Validation if the change has no counterpart.
  Result<std::optional<Item>> follow(Way way, const ItemChange& change, const Ambient& ambient) const;
  // Returns how a newer item differs from the conversion of the older one; nullopt if it does not.
  std::optional<std::string> why_apart(const Item& older, const Item& newer) const;

  const Design& target(Way way) const { return way == Way::Forward ? *newer_ : *older_; }

 private:
  // The changes of one entity's fields.
  struct EntityChanges {
    const Entity* older = nullptr;
    const Entity* newer = nullptr;
    std::map<std::string, std::string, std::less<>> renamed{};  // older name → newer name
    FieldNames dropped{};
    FieldNames retyped{};     // by the newer name; values that do not fit the other type ...
    FieldNames recomputed{};  // ... are left out if another rule recomputes them, and are errors otherwise
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
    Item fields{};  // the fields of the item, in its own revision
  };

  // Fields of the other revision, not yet complete.
  struct Draft {
    Item fields;
    Occasion occasion;
    const Item& known;  // the fields that this revision has
  };

  Conversion(const Design& older, const Design& newer) : older_(&older), newer_(&newer) {}
  const Design& source(Way way) const { return way == Way::Forward ? *older_ : *newer_; }
  static const Entity& target_entity(const EntityChanges& changes, Way way) {
    return way == Way::Forward ? *changes.newer : *changes.older;
  }
  // Reads the item as one of its own revision's entities. Without changes, the other revision has no such
  // entity.
  Result<Side> read(Way way, const Item& item) const;
  static Result<Item> translate(Way way, const Side& side, const Ambient& ambient);
  static Result<Item> translate_back(const Side& side, const Ambient& ambient);
  Result<Item> finish(Way way, const EntityChanges& changes, Draft draft, const Ambient& ambient) const;
  bool agree(Way way, const Item& item, const Item& counterpart) const;
  Item convert_record(Way way, const Item& record) const;

  const Design* older_;
  const Design* newer_;
  std::map<std::string, EntityChanges, std::less<>> entities_;  // of both revisions
  FieldNames gone_;                                             // dropped entities
};

}  // namespace tavola::design
