#include "tensor/check_parameters.h"

#include <algorithm>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

std::string show(const ParameterInfo& info) {
  return fmt::format("{}'{}' {}", info.table ? "table " : "", info.name, to_string(info.shape));
}

bool is_same(const ParameterInfo& a, const ParameterInfo& b) {
  return a.name == b.name && a.shape == b.shape && a.table == b.table;
}

/// Returns a description of an error in the listed rows of parameter `p`; empty if there is no error.
std::string wrong_rows(const Gradients& given, std::size_t p, const ParameterInfo& info) {
  if (!info.table) return "";
  const std::vector<std::int32_t>& rows = given.table_rows[p];
  const std::int32_t count = info.shape.dims[0];
  if (std::ssize(rows) > count)
    return fmt::format("the gradient of {} lists {} distinct rows", show(info), rows.size());
  const auto wrong = std::ranges::find_if(rows, [=](std::int32_t row) { return row < 0 || row >= count; });
  return wrong == rows.end() ? "" : fmt::format("the gradient of {} lists row {}", show(info), *wrong);
}

}  // namespace

std::string first_difference(const std::vector<ParameterInfo>& given, const std::vector<ParameterInfo>& expected) {
  const auto at = std::ranges::mismatch(given, expected, is_same);
  if (at.in1 == given.end() && at.in2 == expected.end()) return "";
  const auto place = at.in2 - expected.begin() + 1;
  if (at.in1 == given.end())
    return fmt::format("there are {}, expected {}: number {}, {}, is missing", given.size(), expected.size(), place,
                       show(*at.in2));
  if (at.in2 == expected.end())
    return fmt::format("there are {}, expected {}: number {}, {}, is unknown", given.size(), expected.size(), place,
                       show(*at.in1));
  return fmt::format("number {} of {} is {}, expected {}", place, given.size(), show(*at.in1), show(*at.in2));
}

void check_parameters(const Parameters::List& given, const Parameters::List& expected, std::string_view what,
                      std::string_view remedy) {
  if (given != nullptr && given == expected) return;
  static const std::vector<ParameterInfo> kNone;
  const std::string difference =
      first_difference(given == nullptr ? kNone : *given, expected == nullptr ? kNone : *expected);
  if (!difference.empty()) user_error("{} do not fit the parameters: {}; {}", what, difference, remedy);
}

void check_gradients(const Gradients& given, const Parameters::List& expected, std::string_view what) {
  constexpr std::string_view kRemedy = "make them with Gradients(parameters) of the same model";
  if (given.list() != nullptr) check_parameters(given.list(), expected, what, kRemedy);
  static const std::vector<ParameterInfo> kNone;
  const std::vector<ParameterInfo>& infos = expected == nullptr ? kNone : *expected;
  const bool all_there = given.size() == infos.size() && given.table_rows.size() == infos.size() &&
                         (given.deferred.empty() || given.deferred.size() == infos.size());
  if (!all_there)
    user_error("{} have {} gradients and {} lists of table rows; expected {} of each; {}", what, given.size(),
               given.table_rows.size(), infos.size(), kRemedy);
  for (std::size_t p = 0; p < infos.size(); ++p)
    if (const std::string wrong = wrong_rows(given, p, infos[p]); !wrong.empty())
      user_error("{} do not fit the parameters: {}; {}", what, wrong, kRemedy);
}

}  // namespace cavs::inline v0_1
