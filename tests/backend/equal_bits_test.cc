// Products, sums and transposes have the same bits everywhere, and touch no memory outside of their operands.

#include "backend/equal_bits.h"

#include <gtest/gtest-spi.h>

namespace cavs::cpu {
namespace {

// Checks the harness: expect_equal_bits must find kernels that break a rule.
TEST(EqualBits, FindAKernelThatDependsOnAddressesOrOnTheSplit) {
  EXPECT_FATAL_FAILURE(expect_equal_bits(Agree::kAll, 1, "lies",
                                         [](Call& call) {
                                           float* const y = call.result(4);
                                           y[0] = static_cast<float>(reinterpret_cast<std::uintptr_t>(y) % 64);
                                         }),
                       "number 0 is");
  EXPECT_FATAL_FAILURE(expect_equal_bits(Agree::kAll, 1, "shared",
                                         [](Call& call) {
                                           float* const y = call.result(100);
                                           call.share(100, [&](int begin, int end) { y[begin] = y[end - 1]; });
                                         }),
                       "number");
  EXPECT_FATAL_FAILURE(expect_equal_bits(Agree::kAll, 1, "outside", [](Call& call) { call.result(5)[5] = 0; }),
                       "wrote outside");
}

TEST(EqualBitsDeathTest, FindAKernelThatReadsOutsideOfItsOperands) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(expect_equal_bits(Agree::kAll, 1, "reads",
                                 [](Call& call) {
                                   const volatile float* const x = call.numbers(5);
                                   *call.result(1) = x[5] == 0 ? 1.0F : 0.0F;
                                 }),
               "");
  EXPECT_DEATH(expect_equal_bits(Agree::kAll, 1, "reads",
                                 [](Call& call) {
                                   const volatile float* const x = call.numbers(5);
                                   *call.result(1) = x[-1] == 0 ? 1.0F : 0.0F;
                                 }),
               "");
}

TEST(EqualBits, OfProducts) {
  for (const int n : widths())
    for (int more = 0; more < 4; ++more)
      expect_equal_bits(
          Agree::kFused, seed_of(n, more), "product of " + std::to_string(n) + " columns", [n](Call& call) {
            const int rows = call.between(1, 130), k = call.one_of({1, 2, 3, 15, 16, 17, 31, 64, 100, 257, 600});
            const bool transposed = call.maybe(), add = call.maybe();
            const ConstRows x = call.rows(rows, k, true);
            PackedWeight w(k, n);
            w.pack(0, call.numbers(std::int64_t{k} * n), transposed, 0, transposed ? n : k);
            const ProductOut out[] = {{call.result(rows, n), add}};
            call.share(rows, [&](int row, int row_end) {
              call.share(w.units(), [&](int unit, int unit_end) {
                matmul(call.isa, x, row, row_end, w, out, unit, unit_end, call.scratch);
              });
            });
          });
}

// Sets the size of the cache by hand, because whether a weight fits depends on the processor.
TEST(EqualBits, OfProductsWithWeightsBeyondTheCache) {
  for (const int n : {1, 16, 17, 40, 64, 100, 130})
    for (int more = 0; more < 6; ++more)
      expect_equal_bits(
          Agree::kFused, seed_of(n, more), "far product of " + std::to_string(n) + " columns", [n](Call& call) {
            const int rows = call.between(1, 80), k = call.one_of({1, 16, 127, 128, 129, 300, 600});
            const bool add = call.maybe();
            const std::int64_t block = call.one_of({512, 8192, 16384, 65536});
            const float* const x = call.numbers(std::int64_t{rows} * k);
            PackedWeight w(k, n);
            w.pack(0, call.numbers(std::int64_t{k} * n), false, 0, k);
            const Rows y = call.result(rows, n);
            call.share(rows, [&](int row, int row_end) {
              std::vector<const float*> addresses;
              for (int r = row; r < row_end; ++r) addresses.push_back(x + std::int64_t{r} * k);
              call.share(w.units(), [&](int unit, int unit_end) {
                std::vector<SliceOut> out;
                for (int i = unit; i < unit_end; ++i)
                  out.push_back({y.base + row * y.stride + w.slice(i).column, y.stride, w.slice(i).columns, add});
                std::vector<float> space(static_cast<std::size_t>(far_space(row_end - row, k, far_depth(block))));
                call.isa.product({addresses.data(), row_end - row, k, w.slice_data(unit), w.slice_size(), out.data(),
                                  unit_end - unit, true, space.data(), block});
              });
            });
          });
}

TEST(EqualBits, OfProductsWithSeveralWeightsAndGates) {
  for (int gate = 1; gate <= 64; ++gate)
    expect_equal_bits(Agree::kFused, seed_of(gate), "gates of " + std::to_string(gate), [gate](Call& call) {
      const int rows = call.between(1, 40), k = call.between(1, 70);
      const std::vector<int> widths{gate, 3 * gate};
      PackedWeight w(k, widths, gate % kSlice == 0 ? gate : 0);
      for (int part = 0; part < 2; ++part)
        w.pack(part, call.numbers(std::int64_t{k} * widths[static_cast<std::size_t>(part)]), false, 0, k);
      const ConstRows x = call.rows(rows, k, true);
      const ProductOut out[] = {{call.result(rows, gate), call.maybe()}, {call.result(rows, 3 * gate), call.maybe()}};
      call.share(rows, [&](int row, int row_end) {
        call.share(w.units(),
                   [&](int unit, int end) { matmul(call.isa, x, row, row_end, w, out, unit, end, call.scratch); });
      });
    });
}

TEST(EqualBits, OfWeightGradients) {
  for (const int n : widths())
    expect_equal_bits(
        Agree::kFused, seed_of(n), "weight gradient of " + std::to_string(n) + " columns", [n](Call& call) {
          const int rows = call.one_of({0, 1, 2, 5, 17, 40, 255, 256, 257, 600}), k = call.between(1, 130);
          const ConstRows x = call.rows(rows, k, true), dy = call.rows(rows, n, true);
          float* const dw = call.result(std::int64_t{k} * n);
          const bool add = call.maybe();
          const int workers = call.workers();
          for (int w = 0; w < workers; ++w) matmul_tn(call.isa, x, dy, rows, dw, add, w, workers, call.scratch);
        });
}

TEST(EqualBits, OfWeightGradientsOfManyRows) {
  for (const int k : {kGradientStrips - 1, kGradientStrips + 1, 2 * kGradientStrips + 3})
    expect_equal_bits(Agree::kFused, seed_of(k), "weight gradient of " + std::to_string(k) + " rows", [k](Call& call) {
      const int rows = call.one_of({1, 20, 30}), n = call.between(1, 50);
      const ConstRows x = call.rows(rows, k, true), dy = call.rows(rows, n, true);
      float* const dw = call.result(std::int64_t{k} * n);
      const bool add = call.maybe();
      const int workers = call.workers();
      for (int w = 0; w < workers; ++w) matmul_tn(call.isa, x, dy, rows, dw, add, w, workers, call.scratch);
    });
}

TEST(EqualBits, OfSumsOverRows) {
  for (const int n : widths())
    expect_equal_bits(Agree::kAll, seed_of(n), "sum of " + std::to_string(n) + " columns", [n](Call& call) {
      const int rows = call.one_of({0, 1, 2, 5, 17, 40, 255, 256, 257, 600});
      const ConstRows x = call.rows(rows, n, true);
      float* const out = call.result(n);
      const bool add = call.maybe();
      const int workers = call.workers();
      for (int w = 0; w < workers; ++w) sum_rows(call.isa, x, rows, out, add, w, workers);
    });
}

TEST(EqualBits, OfTableGradients) {
  for (const int n : widths())
    expect_equal_bits(Agree::kAll, seed_of(n), "table of " + std::to_string(n) + " columns", [n](Call& call) {
      constexpr int kListed = 4;
      const std::int32_t table_rows[kListed] = {4, 0, 2, 6};
      const std::int32_t* const offsets = call.segments(kListed, call.one_of({3, 20, 300}));
      const int count = offsets[kListed];
      const ConstRows dy = call.rows(std::max(count, 1), n, true);
      std::vector<std::int32_t> rows(static_cast<std::size_t>(count));
      for (std::int32_t& r : rows) r = call.between(0, count - 1);
      float* const table = call.result(std::int64_t{7} * n);
      const int workers = call.workers();
      for (int w = 0; w < workers; ++w)
        lookup_grad(call.isa, dy, table_rows, offsets, rows.data(), kListed, table, w, workers);
    });
}

TEST(EqualBits, OfTransposes) {
  for (const int columns : widths())
    for (int more = 0; more < 3; ++more)
      expect_equal_bits(Agree::kAll, seed_of(columns, more), "transpose", [columns](Call& call) {
        const int rows = call.between(1, 40), to_stride = rows + call.between(0, 2);
        const ConstRows x = call.rows(rows, columns);
        float* const y = call.result(std::int64_t{columns - 1} * to_stride + rows);
        call.isa.transpose(x.base, x.stride, rows, columns, y, to_stride);
        for (int r = 0; r < rows; ++r)
          for (int c = 0; c < columns; ++c) ASSERT_TRUE(same(y[c * to_stride + r], x.base[r * x.stride + c]));
      });
}

TEST(EqualBits, OfSumsOfSquares) {
  for (const int count : widths())
    expect_equal_bits(Agree::kAll, seed_of(count), "squares", [count](Call& call) {
      double sums[kSquareLanes] = {0.1, 0.2};
      call.isa.add_squares(call.numbers(count), count, sums);
      std::memcpy(call.result(2 * kSquareLanes), sums, sizeof sums);
    });
}

TEST(EqualBits, OfLargestMagnitudes) {
  for (const int count : widths())
    expect_equal_bits(Agree::kAll, seed_of(count), "largest magnitude", [count](Call& call) {
      const std::int32_t bits = call.isa.largest_magnitude(call.numbers(count), count);
      std::memcpy(call.result(1), &bits, sizeof bits);
    });
}

TEST(EqualBits, OfBf16Tiles) {
  for (int seed = 0; seed < 100; ++seed)
    expect_equal_bits(Agree::kFused, seed_of(seed), "tile of bf16", [](Call& call) {
      const int steps = call.between(1, 4);
      const auto* const a = reinterpret_cast<const std::uint16_t*>(call.numbers(std::int64_t{16} * steps * 16));
      const auto* const b = reinterpret_cast<const std::uint16_t*>(call.numbers(std::int64_t{16} * steps * 16));
      call.isa.bf16_tile(a, std::int64_t{steps} * 32, b, steps, call.result(256));
    });
}

TEST(EqualBits, OfTheBestWords) {
  for (const int words : widths())
    expect_equal_bits(Agree::kLanes, seed_of(words), "best of " + std::to_string(words) + " words",
                      [words](Call& call) {
                        const int count = call.one_of({1, 2, 5, 16, 17, 64, 70});
                        const float* const logits = call.numbers(words);
                        std::vector<ScoredWord> best(static_cast<std::size_t>(count));
                        best_words(call.isa, {logits, static_cast<std::size_t>(words)}, best);
                        float* const result = call.result(2 * count + 1);
                        for (int i = 0; i < count; ++i) {
                          result[2 * i] = static_cast<float>(best[static_cast<std::size_t>(i)].word);
                          result[2 * i + 1] = best[static_cast<std::size_t>(i)].log_probability;
                        }
                        result[2 * count] = call.isa.log_softmax_at(logits, words, call.between(0, words - 1));
                      });
}

TEST(EqualBits, OfCrossEntropies) {
  for (const int width : widths())
    for (const bool gradient : {false, true})
      expect_equal_bits(
          Agree::kLanes, seed_of(width, gradient), "cross entropy of " + std::to_string(width), [=](Call& call) {
            const int rows = call.between(1, 40);
            CrossEntropy args;
            args.bias = call.maybe() ? call.numbers(width) : nullptr;
            args.labels = call.index(rows, width);
            args.loss = call.result(rows, 1);
            args.gradient = gradient;
            args.dy = 0.37F;
            float* const logits =
                gradient ? call.result(std::int64_t{rows} * width) : call.numbers(std::int64_t{rows} * width);
            args.logits = {logits, width, width};
            call.share(rows, [&](int begin, int end) { call.isa.cross_entropy(args, begin, end); });
          });
}

}  // namespace
}  // namespace cavs::cpu
