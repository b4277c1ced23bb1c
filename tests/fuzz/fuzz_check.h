#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "cavs/error.h"
#include "cavs/sentence_graphs.h"
#include "cavs/vocabulary.h"
#include "data/text.h"

namespace cavs {

/// Whatever the bytes are, a reader gives samples or a UserError that is itself fit to be shown; any other exception
/// ends the fuzzer.
template <typename Read>
void expect_result_or_message(const std::uint8_t* data, std::size_t size, Read&& read) {
  try {
    read(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const UserError& error) {
    if (find_invalid_utf8(error.what()) != std::string_view::npos) __builtin_trap();
  }
}

/// What a reader accepts is a graph that passes every check.
inline void expect_graphs(std::span<const Tree> trees) {
  GraphSet graphs(tree_schema());
  for (const Tree& tree : trees) graphs.add(to_graph(tree, Vocabulary::from_trees(trees.first(1))));
  if (graphs.size() != static_cast<std::int32_t>(trees.size())) __builtin_trap();
}

}  // namespace cavs
