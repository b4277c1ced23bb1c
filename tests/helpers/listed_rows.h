#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cavs/session.h"

namespace cavs {

/// Checks that reading the rows of listed vertices, in any order and with repeats, gives the rows that reading all
/// vertices gives.
inline void expect_rows_of_lists(const Run& run, const std::string& port) {
  const std::vector<float> all = run.output(port);
  const std::size_t width = static_cast<std::size_t>(run.width(port)), vertices = all.size() / width;
  const auto last = static_cast<std::int32_t>(vertices) - 1;
  for (const std::vector<std::int32_t>& list :
       {std::vector<std::int32_t>{last, 0, last / 2, 0}, {last / 3}, {}, {1, 2, last - 1}}) {
    const std::vector<const float*> rows = run.rows(port, list);
    ASSERT_EQ(rows.size(), list.size());
    for (std::size_t k = 0; k < list.size(); ++k) {
      const float* const expected = all.data() + list[k] * width;
      if (rows[k] == nullptr)
        EXPECT_TRUE(std::all_of(expected, expected + width, [](float x) { return x == 0; })) << list[k];
      else
        EXPECT_TRUE(std::equal(expected, expected + width, rows[k])) << "vertex " << list[k];
    }
  }
}

}  // namespace cavs
