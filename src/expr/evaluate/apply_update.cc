#include "expr/evaluate/apply_update.h"

#include <algorithm>
#include <span>
#include <vector>

#include "expr/evaluate/update_values.h"

namespace tavola::expr {

namespace {

// Edits, ascending by path. All edits of a span share the elements before the current depth.
using Edits = std::span<const Edit>;

const BoundElement& element(const Edit& edit, std::size_t depth) { return (*edit.path)[depth]; }

Edits take_group(Edits& edits, std::size_t depth) {
  std::size_t size = 1;
  while (size < edits.size() && element(edits[size], depth) == element(edits.front(), depth)) ++size;
  const Edits group = edits.first(size);
  edits = edits.subspan(size);
  return group;
}

bool ends_at(const Edit& edit, std::size_t depth) { return edit.path->size() == depth + 1; }

class EditWriter {
 public:
  Result<void> write_map(const MapView& map, Edits edits, std::size_t depth) {
    for (const auto& [name, value] : map) {
      while (!edits.empty() && element(edits.front(), depth).name < name) {
        TAVOLA_CHECK(write_new_entry(take_group(edits, depth), depth));
      }
      if (edits.empty() || element(edits.front(), depth).name != name) {
        writer_.name(name);
        writer_.value(value);
        continue;
      }
      const Edits group = take_group(edits, depth);
      if (ends_at(group.front(), depth)) {
        TAVOLA_CHECK(write_new_entry(group, depth));
        continue;
      }
      writer_.name(name);
      TAVOLA_CHECK(write_inside(value, group, depth + 1));
    }
    while (!edits.empty()) TAVOLA_CHECK(write_new_entry(take_group(edits, depth), depth));
    return {};
  }

  PackedItem finish() && { return std::move(writer_).finish(); }

 private:
  // Writes `value` with its edited parts.
  Result<void> write_inside(ValueView value, Edits edits, std::size_t depth) {
    if (element(edits.front(), depth).is_index) {
      if (value.type() != Type::List) return fail(messages::path_invalid_for_update());
      writer_.begin_list();
      TAVOLA_CHECK(write_list(value.list(), edits, depth));
    } else {
      if (value.type() != Type::Map) return fail(messages::path_invalid_for_update());
      writer_.begin_map();
      TAVOLA_CHECK(write_map(value.map(), edits, depth));
    }
    writer_.end();
    return {};
  }

  // Indexes refer to positions before the update; elements set beyond the end are appended in the order of their index.
  Result<void> write_list(const ListView& list, Edits edits, std::size_t depth) {
    std::size_t index = 0;
    for (const ValueView value : list) {
      if (edits.empty() || element(edits.front(), depth).index != index++) {
        writer_.value(value);
        continue;
      }
      const Edits group = take_group(edits, depth);
      if (!ends_at(group.front(), depth)) {
        TAVOLA_CHECK(write_inside(value, group, depth + 1));
      } else if (const std::optional<ValueView>& replacement = group.front().value) {
        writer_.value(*replacement);
      }
    }
    for (const Edit& edit : edits) {
      if (!ends_at(edit, depth)) return fail(messages::path_invalid_for_update());
      if (edit.value) writer_.value(*edit.value);
    }
    return {};
  }

  // Writes an attribute that is replaced, removed, or new.
  Result<void> write_new_entry(Edits group, std::size_t depth) {
    const Edit& edit = group.front();
    if (!ends_at(edit, depth)) return fail(messages::path_invalid_for_update());
    if (!edit.value) return {};
    writer_.name(element(edit, depth).name);
    writer_.value(*edit.value);
    return {};
  }

  ItemWriter writer_;
};

// A list or map that was shallow enough at its source may be too deep at its target.
bool may_nest_too_deep(const Edit& edit) {
  if (!edit.value || edit.path->size() == 1) return false;
  return edit.value->type() == Type::List || edit.value->type() == Type::Map;
}

}  // namespace

Result<PackedItem> apply_update(const ast::Update& tree, const Bindings& bindings, const ItemView& before,
                                ItemState state) {
  UpdateValues values(tree, bindings, before);
  std::vector<Edit> edits(tree.actions.size());
  for (std::size_t i = 0; i < edits.size(); ++i) {
    TAVOLA_TRY(edits[i], values.edit(i));
  }
  std::vector<Edit> ordered;
  ordered.reserve(edits.size());
  for (const std::uint32_t i : bindings.by_path) {
    // AWS accepts REMOVE a.b if there is no item, although it refuses it if there is an item without `a`.
    const bool nested_remove = tree.actions[i].section == ast::Section::Remove && edits[i].path->size() > 1;
    if (state == ItemState::New && nested_remove) continue;
    ordered.push_back(edits[i]);
  }
  EditWriter writer;
  TAVOLA_CHECK(writer.write_map(before, ordered, 0));
  PackedItem after = std::move(writer).finish();
  if (std::ranges::any_of(ordered, may_nest_too_deep)) TAVOLA_CHECK(check_nesting(after.view()));
  return after;
}

}  // namespace tavola::expr
