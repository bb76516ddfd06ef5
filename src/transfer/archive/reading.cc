// Reading an archive: list, verify, restore.
#include <algorithm>
#include <set>

#include "database/item_key.h"
#include "design/items/entity_item.h"
#include "design/items/table_schema.h"
#include "design/model/timestamps.h"
#include "transfer/archive/archive.h"

namespace tavola::transfer {
namespace {

std::string without(std::string_view name, std::string_view ending) {
  return std::string(name.substr(0, name.size() - ending.size()));
}

// "<table>/<entity>/…"
bool is_selected(const ArchiveSelection& selection, std::string_view name) {
  const std::size_t first = name.find('/');
  const std::size_t second = first == std::string_view::npos ? first : name.find('/', first + 1);
  if (second == std::string_view::npos) return false;
  const std::string_view table = name.substr(0, first);
  const std::string_view entity = name.substr(first + 1, second - first - 1);
  return (selection.table.empty() || table == selection.table) &&
         (selection.entity.empty() || entity == selection.entity);
}

bool is_selected(const ArchiveSelection& selection, const Manifest& manifest) {
  return (!selection.from || manifest.newest >= *selection.from) &&
         (!selection.through || manifest.oldest <= *selection.through);
}

Result<Manifest> manifest_at(Destination& destination, const std::string& name) {
  TAVOLA_TRY(const std::optional<std::string> text, destination.read(name));
  Result<Manifest> manifest = text ? read_manifest(*text) : fail(Error::corrupt("it is missing"));
  if (manifest) return manifest;
  return fail(Error(manifest.error().code(), name + " in " + destination.described() +
                                                 " cannot be used: " + manifest.error().message()));
}

// Returns the names of one kind of object, without their extension.
std::set<std::string, std::less<>> with_ending(const std::vector<std::string>& names,
                                               std::string_view ending) {
  std::set<std::string, std::less<>> found;
  for (const std::string& name : names) {
    if (name.ends_with(ending)) found.insert(without(name, ending));
  }
  return found;
}

Result<std::vector<std::string>> selected_names(Destination& destination, const ArchiveSelection& selection) {
  TAVOLA_TRY(std::vector<std::string> names,
             destination.list(selection.table.empty() ? "" : selection.table + "/"));
  std::erase_if(names, [&](const std::string& name) { return !is_selected(selection, name); });
  return names;
}

// Returns whether the selection includes an item. If the item has no readable time, its batch decides.
bool is_meant(const ArchiveParts& parts, const ArchiveSelection& selection, const Manifest& manifest,
              const Item& item) {
  if (!selection.from && !selection.through) return true;
  const design::Decoded decoded = design::decode(parts.design, item);
  const design::Attribute* by = decoded.entity == nullptr ? nullptr : decoded.entity->find_field(manifest.by);
  const auto found = decoded.fields.find(manifest.by);
  if (by == nullptr || found == decoded.fields.end()) return true;
  const std::optional<WallTime> moment = design::read_moment(by->type, found->second);
  if (!moment) return true;
  return (!selection.from || *moment >= *selection.from) &&
         (!selection.through || *moment <= *selection.through);
}

Result<void> put_back(const ArchiveParts& parts, const std::string& table, const PackedItem& item,
                      Restored& done) {
  PutItemRequest request{.table_name = table, .item = item};
  request.condition_expression = "attribute_not_exists(#key)";
  request.names = {{"#key", parts.design.table.hash.name}};
  request.on_condition_failure = ReturnValuesOnConditionCheckFailure::AllOld;
  const Result<PutItemResponse> put = parts.database.put_item(request);
  if (put) {
    ++done.restored;
    return {};
  }
  if (put.error().code() != ErrorCode::ConditionalCheckFailed) return fail(put.error());
  const auto* there = put.error().detail<ConditionFailure>();
  if (there != nullptr && there->item == item) {
    ++done.present;
  } else {
    done.different.push_back(
        tavola::to_json(key_of_item(design::key_schema_of(parts.design), item.view()).unpack()));
  }
  return {};
}

}  // namespace

Result<std::vector<ListedBatch>> list_archive(Destination& destination, const ArchiveSelection& selection) {
  TAVOLA_TRY(const std::vector<std::string> names, selected_names(destination, selection));
  const std::set<std::string, std::less<>> removed = with_ending(names, kRemovedEnding);
  std::vector<ListedBatch> listed;
  for (const std::string& name : with_ending(names, kManifestEnding)) {
    TAVOLA_TRY(Manifest manifest, manifest_at(destination, name + std::string(kManifestEnding)));
    if (!is_selected(selection, manifest)) continue;
    listed.push_back({.name = name, .manifest = std::move(manifest), .is_removed = removed.contains(name)});
  }
  return listed;
}

Result<Verified> verify_archive(Destination& destination, const ArchiveSelection& selection,
                                const ArchiveWatch& watch) {
  TAVOLA_TRY(const std::vector<std::string> names, selected_names(destination, selection));
  const std::set<std::string, std::less<>> manifests = with_ending(names, kManifestEnding);
  const std::set<std::string, std::less<>> removed = with_ending(names, kRemovedEnding);
  Verified verified;
  for (const std::string& name : manifests) {
    const Result<Manifest> manifest = manifest_at(destination, name + std::string(kManifestEnding));
    if (!manifest) {
      if (manifest.error().code() == ErrorCode::Io) return fail(manifest.error());
      verified.problems.push_back(manifest.error().message());
      continue;
    }
    if (!is_selected(selection, *manifest)) continue;
    const Result<std::vector<PackedItem>> items = read_batch(destination, name, *manifest);
    if (!items) {
      if (items.error().code() == ErrorCode::Io) return fail(items.error());
      verified.problems.push_back(items.error().message());
      continue;
    }
    if (!removed.contains(name)) {
      verified.unfinished.push_back(name +
                                    ": not all of it was removed from the table; the next run resumes");
    }
    ++verified.batches;
    verified.items += items->size();
    if (watch) watch({.entity = manifest->entity, .archived = verified.items});
  }
  for (const std::string& name : with_ending(names, kDataEnding)) {
    if (manifests.contains(name)) continue;
    if (removed.contains(name)) {
      verified.problems.push_back(name + std::string(kManifestEnding) +
                                  " is missing; restore it from a copy");
    } else {
      verified.unfinished.push_back(name +
                                    ": was being written, and none of its items were removed from the table");
    }
  }
  for (const std::string& name : removed) {
    if (manifests.contains(name) || std::ranges::binary_search(names, name + std::string(kDataEnding)))
      continue;
    verified.problems.push_back(name + ": its items and its manifest are missing; restore them from a copy");
  }
  return verified;
}

Result<Restored> restore_archive(const ArchiveParts& parts, const ArchiveSelection& selection,
                                 const std::string& into) {
  TAVOLA_TRY(const std::vector<ListedBatch> batches, list_archive(parts.destination, selection));
  const std::string& table = into.empty() ? parts.design.table.name : into;
  Restored done;
  ArchiveProgress progress;
  for (const ListedBatch& batch : batches) {
    progress.entity = batch.manifest.entity;
    TAVOLA_TRY(const std::vector<PackedItem> items,
               read_batch(parts.destination, batch.name, batch.manifest));
    for (const PackedItem& item : items) {
      ++progress.looked_at;
      if (!is_meant(parts, selection, batch.manifest, item.unpack())) continue;
      TAVOLA_CHECK(put_back(parts, table, item, done));
      progress.archived = done.restored;
      if (parts.watch) parts.watch(progress);
    }
  }
  return done;
}

}  // namespace tavola::transfer
