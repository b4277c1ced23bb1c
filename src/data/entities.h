#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cavs/readers.h"

namespace cavs::inline v0_1 {

/// A parsed tag: B, I, E or S with a class, or O without a class. `Class` is the type of the class: its name or number.
template <typename Class>
struct Tag {
  char part = 'O';
  Class entity_class{};
};

/// Parses a tag. The prefixes M, L, U and W (BMES, BILOU, BMEWO) become I, E, S and S. A name X without a prefix
/// becomes I-X. An empty name means that there is no tag.
inline Tag<std::string_view> parse_tag(std::string_view name) {
  if (name == kOutside || name.empty()) return {};
  constexpr std::string_view kWritten = "BIESMLUW", kRead = "BIESIESS";
  const auto part = name.size() > 2 && name[1] == '-' ? kWritten.find(name[0]) : kWritten.npos;
  if (part == kWritten.npos) return {'I', name};
  return {kRead[part], name.substr(2)};
}

template <typename Class>
struct Entity {
  std::int64_t begin = 0, end = 0;  // tokens [begin, end)
  Class entity_class{};
  bool operator==(const Entity&) const = default;
};

/// Finds the entities of a sentence as conlleval does (Tjong Kim Sang and De Meulder, CoNLL 2003). B and S begin an
/// entity, and so do I and E after O, another class, E or S, so IOB1, IOB2 and IOBES need no distinction. Cost: linear.
template <typename Class>
std::vector<Entity<Class>> entities_of(std::span<const Tag<Class>> tags) {
  std::vector<Entity<Class>> entities;
  bool open = false;
  for (std::int64_t t = 0; t < std::ssize(tags); ++t) {
    const auto& [part, entity_class] = tags[t];
    const bool inside = part == 'I' || part == 'E';
    if (part != 'O' && !(open && inside && entities.back().entity_class == entity_class))
      entities.push_back({t, t, entity_class});
    if (part != 'O') entities.back().end = t + 1;
    open = inside ? part == 'I' : part == 'B';
  }
  return entities;
}

}  // namespace cavs::inline v0_1
