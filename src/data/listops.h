#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/vocabulary.h"

namespace cavs::inline v0_1 {

/// In this order; the words of a ListOps vocabulary are these and the digits.
constexpr std::array<std::string_view, 4> kListOpsOperators{"MAX", "MIN", "MED", "SM"};

Vocabulary listops_vocabulary();

/// The value of an operator, one of kListOpsOperators, over one value or more, which it may sort: MAX, MIN, MED (of an
/// even count the mean of the two in the middle, rounded down, as Nangia and Bowman's int(np.median)), SM (the sum
/// modulo 10).
std::int32_t apply_listops(std::string_view op, std::span<std::int32_t> values);

/// True if a line begins with an expression, as written or between the round brackets and columns of published files.
bool begins_listops(std::string_view line);

/// Expressions of a file. A line may have columns between tabs, the expression and its value, below a first line of
/// names (Source, Target). @throws UserError as parse_listops(), or for a value that the expression does not have.
std::vector<Tree> parse_listops_file(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// Labels every operator vertex with its value. Digits keep the label -1.
void evaluate_listops(Tree& tree);

}  // namespace cavs::inline v0_1
