#include "transfer/archive/old_items.h"

#include <algorithm>

#include "design/items/entity_item.h"
#include "design/model/key_templates.h"
#include "design/model/timestamps.h"

namespace tavola::transfer {
namespace {

using design::AttributeType;
using design::Placeholder;
using design::Template;

// Returns whether every item of the entity has an entry in the index: no field of its keys can be missing.
bool has_all(const design::Entity& entity, std::string_view index) {
  const design::IndexEntry* entry = entity.find_index(index);
  if (entry == nullptr || entry->when || !entry->hash.from || !entry->range || !entry->range->from)
    return false;
  std::vector<std::string> fields = entry->hash.from->fields();
  std::ranges::copy(entry->range->from->fields(), std::back_inserter(fields));
  return std::ranges::all_of(fields, [&entity](const std::string& name) {
    const design::Attribute* field = entity.find_field(name);
    return field != nullptr && (field->required || !field->stored || field->value);
  });
}

// Returns "TX#" of TX#<timestamp>#<transactionId>, if the keys sort by time.
std::optional<std::string> prefix_before(const Template& range, const design::Attribute& by) {
  const bool begins_with_text = std::holds_alternative<std::string>(range.parts().front());
  const std::size_t place = begins_with_text ? 1 : 0;
  if (range.parts().size() <= place) return std::nullopt;
  const auto* placeholder = std::get_if<Placeholder>(&range.parts()[place]);
  if (placeholder == nullptr || placeholder->field != by.name) return std::nullopt;
  const bool is_iso = (by.type.kind == AttributeType::Kind::TimestampIso &&
                       placeholder->format == Placeholder::Format::Plain) ||
                      placeholder->format == Placeholder::Format::Iso;
  if (!is_iso) return std::nullopt;
  return std::string(range.prefix());
}

}  // namespace

std::optional<WallTime> moment_of(const design::Design& design, const design::Retention& retention,
                                  const PackedItem& item) {
  const design::Decoded decoded = design::decode(design, item.unpack());
  if (decoded.entity == nullptr || decoded.entity->name != retention.entity) return std::nullopt;
  const auto found = decoded.fields.find(retention.by);
  if (found == decoded.fields.end()) return std::nullopt;
  return design::read_moment(decoded.entity->find_field(retention.by)->type, found->second);
}

OldItems::OldItems(Database& database, const design::Design& design, const design::Retention& retention,
                   WallTime before)
    : database_(database),
      design_(design),
      retention_(retention),
      entity_(*design.find_entity(retention.entity)),
      by_(*entity_.find_field(retention.by)),
      before_(before),
      route_(find_route()) {}

std::optional<std::string> OldItems::queried() const {
  return route_ ? std::optional(route_->index) : std::nullopt;
}

std::optional<OldItems::Route> OldItems::find_route() const {
  const design::Table& table = design_.table;
  if (std::optional<Route> route = route_by("table", table.hash, table.range)) return route;
  for (const design::Index& index : design_.indexes) {
    if (index.projection.type != ProjectionType::All || !has_all(entity_, index.name)) continue;
    if (std::optional<Route> route = route_by(index.name, index.hash, index.range)) {
      route->index = index.name;
      return route;
    }
  }
  return std::nullopt;
}

std::optional<OldItems::Route> OldItems::route_by(std::string_view table_or_index,
                                                  const design::KeyAttribute& hash,
                                                  const std::optional<design::KeyAttribute>& range) const {
  const design::KeyTemplates keys = design::keys_in(design_, entity_, table_or_index);
  const bool is_in_order = hash.type == Type::String && range && range->type == Type::String &&
                           keys.hash.size() == 1 && keys.range.size() == 1 && keys.hash.front().is_literal();
  if (!is_in_order) return std::nullopt;
  std::optional<std::string> prefix = prefix_before(keys.range.front(), by_);
  if (!prefix) return std::nullopt;
  return Route{.index = {},
               .hash = &hash,
               .range = &*range,
               .hash_value = Value(keys.hash.front().text()),
               .range_prefix = *std::move(prefix)};
}

Result<tavola::Page> OldItems::fetch() {
  expr::ExpressionParts parts;
  if (route_) {
    // The prefix alone is the least of these keys, and no time before the wanted one has a key beyond the second bound.
    QueryRequest request{.table_name = design_.table.name, .index_name = route_->index};
    request.key_condition_expression = parts.name(route_->hash->name) + " = ";
    request.key_condition_expression += parts.value(route_->hash_value);
    const std::string range = parts.name(route_->range->name);
    const std::string most = parts.value(Value(route_->range_prefix + design::iso8601(before_)));
    request.key_condition_expression +=
        route_->range_prefix.empty()
            ? " AND " + range + " <= " + most
            : " AND " + range + " BETWEEN " + parts.value(Value(route_->range_prefix)) + " AND " + most;
    request.consistent_read = route_->index.empty();
    request.names = parts.names();
    TAVOLA_TRY(request.values, pack(parts.values()));
    request.exclusive_start_key = after_;
    return database_.query(request);
  }
  ScanRequest request{.table_name = design_.table.name, .consistent_read = true};
  if (by_.stored) {
    // The database filters first; the result is checked again.
    const std::string name = parts.name(by_.name);
    request.filter_expression = name + " <= " + parts.value(design::write_moment(by_.type, before_));
    request.names = parts.names();
    TAVOLA_TRY(request.values, pack(parts.values()));
  }
  request.exclusive_start_key = after_;
  return database_.scan(request);
}

Result<std::optional<OldItems::Page>> OldItems::next() {
  if (is_at_end_) return std::optional<Page>();
  TAVOLA_TRY(tavola::Page found, fetch());
  after_ = std::move(found.last_evaluated_key);
  is_at_end_ = !after_;
  Page page;
  page.looked_at = static_cast<std::uint64_t>(found.scanned_count);
  for (PackedItem& item : found.items) {
    const std::optional<WallTime> moment = moment_of(design_, retention_, item);
    if (moment && *moment < before_) page.items.push_back({std::move(item), *moment});
  }
  return std::optional(std::move(page));
}

}  // namespace tavola::transfer
