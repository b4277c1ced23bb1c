#pragma once

// The kernels of the batched engine. Each runs one entry of a script, or a part of the update. The blocks of a launch
// divide the output, and do not synchronise. Launches follow each other on one stream, so their inputs are ready.
// Results are bit-identical with any number of blocks.

#include "backend/cuda/batched/device/best_words.cuh"
#include "backend/cuda/batched/device/caller_rows.cuh"
#include "backend/cuda/batched/device/keep_states.cuh"
#include "backend/cuda/batched/device/products.cuh"
#include "backend/cuda/batched/launch.h"
#include "backend/cuda/entries/device/entropy.cuh"
#include "backend/cuda/entries/device/update.cuh"

namespace cavs::cuda {

/// Returns the part of a launch's output that the block writes.
CAVS_DEVICE Work work_of_block() { return {0, 0, 0, 0, processor(), processors()}; }

/// Finds the operands and calls f(arguments, entry), if the launch has an entry. All threads of all blocks call it.
template <typename F>
CAVS_DEVICE void run_entry(const Launch& launch, F f) {
  begin_launch();
  i32 number = launch.entry;
  if (launch.of_stretch != 0) {
    const Stretch stretch = load(&launch.pass->stretch);
    number += stretch.begin;
    if (number >= stretch.end) return;
  }
  const KernelArguments a = load(&launch.pass->arguments);
  const Entry entry = entry_of(a, number);
  find_operands(a, entry);
  sync();
  f(a, entry);
}

/// Runs as the first launch of a graph. Takes the next stretch (a range of entries), which becomes the current one.
CAVS_DEVICE void begin_stretch(const Launch& launch) {
  begin_launch();
  if (processor() != 0 || thread() != 0) return;
  const Stretch* const next = load(&launch.pass->next);
  store(&launch.pass->stretch, load(next));
  store(&launch.pass->next, next + 1);
}

/// Multiplies by weights. @tparam kAlong  true if a line of the weight holds consecutive k of one unit (transposed)
template <i32 kSize, bool kAlong>
CAVS_DEVICE void run_product(const Launch& launch) {
  run_entry(launch, [](const KernelArguments& a, const Entry& entry) {
    const Work work = work_of(a, entry);
    const auto dealt = [](i32 rows, i32 column) {
      return tiles_in(rows, tile_rows(kSize, kBf16)) * tiles_in(column, tile_units(kSize, 1));
    };
#pragma unroll 1
    for (i32 number = 0; describe_gate(a, entry, work, number, dealt); ++number) multiply_tiles<kSize, true, kAlong>();
  });
}

/// Runs the members of a group in order, for each column of a row. `Group::run(operands, row, column)` is their code.
template <typename Group>
CAVS_DEVICE void run_columns(const Launch& launch) {
  run_entry(launch, [](const KernelArguments& a, const Entry& entry) {
    const Work work = work_of(a, entry);
    each_element(work, Group::kColumns, [&](i32 r, i32 c) { Group::run(EntryOperands{entry, work, kGroup}, r, c); });
  });
}

/// Runs a group that begins with a product.
template <typename Group, i32 kSize>
CAVS_DEVICE void run_group(const Launch& launch) {
  run_entry(launch, [](const KernelArguments& a, const Entry& entry) { run_group<Group, kSize>(a, entry); });
}

template <i32 kSize>
CAVS_DEVICE void run_weight_gradient(const Launch& launch) {
  run_entry(launch, [](const KernelArguments& a, const Entry& entry) {
    describe_weight_gradient(work_of(a, entry), entry, operand(0), operand(1), operand(2));
    multiply_tiles<kSize, false, false>();
  });
}

CAVS_DEVICE void run_sum_rows(const Launch& launch) {
  run_entry(launch, [](const KernelArguments& a, const Entry& entry) {
    sum_rows(work_of(a, entry), entry, operand(0), operand(1));
  });
}

CAVS_DEVICE void run_lookup_gradient(const Launch& launch) {
  run_entry(launch, [](const KernelArguments& a, const Entry& entry) {
    lookup_gradient(work_of(a, entry), entry, operand(0), operand(1));
  });
}

/// A tile of a softmax over words has four launches: run_logits, run_entropies, run_dx, and run_dw (dw and db).
template <i32 kSize>
CAVS_DEVICE void run_logits(const Launch& launch) {
  run_entry(launch, [&](const KernelArguments& a, const Entry& entry) {
    describe_logits(a, entry, EntropyTile(a, entry, launch.tile));
    multiply_tiles<kSize, true, false>();
  });
}
CAVS_DEVICE void run_entropies(const Launch& launch) {
  run_entry(launch, [&](const KernelArguments& a, const Entry& entry) {
    find_entropies(a, entry, EntropyTile(a, entry, launch.tile));
  });
}
template <i32 kSize>
CAVS_DEVICE void run_dx(const Launch& launch) {
  run_entry(launch, [&](const KernelArguments& a, const Entry& entry) {
    describe_dx(a, entry, EntropyTile(a, entry, launch.tile));
    multiply_tiles<kSize, true, true>();
  });
}
template <i32 kSize>
CAVS_DEVICE void run_dw(const Launch& launch) {
  run_entry(launch, [&](const KernelArguments& a, const Entry& entry) {
    const EntropyTile tile(a, entry, launch.tile);
    describe_dw(entry, tile);
    multiply_tiles<kSize, false, false>();
    sum_db(entry, tile);
  });
}

/// Runs an operation row by row. `Operation::run(operands)` is its code.
template <typename Operation>
CAVS_DEVICE void run_rows_of(const Launch& launch) {
  run_entry(launch, [](const KernelArguments& a, const Entry& entry) {
    Operation::run(EntryOperands{entry, work_of(a, entry), entry[kOperationWord]});
  });
}

/// Runs an operation for each element of its last operand. `Operation::run(operands, row, column)` is its code.
template <typename Operation>
CAVS_DEVICE void run_elements_of(const Launch& launch) {
  run_entry(launch, [](const KernelArguments& a, const Entry& entry) {
    const Work work = work_of(a, entry);
    const i32 operation = entry[kOperationWord];
    each_element(work, operand(entry[kOperandCountWord] - 1).width, [&](i32 r, i32 c) {
      Operation::run(EntryOperands{entry, work, operation}, r, c);
    });
  });
}

/// Rounds the weights of products to bf16.
CAVS_DEVICE void run_round_weights(const Launch& launch) {
  begin_launch();
  const KernelArguments a = load(&launch.pass->arguments);
#pragma unroll 1
  for (i32 p = 0; p < kParameterCount; ++p)
    if (kParameters[p].is_factor != 0)
      each_number(work_of_block(), kParameters[p].size, [&](i32 i) {
        const i64 number = kParameters[p].offset + i;
        store(a.weight_halves + number, half_of(load(parameters_of(a, p) + number)));
      });
}

/// Clears the padding between the gradients of two parameters, because a caller may read it.
CAVS_DEVICE void clear_gaps(const KernelArguments& a) {
#pragma unroll 1
  for (i32 p = processor(); p < kParameterCount; p += processors()) {
    const Parameter& of = kParameters[p];
    if (thread() < (-of.size & (kParameterAlignment - 1))) store(a.gradients + of.offset + of.size + thread(), 0.0F);
  }
}

CAVS_DEVICE void run_clear_gradients(const Launch& launch) {
  begin_launch();
  const KernelArguments a = load(&launch.pass->arguments);
  clear_gradients(a);
  if constexpr (kCallers) clear_gaps(a);
}

/// Sums the losses, and the squares of all gradients, block by block.
CAVS_DEVICE void run_sums(const Launch& launch) {
  begin_launch();
  const KernelArguments a = load(&launch.pass->arguments);
  sum_losses(a);
#pragma unroll 1
  for (i32 p = 0; p < kParameterCount; ++p) sum_squares(a, work_of_block(), p);
}

CAVS_DEVICE void run_update(const Launch& launch) {
  begin_launch();
  const KernelArguments a = load(&launch.pass->arguments);
  const float scale = find_scale(a);
  if (scale < 0) return;
#pragma unroll 1
  for (i32 p = 0; p < kParameterCount; ++p) update_parameter(a, work_of_block(), p, scale);
}

CAVS_DEVICE void run_add_gradients(const Launch& launch) {
  begin_launch();
  add_gradients(load(&launch.pass->arguments), work_of_block());
}

CAVS_DEVICE void run_move_averages(const Launch& launch) {
  begin_launch();
  move_averages(load(&launch.pass->arguments), work_of_block());
}

CAVS_DEVICE void run_best_words(const Launch& launch) {
  begin_launch();
  find_best_words(load(&launch.pass->arguments.search));
}

CAVS_DEVICE void run_keep_states(const Launch& launch) {
  begin_launch();
  keep_states(load(&launch.pass->arguments.copies));
}

}  // namespace cavs::cuda
