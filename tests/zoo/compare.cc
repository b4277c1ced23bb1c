#include "zoo/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>

namespace cavs::zoo {
namespace {

/// Smallest bound, relative to the bound of the largest tensor. Sums of terms that nearly cancel keep the rounding
/// errors of the terms, and in bf16 a number near a tie may round to either side.
constexpr double kFractionOfLargestBound = 0.2;

double largest_of(std::span<const float> values) {
  double largest = 0;
  for (const float x : values) largest = std::max(largest, std::abs(static_cast<double>(x)));
  return largest;
}

std::string without_times(const std::string& text) {
  static const std::regex kTimes(R"re("(samples_per_second|seconds)":[^,}]*,?|samples/s .*\n)re");
  return std::regex_replace(text, kTimes, "");
}

/// Correlations of nearly equal scores depend on rounding.
std::string without_correlations(const std::string& text) {
  static const std::regex kCorrelations(R"re("(pearson|spearman)":[^,}]*,?|(Pearson|Spearman) .*\n)re");
  return std::regex_replace(text, kCorrelations, "");
}

}  // namespace

std::string first_difference(std::span<const Checkpoint::Tensor> found, std::span<const Checkpoint::Tensor> reference,
                             double most) {
  if (found.size() != reference.size()) return fmt::format("{} tensors, not {}", found.size(), reference.size());
  double floor = 0;
  for (const auto& tensor : reference)
    floor = std::max(floor, kFractionOfLargestBound * most * largest_of(tensor.values));
  for (std::size_t t = 0; t < found.size(); ++t) {
    const auto& [name, shape, values] = found[t];
    if (name != reference[t].name || shape != reference[t].shape) return fmt::format("{} is another tensor", name);
    const double largest = largest_of(reference[t].values);
    double difference = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double d = std::abs(static_cast<double>(values[i]) - static_cast<double>(reference[t].values[i]));
      if (!(d <= difference)) difference = d;
    }
    if (!(difference <= std::max(most * largest, floor)))
      return fmt::format("{} differs by {:.3g}, its largest number is {:.3g}", name, difference, largest);
  }
  return "";
}

std::string first_difference(const std::string& found, const std::string& reference, double most) {
  if (most > 0 && without_correlations(found) != found)
    return first_difference(without_correlations(found), without_correlations(reference), most);
  static const std::regex kNumber(R"re(-?\d+(\.\d+)?(e[-+]?\d+)?)re");
  const std::string texts[] = {without_times(found), without_times(reference)};
  std::sregex_iterator a(texts[0].begin(), texts[0].end(), kNumber), b(texts[1].begin(), texts[1].end(), kNumber);
  const std::sregex_iterator end;
  std::string between[2];
  for (; a != end && b != end; ++a, ++b) {
    if (a->prefix() != b->prefix()) break;
    const double x = std::stod(a->str()), y = std::stod(b->str());
    if (!(std::abs(x - y) <= most * std::max(1.0, std::abs(y)))) break;
  }
  const auto rest = [&](const std::sregex_iterator& from, const std::string& text) {
    return from == end ? std::string("its end")
                       : fmt::format("'{}'", text.substr(from->prefix().first - text.begin(), 60));
  };
  if (a != end || b != end) return fmt::format("{} and {}", rest(a, texts[0]), rest(b, texts[1]));
  const std::string without[] = {std::regex_replace(texts[0], kNumber, "0"),
                                 std::regex_replace(texts[1], kNumber, "0")};
  return without[0] == without[1] ? "" : "they end in another way";
}

}  // namespace cavs::zoo
