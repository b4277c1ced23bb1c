#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "helpers/models.h"

namespace cavs {

/// A test that runs once per model of the zoo, so that ctest names the model that fails:
///
///   class StreamingOfModel : public ZooTest {};
///   INSTANTIATE_TEST_SUITE_P(Zoo, StreamingOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);
///   TEST_P(StreamingOfModel, ChangesNoBit) { const ZooCase zoo = make(64); ... }
class ZooTest : public testing::TestWithParam<std::string> {
 protected:
  static ZooCase make(std::int32_t samples, double dropout = 0) { return zoo_case(GetParam(), samples, dropout); }
};

inline std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const ZooModel& zoo : all_models()) names.emplace_back(zoo.name);
  return names;
}

inline std::string zoo_test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == ' '; }, '_');
  return name;
}

}  // namespace cavs
