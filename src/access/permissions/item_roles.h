// The roles of designs for who uses their tables item by item, through DynamoDB's protocol: an item is of an entity, and a role
// reads and writes entities. What an item is and whose it is, its key tells; requests whose keys do not tell it are refused.
//
// The design that counts is the one that the database keeps with the table, whatever the server was started with.
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

// Whether the table applies to those who write what the design says of its people: who may give which permission, and whose names
// stand in items. Only a table that the design governs does. Fails with AccessDenied, and as the database does.
Result<void> check_governed(Database& database, std::string_view table);

// Checks that a served design decides who may use its table. The design that the database keeps with the table decides as soon as
// it has roles; the patterns and operations of any other design would pass these by. Fails with AccessDenied.
Result<void> check_decides(Database& database, const design::Design& served);

// Lives as long as one request, on one thread: borrows all it is given. Tables of no design, or of one without roles, are not
// limited. A table whose design cannot be applied is refused.
class ItemRoles final : public ItemRules {
 public:
  struct Parts {
    Database& database;  // where designs and groups are looked up; its own user is the server
    const design::Identity& who;
    // The designs of /v1. Their roles go for tables that bear the name of their table and have no roles yet.
    std::span<const design::Design> served = {};
    const Clock& clock = Clock::system();
  };
  explicit ItemRoles(const Parts& parts) : parts_(parts) {}

  Result<void> may_change_table(std::string_view table) const override;
  Result<void> may_read(std::string_view table, const PackedItem& item) const override;
  Result<void> may_write(std::string_view table, const PackedItem& item) const override;
  Result<bool> may_see(std::string_view table, const PackedItem& item) const override;
  Result<void> may_test(std::string_view table, const PackedItem& item,
                        const std::vector<std::string>& attributes) const override;
  // Refused, unless the person may read everything that such a key condition can find by the design. What lies there besides,
  // and may not be read, is not seen.
  Result<ItemTest> may_query(const QueryRequest& request) const override;
  Result<ItemTest> may_scan(const ScanRequest& request) const override;
  Result<void> may_read_stream(const std::string& stream) const override;
  Result<void> may_use_backup(const std::string& backup) const override;

 private:
  // Holds the design of a table, if it has roles, and the person with the groups that the table lists.
  struct Ruled {
    std::shared_ptr<const design::Design> design;
    // The person is looked up once; a failure stands for the rest of the request.
    std::optional<Result<design::Identity>> person = {};
    bool is_by_name = false;  // the design is a served one, and does not govern the table
  };
  Result<Ruled*> find(std::string_view table) const;
  Result<Ruled> find_design(std::string_view table) const;
  Result<void> may_use(std::string_view table, const PackedItem& item, design::ItemAct act) const;
  Result<void> may_use(Ruled& ruled, const Item& key, design::ItemAct act) const;
  Result<void> may_use(Ruled& ruled, design::ItemAct act, const design::Entity& entity,
                       const Item& fields) const;
  // Whether the entity may be read. Fails when that cannot be known.
  Result<bool> may_see(Ruled& ruled, const design::Entity& entity, const Item& fields) const;
  // Whether all items of the entity may be read, by what is known of the person without another look into the table.
  bool may_see_all(const Ruled& ruled, const design::Entity& entity) const;
  // An entry of the table or an index, and what its key and its mark say that it is.
  struct Found {
    const design::Decoded& decoded;
    const ItemView& entry;
    const std::string& index;  // empty: the table
  };
  // Returns the fields of what was found, with its owner where its key does not tell whose it is. The item is read when the index
  // does not project the owner.
  Result<Item> with_owner(const Ruled& ruled, const Found& found) const;
  // Returns the test of items that are found in an index (empty: the table). All items of the entities in `wholly` may be read; of
  // others, the key and the fields of each item decide, whatever the key in the index says. An item that may be of several
  // entities, by its key and its mark, must be readable as each of them.
  ItemTest test_for(Ruled& ruled, std::vector<const design::Entity*> wholly, const std::string& index) const;

  Parts parts_;
  mutable std::map<std::string, Ruled, std::less<>> tables_;
};

}  // namespace tavola::access
