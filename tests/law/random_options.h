#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helpers/graphs.h"
#include "law/laws.h"

/// A vector of all options: a number for each dimension.
namespace cavs::law {

/// One value of a dimension: a statement that is compiled and, as text, printed. The first of a dimension is the
/// default.
struct Choice {
  std::string_view name;
  std::string_view text;
  void (*apply)(LawOptions& o) = nullptr;
};

struct Dimension {
  std::string_view name;
  int percent = 50;  // how often it is not the default
  std::vector<Choice> choices;
};

std::span<const Dimension> all_dimensions();

using OptionVector = std::vector<int>;  // [dimensions], numbers of choices

OptionVector draw_options(Numbers& numbers);
LawOptions to_options(const OptionVector& vector);
/// The statements that make them of default options.
std::vector<std::string_view> statements(const OptionVector& vector);

}  // namespace cavs::law
