#pragma once

// The end of a step: loss, norm of the gradients, clipping, and the optimisers' rules (update/).

#include "backend/cuda/entries/device/operands.cuh"
#include "backend/cuda/entries/device/reductions.cuh"

namespace cavs::cuda {

/// The rows of a table that have a gradient.
struct TouchedRows {
  const i32* rows;
  i32 count;
};
CAVS_DEVICE TouchedRows touched_rows(const i32* words, i32 parameter) {
  const i32* const slice = words + load_fixed(words + kTouchedWord) + 2 * parameter;
  return {words + load_fixed(slice), load_fixed(slice + 1)};
}

/// Returns the index in the table of number i of the rows with a gradient, which are counted one after the other.
CAVS_DEVICE i32 touched_number(const TouchedRows& touched, i32 width, i32 i) {
  const i32 row = quotient(i, width);
  return load_fixed(touched.rows + row) * width + (i - row * width);
}

/// Calls f(number) for the processor's part of the numbers of a parameter.
template <typename F>
CAVS_DEVICE void each_number_of(const KernelArguments& a, const Work& work, i32 p, bool only_touched, F f) {
  const Parameter& parameter = kParameters[p];
  const TouchedRows touched = touched_rows(a.words, p);
  each_number(work, only_touched ? touched.count * parameter.width : parameter.size,
              [&](i32 i) { f(parameter.offset + (only_touched ? touched_number(touched, parameter.width, i) : i)); });
}

/// Runs before ∂F. Clears gradients that no entry writes, and gradients to which entries only add.
CAVS_DEVICE void clear_gradients(const KernelArguments& a) {
  const Work work{0, 0, 0, 0, processor(), processors()};
  const i32 unwritten = load_fixed(a.words + kUnwrittenCountWord);
#pragma unroll 1
  for (i32 k = 0; k < unwritten + kParameterCount; ++k) {
    const bool is_listed = k < unwritten;
    const i32 p = is_listed ? load_fixed(a.words + load_fixed(a.words + kUnwrittenWord) + k) : k - unwritten;
    if (!is_listed && kParameters[p].width == 0) continue;
    each_number_of(a, work, p, !is_listed && (a.steps[p].flags & kTouchedRows) != 0,
                   [&](i64 number) { store(a.gradients + number, 0.0F); });
  }
}

/// Returns the sum of x over all threads of the processor, to each thread. Lanes are added, then warps, in order.
CAVS_DEVICE double block_sum(double x) {
  double(&sums)[kWarps] = shared<BlockMemory>().warp_sums;
  x = warp_sum(x);
  if (lane() == 0) store(&sums[warp()], x);
  sync();
  double total = 0;
#pragma unroll 1
  for (i32 w = 0; w < kWarps; ++w) total += load(&sums[w]);
  return total;
}

/// Returns the sum of f(i) for i = first, first + step, ... below `end`, in order. Several are loaded together.
template <typename F>
CAVS_DEVICE double sum_of_numbers(i32 first, i32 end, i32 step, F f) {
  constexpr i32 kAtOnce = 8;
  double sum = 0;
#pragma unroll 1
  for (i32 begin = first; begin < end; begin += kAtOnce * step) {
    decltype(f(first)) numbers[kAtOnce];
#pragma unroll
    for (i32 i = 0; i < kAtOnce; ++i) numbers[i] = begin + i * step < end ? f(begin + i * step) : 0;
#pragma unroll
    for (i32 i = 0; i < kAtOnce; ++i) sum += static_cast<double>(numbers[i]);
  }
  return sum;
}

/// Sums all losses, by type and row, on the first processor.
CAVS_DEVICE void sum_losses(const KernelArguments& a) {
  if (processor() != 0) return;
  double sum = 0;
#pragma unroll 1
  for (i32 k = 0; k < load_fixed(a.words + kLossCountWord); ++k) {
    const i32* const words = a.words + load_fixed(a.words + kLossesWord) + k * kLossWords;
    const Operand x = find_operand(a, words + kLossOperand);
    const i32 labels = load_fixed(words + kLossLabels);
    const i32* const list = labels == 0 ? nullptr : a.words + labels;
    sum += sum_of_numbers(thread(), load_fixed(words + kLossRows), kThreads, [&](i32 r) {
      const i32 row = x.row_number(r);
      return load_or_zero(x.row_of(row), load_listed(list, r, 0) < 0 ? -1 : row);
    });
  }
  sum = block_sum(sum);
  if (thread() != 0) return;
  // If the previous step did not update, its loss or its norm is not finite. So this step is not to update, either.
  if (a.follows != 0 && load(&a.result->updated) == 0) sum = load(&a.result->loss) + load(&a.result->norm);
  store(&a.result->loss, sum);
}

/// Returns the number of blocks of a parameter whose squares are summed separately.
CAVS_DEVICE i32 square_blocks(const KernelArguments& a, i32 p) {
  const Parameter& parameter = kParameters[p];
  if ((a.steps[p].flags & kFrozen) != 0) return 0;
  const i32 count = parameter.width == 0 ? parameter.size : touched_rows(a.words, p).count * parameter.width;
  return count / kSquareBlock + (count % kSquareBlock != 0 ? 1 : 0);
}

/// Sums the squares of a parameter's gradient. Each warp sums one block at a time.
CAVS_DEVICE void sum_squares(const KernelArguments& a, const Work& work, i32 p) {
  const Parameter& parameter = kParameters[p];
  const TouchedRows touched = touched_rows(a.words, p);
  const i32 count = parameter.width == 0 ? parameter.size : touched.count * parameter.width;
  const Range own = part_of(square_blocks(a, p), work.part, work.parts, 1);
#pragma unroll 1
  for (i32 block = own.begin + warp(); block < own.end; block += kWarps) {
    const i32 begin = block * kSquareBlock, end = count - begin < kSquareBlock ? count : begin + kSquareBlock;
    double sum = sum_of_numbers(begin + lane(), end, 32, [&](i32 i) {
      const i32 number = parameter.width == 0 ? i : touched_number(touched, parameter.width, i);
      const auto x = static_cast<double>(load(a.gradients + parameter.offset + number));
      return x * x;
    });
    sum = warp_sum(sum);
    if (lane() == 0) store(a.squares + parameter.squares + block, sum);
  }
}

CAVS_DEVICE bool is_finite(double x) { return x - x == 0; }

/// Returns the factor for gradients. It is negative if loss or norm is not finite; then nothing is updated. All threads
/// of all processors get the same value: each processor adds all squares, with a warp per parameter.
CAVS_DEVICE float find_scale(const KernelArguments& a) {
  double sum = 0;
#pragma unroll 1
  for (i32 p = warp(); p < kParameterCount; p += kWarps) {
    const double* const blocks = a.squares + kParameters[p].squares;
    sum += sum_of_numbers(lane(), square_blocks(a, p), 32, [&](i32 block) { return load(blocks + block); });
  }
  const double squares = block_sum(sum);
  const double norm = square_root(squares);
  const bool updates = is_finite(norm) && is_finite(load(&a.result->loss));
  if (processor() == 0 && thread() == 0) {
    a.result->norm = norm;
    a.result->updated = updates ? 1 : 0;
  }
  if (!updates) return -1;
  if (a.clip_norm == 0) return 1;
  const double scale = static_cast<double>(a.clip_norm) / (norm + 1e-6);
  return scale < 1 ? static_cast<float>(scale) : 1.0F;
}

/// Updates one number of a parameter.
CAVS_DEVICE void update_number(const KernelArguments& a, const ParameterStep& s, float scale, i64 i) {
  float value = load(a.parameters + i);
  const float plain = load(a.gradients + i) * scale;
  if (a.rule == UpdateRule::kAdam || a.rule == UpdateRule::kAdamW) {
    const bool decoupled = a.rule == UpdateRule::kAdamW;
    if (decoupled) value = value * s.decay;
    const float g = decoupled ? plain : plain + s.decay * value;
    const float mean = s.beta1 * load(a.slots[0] + i) + s.one_minus_beta1 * g;
    const float square = s.beta2 * load(a.slots[1] + i) + s.one_minus_beta2 * g * g;
    store(a.slots[0] + i, mean), store(a.slots[1] + i, square);
    value -= s.rate * mean / (square_root(square) / s.root_correction2 + s.eps);
  } else {
    const float g = plain + s.decay * value;
    if (a.rule == UpdateRule::kSgd) {
      value -= s.rate * g;
    } else if (a.rule == UpdateRule::kAdagrad) {
      const float sum = load(a.slots[0] + i) + g * g;
      store(a.slots[0] + i, sum);
      value -= s.rate * g / (square_root(sum) + s.eps);
    } else {
      const float velocity = s.momentum * load(a.slots[0] + i) + g;
      store(a.slots[0] + i, velocity);
      value -= s.rate * (a.rule == UpdateRule::kNesterov ? g + s.momentum * velocity : velocity);
    }
  }
  store(a.parameters + i, value);
}

/// Calls f(number) for the processor's part of the numbers of all parameters.
template <typename F>
CAVS_DEVICE void each_number_of_all(const Work& work, F f) {
#pragma unroll 1
  for (i32 p = 0; p < kParameterCount; ++p)
    each_number(work, kParameters[p].size, [&](i32 i) { f(kParameters[p].offset + i); });
}

/// Adds the gradients of another minibatch to the gradients.
CAVS_DEVICE void add_gradients(const KernelArguments& a, const Work& work) {
  each_number_of_all(work, [&](i64 i) { store(a.gradients + i, load(a.gradients + i) + load(a.addend + i)); });
}

/// Moves the exponential averages towards the parameters.
CAVS_DEVICE void move_averages(const KernelArguments& a, const Work& work) {
  each_number_of_all(work, [&](i64 i) {
    const float average = load(a.averages + i);
    store(a.averages + i, average + a.average_rate * (load(a.parameters + i) - average));
  });
}

/// Updates the processor's part of a parameter, unless the parameter is frozen.
CAVS_DEVICE void update_parameter(const KernelArguments& a, const Work& work, i32 p, float scale) {
  const ParameterStep& step = a.steps[p];
  if ((step.flags & kFrozen) != 0) return;
  each_number_of(a, work, p, (step.flags & kTouchedRows) != 0,
                 [&](i64 number) { update_number(a, step, scale, number); });
}

}  // namespace cavs::cuda
