#pragma once

// The persistent kernel. `Program` is generated for each program. Its members are weights in registers. It has:
//   void read(a)                            reads the weights
//   void multiply(work, panel, own, tile)   multiplies by a tile; in bf16 multiply(of, matrix, tile), see MatrixTile
//   static bool run_rows(operands)          runs an operation row by row; returns false if it does not know it
//   static void run_element(operands, r, c) runs an operation for one element

#include "backend/cuda/entries/device/rows.cuh"
#include "backend/cuda/persistent/device/products.cuh"
#include "backend/cuda/persistent/device/shared_products.cuh"
#include "backend/cuda/persistent/device/update_entries.cuh"

namespace cavs::cuda {

/// Copies the weights of tiles from the parameters to shared memory.
CAVS_DEVICE void read_shared_tiles(const KernelArguments& a) {
#pragma unroll 1
  for (i32 tile = 0; tile < static_cast<i32>(sizeof kTiles / sizeof kTiles[0]); ++tile) {
    if (kTiles[tile].first < 0) continue;
    const Panel& panel = kPanels[kTiles[tile].panel];
    if constexpr (kBf16)
      SharedMatrixTile(tile, panel).read(a, units_of(tile));
    else
      SharedTile(tile, panel).read(a, units_of(tile));
  }
}

/// Multiplies an entry's rows by the panels of a product: first the units in the processor's tiles, then the others.
template <typename Program>
CAVS_DEVICE void multiply_panels(const KernelArguments& a, const Program& program, i32 e, const Entry& entry,
                                 const Work& work) {
#pragma unroll 1
  for (i32 p = entry[kNumberWord]; p < entry_of(a, e).attribute(0); ++p) {
    const Panel& panel = kPanels[p];
    i32 done = 0;  // end of the units that have been multiplied
#pragma unroll 1
    for (i32 memory = 0; memory < (kSharedWords > 0 ? 2 : 1); ++memory) {
      const i32 tile = memory == 0 ? panel.tile : panel.shared;
      if (!entry.is(kOwned) || tile < 0) continue;
      const UnitRange own = units_of(tile);
      if constexpr (kBf16)
        multiply_matrix_tile(a, program, work, panel, own, tile);
      else
        program.multiply(work, panel, own, tile);
      done = units_of(tile).end;
    }
    const Entry rest = entry_of(a, e);
    const Work units = work_of(a, rest);
    multiply_streamed(a, units, panel, larger(done, units.column_begin), units.column_end);
    sync();  // the next panel may add to the results of this one
  }
}

/// Runs the processor's parts of all entries in order, except the entries of the update.
template <typename Program>
CAVS_DEVICE void run_tasks(const KernelArguments& a, const Program& program, unsigned& meetings) {
#pragma unroll 1
  for (i32 e = 0; e < smaller(load_fixed(a.words + kUpdateWord), load_fixed(a.words + kEntryCountWord)); ++e) {
    if (e == load_fixed(a.words + kBackwardWord)) meet(a, meetings);  // gradients have been cleared
    const Entry entry = entry_of(a, e);
    const i32 share = entry[kShareWord];
    if (share == kShareOne && entry[kOwnerWord] != processor()) continue;
    note(a, e, kBegun);
    find_operands(a, entry);
    note(a, e, kFound);
    wait(a, entry);
    sync();  // operands are found, and the entry's waits are over
    if (share == kShareTogether) meet(a, meetings);
    note(a, e, kReady);
    const Work work = work_of(a, entry);
    switch (entry.is(kBlocks) ? kBlockProducts : entry[kOperationWord]) {
      case kNothing:
        break;
      case kProduct:
        multiply_panels(a, program, e, entry, work);
        break;
      case kBlockProducts:
#pragma unroll 1
        for (i32 number = 0; describe_product(a, entry_of(a, e), number, meetings); ++number) multiply_blocks();
        break;
      case kSumRows:
        if constexpr (kHasOperation[kSumRows]) sum_rows(work, entry, operand(0), operand(1));
        break;
      case kLookupGradient:
        if constexpr (kHasOperation[kLookupGradient]) lookup_gradient(work, entry, operand(0), operand(1));
        break;
      default:
        run_rows<Program>(entry, work);
        break;
    }
    sync();  // the processor has done the entry
    note(a, e, kDone);
    const Entry over = entry_of(a, e);
    if (over[kShareWord] == kShareTogether) meet(a, meetings);
    if (over.is(kSignals)) tell(a, e);
    note(a, e, kTold);
  }
}

template <typename Program>
CAVS_DEVICE void run_kernel(const KernelArguments& a) {
  Program program;
  program.read(a);
  if constexpr (kSharedWords > 0) read_shared_tiles(a);
  if (load_fixed(a.words + kBackwardWord) < load_fixed(a.words + kEntryCountWord)) clear_gradients(a);
  unsigned meetings = 0;
  run_tasks(a, program, meetings);
  update(a, meetings);
}

}  // namespace cavs::cuda
