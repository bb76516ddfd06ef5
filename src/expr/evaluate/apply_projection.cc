#include "expr/evaluate/apply_projection.h"

#include <algorithm>

namespace tavola::expr {

namespace {

using Paths = std::span<const BoundPath>;

// The paths at the front of `paths` that share their element number `depth` with the first.
Paths take_group(Paths& paths, std::size_t depth) {
  std::size_t size = 1;
  while (size < paths.size() && paths[size][depth] == paths.front()[depth]) ++size;
  const Paths group = paths.first(size);
  paths = paths.subspan(size);
  return group;
}

// Calls `visit(name, value, group)` for the entries of `map` that `paths` go through at `depth`.
template <class Visit>
void walk_map(const MapView& map, Paths paths, std::size_t depth, Visit visit) {
  if (paths.front()[depth].is_index) return;
  for (const auto& [name, value] : map) {
    if (paths.front()[depth].name < name) {  // linear search would be slow: there may be very many
      const auto is_before = [&](const BoundPath& path) { return path[depth].name < name; };
      paths = Paths(std::ranges::partition_point(paths, is_before), paths.end());
      if (paths.empty()) return;
    }
    if (paths.front()[depth].name == name) visit(name, value, take_group(paths, depth));
    if (paths.empty()) return;
  }
}

template <class Visit>
void walk_list(const ListView& list, Paths paths, std::size_t depth, Visit visit) {
  if (!paths.front()[depth].is_index) return;
  std::size_t index = 0;
  for (const ValueView value : list) {
    if (paths.empty()) return;
    if (paths.front()[depth].index == index) visit(value, take_group(paths, depth));
    ++index;
  }
}

// Returns whether one of `paths`, all of which have led to `value` so far, leads to a value.
bool leads_somewhere(ValueView value, Paths paths, std::size_t depth) {
  if (paths.front().size() == depth) return true;
  bool found = false;
  if (value.type() == Type::Map) {
    walk_map(value.map(), paths, depth, [&](std::string_view, ValueView inner, Paths group) {
      found = found || leads_somewhere(inner, group, depth + 1);
    });
  } else if (value.type() == Type::List) {
    walk_list(value.list(), paths, depth, [&](ValueView inner, Paths group) {
      found = found || leads_somewhere(inner, group, depth + 1);
    });
  }
  return found;
}

// Requires leads_somewhere().
void write_value(ValueView value, Paths paths, std::size_t depth, ItemWriter& writer) {
  if (paths.front().size() == depth) return writer.value(value);
  if (value.type() == Type::Map) {
    writer.begin_map();
    walk_map(value.map(), paths, depth, [&](std::string_view name, ValueView inner, Paths group) {
      if (!leads_somewhere(inner, group, depth + 1)) return;
      writer.name(name);
      write_value(inner, group, depth + 1, writer);
    });
  } else {
    writer.begin_list();
    walk_list(value.list(), paths, depth, [&](ValueView inner, Paths group) {
      if (leads_somewhere(inner, group, depth + 1)) write_value(inner, group, depth + 1, writer);
    });
  }
  writer.end();
}

}  // namespace

PackedItem project(const ItemView& item, std::span<const BoundPath> paths) {
  ItemWriter writer;
  if (paths.empty()) return std::move(writer).finish();
  walk_map(item, paths, 0, [&](std::string_view name, ValueView value, Paths group) {
    if (!leads_somewhere(value, group, 1)) return;
    writer.name(name);
    write_value(value, group, 1, writer);
  });
  return std::move(writer).finish();
}

}  // namespace tavola::expr
