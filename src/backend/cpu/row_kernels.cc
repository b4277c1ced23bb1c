#include <algorithm>
#include <cstring>

#include "backend/cpu/isa.h"
#include "backend/cpu/rows_of.h"
#include "support/philox.h"

namespace cavs::cpu {
namespace {

void copy(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch&) {
  const std::size_t width = static_cast<std::size_t>(args.out.width);
  for (std::int32_t r = begin; r < end; ++r) {
    const float* from = nullptr;
    rows_of(args.in[0], r, 1, nullptr, &from);
    float* const to = args.out.base + r * args.out.stride;
    if (from == nullptr)
      std::fill_n(to, width, 0.0F);
    else if (args.in[0].width == 1)
      std::fill_n(to, width, *from);
    else
      std::memmove(to, from, sizeof(float) * width);
  }
}

void one_hot(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch&) {
  for (std::int32_t r = begin; r < end; ++r) {
    float* const y = args.out.base + r * args.out.stride;
    std::fill_n(y, args.out.width, 0.0F);
    if (args.labels[r] >= 0) y[args.labels[r]] = 1.0F;
  }
}

void diagonal(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch&) {
  const std::int64_t n = args.in[0].width;
  for (std::int32_t r = begin; r < end; ++r) {
    const float* from = nullptr;
    rows_of(args.in[0], r, 1, nullptr, &from);
    float* const to = args.out.base + r * args.out.stride;
    std::fill_n(to, n * n, 0.0F);
    for (std::int64_t i = 0; from != nullptr && i < n; ++i) to[i * n + i] = from[i];
  }
}

void diagonal_gradient(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch&) {
  const std::int64_t n = args.out.width;
  for (std::int32_t r = begin; r < end; ++r) {
    const float* from = nullptr;
    rows_of(args.in[0], r, 1, nullptr, &from);
    float* const to = args.out.base + r * args.out.stride;
    for (std::int64_t i = 0; i < n; ++i) to[i] = from == nullptr ? 0.0F : from[i * n + i];
  }
}

/// Returns the random words of columns 4 * block to 4 * block + 3 of a row.
std::array<std::uint32_t, 4> dropout_words(const RandomKey& key, std::int32_t row, std::uint32_t block) {
  const auto purpose = static_cast<std::uint32_t>(RandomPurpose::kDropout);
  const auto epoch_key = philox({key.epoch, purpose, 0, 0}, key.seed);
  const std::uint32_t vertex = key.vertex != nullptr ? key.vertex[row] : ~std::uint32_t{0};
  return philox({block, key.sample[row], vertex, key.node}, std::uint64_t{epoch_key[1]} << 32 | epoch_key[0]);
}

float factor(std::uint32_t word, float probability) {
  return static_cast<float>(word >> 8) * 0x1p-24F < probability ? 0.0F : 1.0F / (1.0F - probability);
}

void dropout_mask(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch&) {
  const auto width = static_cast<std::uint32_t>(args.out.width);
  for (std::int32_t r = begin; r < end; ++r) {
    float* const y = args.out.base + r * args.out.stride;
    for (std::uint32_t c = 0; c < width; c += 4) {
      const auto words = dropout_words(args.random, r, c / 4);
      for (std::uint32_t i = 0; i < 4 && c + i < width; ++i) y[c + i] = factor(words[i], args.attribute);
    }
  }
}

constexpr NamedRowKernel kPlain[] = {{"copy", copy},
                                     {"one_hot", one_hot},
                                     {"diagonal", diagonal},
                                     {"diagonal_gradient", diagonal_gradient},
                                     {"dropout_mask", dropout_mask}};

}  // namespace

float dropout_factor(const RandomKey& key, std::int32_t row, std::int32_t column, float probability) {
  const auto c = static_cast<std::uint32_t>(column);
  return factor(dropout_words(key, row, c / 4)[c % 4], probability);
}

RowKernel find_row_kernel(const Isa& isa, std::string_view name) {
  const std::span<const NamedRowKernel> vectorised(isa.row_kernels, static_cast<std::size_t>(isa.row_kernel_count));
  for (const auto& kernels : {vectorised, std::span<const NamedRowKernel>(kPlain)})
    for (const NamedRowKernel& k : kernels)
      if (name == k.name) return k.kernel;
  return nullptr;
}

RowKernel find_row_kernel(std::string_view name) { return find_row_kernel(isa(), name); }

void cross_entropy(const CrossEntropy& args, std::int32_t row_begin, std::int32_t row_end) {
  isa().cross_entropy(args, row_begin, row_end);
}

void best_words(const Isa& isa, std::span<const float> logits, std::span<ScoredWord> best) {
  isa.best_words(logits.data(), static_cast<int>(logits.size()), best.data(), static_cast<int>(best.size()));
}

void best_words(std::span<const float> logits, std::span<ScoredWord> best) { best_words(isa(), logits, best); }

float log_softmax_at(std::span<const float> logits, int word) {
  return isa().log_softmax_at(logits.data(), static_cast<int>(logits.size()), word);
}

}  // namespace cavs::cpu
