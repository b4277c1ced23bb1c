#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "backend/cpu/kernels.h"
#include "backend/cuda/batched/launch.h"
#include "cuda/launch_buffer.h"
#include "helpers/graphs.h"

namespace cavs::cuda {

/// Rows of logits for a launch of cavs_best_words. Some have equal numbers, infinity or NaN.
class WordSearchCase {
 public:
  WordSearchCase(int width, int count) : width_(width), count_(count) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    Numbers numbers(static_cast<std::uint64_t>(width));
    for (int row = 0; row < 4; ++row) add(-1, [&](int) { return static_cast<float>(numbers.below(1000)) / 50; });
    add(width - 1, [](int c) { return static_cast<float>(c % 7); });
    add(0, [](int c) { return c == 0 ? -kInfinity : 1.0F; });
    add(-1, [](int c) { return static_cast<float>(c % 3); });
    add(-1, [=](int c) { return c == width - 1 ? std::nanf("") : 1.0F; });
    add(-1, [=](int c) { return c == width / 2 ? kInfinity : 1.0F; });
    add(-1, [](int c) { return c % 2 == 0 ? static_cast<float>(c) / 100 : -kInfinity; });
    add(-1, [](int) { return -kInfinity; });
    for (const std::vector<float>& row : rows_) logits_.push_back(row.data());
    best_.resize(rows_.size() * static_cast<std::size_t>(count));
    pass_.arguments.search = {logits_.data(), forced_.data(), best_.data(), static_cast<int>(rows_.size()),
                              width,          count};
  }
  WordSearchCase(const WordSearchCase&) = delete;

  Launch launch() { return {.pass = &pass_, .entry = 0, .tile = 0, .of_stretch = 0}; }
  std::vector<LaunchBuffer> memory() {
    std::vector<LaunchBuffer> all{{"pass", &pass_, sizeof pass_},
                                  {"logits", logits_.data(), logits_.size() * sizeof(logits_[0])},
                                  {"forced", forced_.data(), forced_.size() * sizeof(int)},
                                  {"best", best_.data(), best_.size() * sizeof(WordScore), false}};
    for (std::vector<float>& row : rows_) all.push_back({"row", row.data(), row.size() * sizeof(float)});
    return all;
  }

  /// Compares the result with the words that the CPU finds.
  void expect_best() const {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      SCOPED_TRACE("row " + std::to_string(row) + " of " + std::to_string(width_));
      std::vector<ScoredWord> expected(static_cast<std::size_t>(count_));
      cpu::best_words(rows_[row], expected);
      if (forced_[row] >= 0) {
        const float score = cpu::log_softmax_at(rows_[row], forced_[row]);
        expected.assign(expected.size(), ScoredWord());
        expected[0] = {std::isfinite(score) ? forced_[row] : -1, score};
      }
      for (int k = 0; k < count_; ++k) {
        const WordScore& found = best_[row * static_cast<std::size_t>(count_) + static_cast<std::size_t>(k)];
        EXPECT_EQ(found.word, expected[k].word) << k;
        if (found.word < 0) continue;
        EXPECT_NEAR(found.score, expected[k].log_probability, 2e-6) << k;
      }
    }
  }

 private:
  template <typename F>
  void add(int forced, F logit) {
    forced_.push_back(forced);
    rows_.emplace_back();
    for (int c = 0; c < width_; ++c) rows_.back().push_back(logit(c));
  }

  int width_, count_;
  std::vector<std::vector<float>> rows_;
  std::vector<const float*> logits_;
  std::vector<int> forced_;
  std::vector<WordScore> best_;
  Pass pass_{};
};

}  // namespace cavs::cuda
