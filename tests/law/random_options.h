#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helpers/graphs.h"
#include "law/laws.h"

/// A vector of all options: one choice per dimension.
namespace cavs::law {

/// One value of a dimension: a statement that is both compiled and printed as text. The first choice is the default.
struct Choice {
  std::string_view name;
  std::string_view text;
  void (*apply)(LawOptions& o) = nullptr;
};

struct Dimension {
  std::string_view name;
  int percent = 50;  // percentage of cases that do not have the default
  std::vector<Choice> choices;
};

std::span<const Dimension> all_dimensions();

using OptionVector = std::vector<int>;  // [dimensions], index of the choice

OptionVector draw_options(Numbers& numbers);
LawOptions to_options(const OptionVector& vector);
/// The statements that set these options, starting from default options.
std::vector<std::string_view> statements(const OptionVector& vector);

}  // namespace cavs::law
