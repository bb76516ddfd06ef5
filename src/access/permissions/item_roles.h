// The roles of designs applied to DynamoDB's protocol: an item belongs to an entity, and a role reads and writes
// entities. The key identifies the entity and the owner of an item; requests whose keys do not identify them are
// refused.
//
// The roles are those of the design that the database keeps with the table, whichever designs the server was started
// with.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "access/permissions/restricted_database.h"
#include "base/clock.h"
#include "design/items/entity_item.h"
#include "design/model/model.h"
#include "design/roles/access.h"

namespace tavola::access {

// Checks that the table enforces the design's rules about people: permissions to grant, and names of callers in items.
// Only a table that the design governs does. Fails with AccessDenied, and as the database does.
Result<void> check_governed(Database& database, std::string_view table);

// Checks that the roles of a served design apply to its table. If the design that the database keeps with the table has
// roles, only that design counts; the patterns and operations of another design would bypass them. Fails with
// AccessDenied.
Result<void> check_decides(Database& database, const design::Design& served);

// Lives as long as one request, on one thread: borrows all it is given. Tables of no design, or of one without roles, are not
// limited. A table whose design cannot be applied is refused.
class ItemRoles final : public ItemRules {
 public:
  struct Parts {
    Database& database;  // the source of designs and groups, used as the server itself
    const design::Identity& who;
    // The designs of /v1. Their roles apply to tables with the name of their table that have no roles yet.
    std::span<const design::Design> served = {};
    const Clock& clock = Clock::system();
  };
  explicit ItemRoles(const Parts& parts) : parts_(parts) {}

  Result<void> may_change_table(std::string_view table) const override;
  Result<void> may_read(std::string_view table, const PackedItem& item) const override;
  Result<void> may_write(std::string_view table, const PackedItem& item) const override;
  bool may_import(std::string_view table) const override;
  Result<bool> may_see(std::string_view table, const PackedItem& item) const override;
  Result<void> may_test(std::string_view table, const PackedItem& item,
                        const std::vector<std::string>& attributes) const override;
  // Fails unless the person may read every entity that such a key condition can match by the design. Other items there
  // that may not be read are left out.
  Result<ItemTest> may_query(const QueryRequest& request) const override;
  Result<ItemTest> may_scan(const ScanRequest& request) const override;
  Result<void> may_read_stream(const std::string& stream) const override;
  Result<void> may_use_backup(const std::string& backup) const override;

 private:
  // Holds the design of a table, if it has roles, and the person with the groups that the table lists.
  struct Ruled {
    std::shared_ptr<const design::Design> design;
    // The person is read once; a failure applies to the rest of the request.
    std::optional<Result<design::Identity>> person = {};
    bool is_by_name = false;  // the design is a served one, and does not govern the table
  };
  Result<Ruled*> find(std::string_view table) const;
  // Returns the person with the groups of the table, which are read once.
  const Result<design::Identity>& person_of(Ruled& ruled) const;
  Result<Ruled> find_design(std::string_view table) const;
  Result<void> may_use(std::string_view table, const PackedItem& item, design::ItemAct act) const;
  Result<void> may_use(Ruled& ruled, const Item& key, design::ItemAct act) const;
  Result<void> may_use(Ruled& ruled, design::ItemAct act, const design::Entity& entity,
                       const Item& fields) const;
  // Returns whether the entity may be read. Fails if that cannot be determined.
  Result<bool> may_see(Ruled& ruled, const design::Entity& entity, const Item& fields) const;
  // Returns whether all items of the entity may be read, without another read of the table.
  bool may_see_all(const Ruled& ruled, const design::Entity& entity) const;
  // An entry of the table or an index, and the entity by its key and its mark.
  struct Found {
    const design::Decoded& decoded;
    const ItemView& entry;
    const std::string& index;  // empty: the table
  };
  // Returns the fields of the entry, with the owner if the key does not identify it. Reads the item if the index does
  // not project the owner.
  Result<Item> with_owner(const Ruled& ruled, const Found& found) const;
  // Returns the test of items that are found in an index (empty: the table). All items of the entities in `wholly` may
  // be read; for others, the key and the fields of each item decide, whatever the index key is. An item that may belong
  // to several entities, by its key and its mark, must be readable as each of them.
  ItemTest test_for(Ruled& ruled, std::vector<const design::Entity*> wholly, const std::string& index) const;

  Parts parts_;
  mutable std::map<std::string, Ruled, std::less<>> tables_;
};

}  // namespace tavola::access
