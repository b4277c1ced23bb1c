#pragma once

#include <string>
#include <vector>

#include "cavs/vocabulary.h"

namespace cavs {

/// Writes a tree as "0:3 1:2=It ...": vertices in order as "parent:label=word". The parent of the root is "-".
inline std::string to_text(const Tree& tree) {
  std::string text;
  for (std::int32_t v = 0; v < tree.size(); ++v) {
    if (v > 0) text += ' ';
    text += tree.parents[v] < 0 ? "-" : std::to_string(tree.parents[v]);
    if (tree.labels[v] >= 0) text += ':' + std::to_string(tree.labels[v]);
    if (!tree.word(v).empty()) text += '=' + std::string(tree.word(v));
  }
  return text;
}

inline std::vector<std::string> words_of(const Tree& tree) {
  std::vector<std::string> words;
  for (std::int32_t v = 0; v < tree.size(); ++v)
    if (!tree.word(v).empty()) words.emplace_back(tree.word(v));
  return words;
}

}  // namespace cavs
