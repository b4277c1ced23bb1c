#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/vocabulary.h"

namespace cavs::inline v0_1 {

/// The operators, in the order of a ListOps vocabulary, which consists of them and the digits.
constexpr std::array<std::string_view, 4> kListOpsOperators{"MAX", "MIN", "MED", "SM"};

Vocabulary listops_vocabulary();

/// Applies an operator of kListOpsOperators to one or more values, and may sort the values: MAX, MIN, MED (for an even
/// count, the mean of the two middle values rounded down, as Nangia and Bowman's int(np.median)) and SM (sum modulo
/// 10).
std::int32_t apply_listops(std::string_view op, std::span<std::int32_t> values);

/// True if a line begins with an expression, also inside the round brackets and columns of published files.
bool begins_listops(std::string_view line);

/// Parses the expressions of a file. A line has an expression, or its value and the expression separated by tabs. The
/// first line may name the columns (Source, Target). @throws UserError as parse_listops(), or for a wrong value.
std::vector<Tree> parse_listops_file(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// Labels every operator vertex with its value. Digits keep the label -1.
void evaluate_listops(Tree& tree);

}  // namespace cavs::inline v0_1
