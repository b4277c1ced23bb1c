#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cavs/readers.h"

namespace cavs::inline v0_1 {

/// A tag in parts: B, I, E or S and what it is of; O and nothing. `Class`: its name, or a number of it.
template <typename Class>
struct Tag {
  char part = 'O';
  Class entity_class{};
};

/// M, L, U and W (BMES, BILOU, BMEWO) are I, E, S and S. Any name X without a part is read as I-X; an empty one is
/// none.
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

/// The entities of a sentence as conlleval finds them (Tjong Kim Sang and De Meulder, CoNLL 2003), so IOB1, IOB2 and
/// IOBES are read alike: B and S begin one, and so do I and E behind O, another class, E or S. Cost: linear.
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
