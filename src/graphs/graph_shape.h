#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cavs/graph.h"

namespace cavs::inline v0_1 {

/// The origin of a graph, for messages: the text given to add(), or the number of a sample in flat arrays. The text is
/// formatted only if there is a message.
struct Place {
  std::string_view where;
  std::int64_t sample = -1;

  Place(const char* text) : where(text) {}
  Place(const std::string& text) : where(text) {}
  Place(std::string_view text, std::int64_t of_sample) : where(text), sample(of_sample) {}
};

/// A view of the vertices and children of one graph. Offsets need not begin at 0.
struct GraphShape {
  std::span<const std::int32_t> types;     // [vertices]
  std::span<const std::int64_t> offsets;   // [vertices + 1] positions in the array to which `children` belongs
  std::span<const std::int32_t> children;  // [child slots]: the children of this graph

  std::int32_t vertices() const { return static_cast<std::int32_t>(types.size()); }
  std::span<const std::int32_t> children_of(std::int32_t v) const {
    return children.subspan(offsets[v] - offsets[0], offsets[v + 1] - offsets[v]);
  }
};

inline GraphShape shape_of(const InputGraph& graph) { return {graph.types, graph.child_offsets, graph.children}; }

/// Returns the shape of a sample. The offsets must have been checked.
inline GraphShape shape_of(const GraphArraysView& arrays, std::int64_t sample) {
  const std::int64_t begin = arrays.sample_begin[sample], vertices = arrays.sample_begin[sample + 1] - begin;
  const auto offsets = arrays.child_offsets.subspan(begin, vertices + 1);
  return {arrays.types.subspan(begin, vertices), offsets,
          arrays.children.subspan(offsets.front(), offsets.back() - offsets.front())};
}

}  // namespace cavs::inline v0_1

template <>
struct fmt::formatter<cavs::Place> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  template <typename Context>
  auto format(const cavs::Place& place, Context& context) const {
    if (place.sample < 0) return fmt::format_to(context.out(), "{}", place.where);
    return fmt::format_to(context.out(), "{}, sample {}", place.where, place.sample);
  }
};
