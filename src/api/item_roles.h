// The roles of designs for who uses their tables item by item, through DynamoDB's protocol: an item is of an entity, and a role
// reads and writes entities. What an item is and whose it is, its key tells; requests whose keys do not tell it are refused.
#pragma once

#include <span>
#include <string_view>

#include "design/access.h"
#include "design/model.h"
#include "runner/runner.h"
#include "wire/access.h"

namespace tavola::api {

class Service;

// Lives as long as one request: borrows all it is given. Tables of no design, or of one without roles, are not limited.
class ItemRoles final : public wire::ItemRules {
 public:
  // `database` is where groups are looked up; its own user is the server.
  ItemRoles(const Service& service, Database& database, const design::Identity& who)
      : service_(service), database_(database), who_(who) {}

  Result<void> may_change_table(std::string_view table) const override;
  Result<void> may_read(std::string_view table, const PackedItem& item) const override;
  Result<void> may_write(std::string_view table, const PackedItem& item) const override;
  // Refused, unless the person may read everything that such a key condition can find.
  Result<void> may_query(const QueryRequest& request) const override;
  Result<void> may_scan(const ScanRequest& request) const override;

 private:
  const design::Design* find_design(std::string_view table) const;  // with roles; null: none
  Result<void> may_use(std::string_view table, const PackedItem& item, design::ItemAct act) const;
  Result<void> may_use(const design::Design& design, design::ItemAct act, const design::Entity& entity,
                       const Item& fields) const;

  const Service& service_;
  Database& database_;
  const design::Identity& who_;
};

}  // namespace tavola::api
