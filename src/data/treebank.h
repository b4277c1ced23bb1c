#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/readers.h"
#include "data/name_table.h"

namespace cavs::inline v0_1 {

// While the classes are unknown, a tree stores a label that is a name as a number below -1: see named_label().

constexpr std::int32_t named_label(std::int32_t name) { return -2 - name; }
constexpr std::int32_t name_of_label(std::int32_t label) { return -2 - label; }
constexpr bool is_named(std::int32_t label) { return label < -1; }

/// Parses trees. A label that is not an integer becomes named_label() of its number in `names`. `names` may also get
/// words, because "(x)" is a word but may look like a label.
std::vector<Tree> parse_treebank(std::string_view text, const std::string& name, const TreebankOptions& options,
                                 NameTable& names);

/// Replaces named labels by class numbers. @throws UserError ("file:line: ...") for a name that is not a class.
void number_labels(std::span<Tree> trees, const NameTable& names, const std::vector<std::string>& class_names,
                   const std::string& file);

}  // namespace cavs::inline v0_1
