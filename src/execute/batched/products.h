#pragma once

#include "execute/batched/packed_weights.h"
#include "execute/batched/worker.h"

namespace cavs::inline v0_1 {

/// A product of rows with packed weights: the worker's share, by columns of the weight or by rows.
void run_product(const PackedWeights& weights, Worker& worker, const WorkPart& who, const Instruction& instruction,
                 const Matmul& product, RowRange rows);

/// These units of all factors, on one block of rows.
void run_units(const PackedWeights& weights, Worker& worker, const Instruction& instruction, const Matmul& product,
               const ProductShare& share);

/// A product whose cross-entropy is taken at once: tile by tile, gradients included. All workers.
void run_linear_cross_entropy(const PackedWeights& weights, Worker& worker, const WorkPart& who,
                              const Instruction& instruction, const LinearCrossEntropy& entropy, RowRange rows);

}  // namespace cavs::inline v0_1
