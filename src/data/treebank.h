#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/readers.h"
#include "data/name_table.h"

namespace cavs::inline v0_1 {

// A label that is a name stands in a tree as a number below -1 until the classes are known.

constexpr std::int32_t named_label(std::int32_t name) { return -2 - name; }
constexpr std::int32_t name_of_label(std::int32_t label) { return -2 - label; }
constexpr bool is_named(std::int32_t label) { return label < -1; }

/// Trees whose labels that are no integers are named_label() of their number in the table. (It may hold further names:
/// "(x)" is a word.)
std::vector<Tree> parse_treebank(std::string_view text, const std::string& name, const TreebankOptions& options,
                                 NameTable& names);

/// Puts the numbers of the classes in place of names. @throws UserError ("file:line: ...") for a name that is no class.
void number_labels(std::span<Tree> trees, const NameTable& names, const std::vector<std::string>& tags,
                   const std::string& file);

}  // namespace cavs::inline v0_1
