#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "backend/cuda/batched/launch.h"
#include "cuda/launch_buffer.h"

namespace cavs::cuda {

/// States of vertices, one array per width, that a launch of cavs_keep_states copies. Vertices 4 and 9 have numbers
/// that are not finite. Vertex 5 has no states.
class StateCopiesCase {
 public:
  static constexpr int kVertices = 23;

  StateCopiesCase() {
    for (const int width : widths_) {
      from_.emplace_back();
      to_.emplace_back(static_cast<std::size_t>(kVertices * width), -1);
      for (int k = 0; k < kVertices * width; ++k) from_.back().push_back(static_cast<float>(k) / 8);
    }
    from_[1][4 * 33 + 32] = std::nanf("");
    from_[2][9 * 70] = -std::numeric_limits<float>::infinity();
    from_[0][22] = std::numeric_limits<float>::max();
    for (int v = 0; v < kVertices; ++v)
      for (std::size_t s = 0; s < widths_.size(); ++s)
        rows_.push_back({v == 5 ? nullptr : from_[s].data() + v * widths_[s], to_[s].data() + slot(v) * widths_[s]});
    pass_.arguments.copies = {rows_.data(), widths_.data(), finite_.data(), kVertices,
                              static_cast<int>(widths_.size())};
  }
  StateCopiesCase(const StateCopiesCase&) = delete;

  Launch launch() { return {.pass = &pass_, .entry = 0, .tile = 0, .of_stretch = 0}; }
  std::vector<LaunchBuffer> memory() {
    std::vector<LaunchBuffer> all{{"pass", &pass_, sizeof pass_},
                                  {"rows", rows_.data(), rows_.size() * sizeof(RowCopy)},
                                  {"widths", widths_.data(), widths_.size() * sizeof(int)},
                                  {"finite", finite_.data(), finite_.size() * sizeof(int), false}};
    for (std::size_t s = 0; s < widths_.size(); ++s) {
      all.push_back({"from", from_[s].data(), from_[s].size() * sizeof(float)});
      all.push_back({"to", to_[s].data(), to_[s].size() * sizeof(float), false});
    }
    return all;
  }

  void expect_copied() const {
    for (int v = 0; v < kVertices; ++v) {
      EXPECT_EQ(finite_[v], v == 4 || v == 9 ? 0 : 1) << v;
      for (std::size_t s = 0; s < widths_.size(); ++s)
        for (int c = 0; c < widths_[s]; ++c) {
          const float x = v == 5 ? 0 : from_[s][v * widths_[s] + c], found = to_[s][slot(v) * widths_[s] + c];
          EXPECT_TRUE(found == x || (std::isnan(found) && std::isnan(x))) << "state " << s << " of vertex " << v;
        }
    }
  }

 private:
  static int slot(int vertex) { return vertex * 7 % kVertices; }

  std::vector<int> widths_{1, 33, 70};
  std::vector<std::vector<float>> from_, to_;  // [states][vertices, width]
  std::vector<RowCopy> rows_;
  std::vector<int> finite_ = std::vector<int>(kVertices, -1);
  Pass pass_{};
};

}  // namespace cavs::cuda
