#include "execute/cuda_persistent/kernel_choice.h"

#include <algorithm>

namespace cavs::cuda {
namespace {

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + std::ssize(numbers) / 2;
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

}  // namespace

int KernelChoice::next() {
  if (chosen_) return *chosen_;
  return static_cast<int>(asked_++ / kTurn % std::ssize(costs_));
}

bool KernelChoice::add(int kernel, double milliseconds, double work) {
  if (chosen_ || work <= 0) return false;
  costs_[static_cast<std::size_t>(kernel)].push_back(milliseconds / work);
  if (std::ranges::any_of(costs_, [](const auto& costs) { return costs.size() < kLaunches; })) return false;
  std::vector<double> medians;
  for (const std::vector<double>& costs : costs_) medians.push_back(median(costs));
  chosen_ = static_cast<int>(std::ranges::min_element(medians) - medians.begin());
  return true;
}

}  // namespace cavs::cuda
