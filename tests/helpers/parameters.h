#pragma once

#include <vector>

#include "cavs/parameters.h"

namespace cavs {

/// Returns copies of the values of each parameter.
inline std::vector<std::vector<float>> values_of(const Parameters& parameters) {
  std::vector<std::vector<float>> values;
  for (int p = 0; p < parameters.size(); ++p)
    values.emplace_back(parameters.values(p).begin(), parameters.values(p).end());
  return values;
}

}  // namespace cavs
