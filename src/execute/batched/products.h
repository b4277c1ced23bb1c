#pragma once

#include "execute/batched/packed_weights.h"
#include "execute/batched/worker.h"

namespace cavs::inline v0_1 {

/// Computes the worker's share of a product of rows with packed weights, by columns of the weight or by rows.
void run_product(const PackedWeights& weights, Worker& worker, const WorkPart& work, const Instruction& instruction,
                 const Matmul& product, RowRange rows);

/// Computes these units of all factors, on one block of rows.
void run_units(const PackedWeights& weights, Worker& worker, const Instruction& instruction, const Matmul& product,
               const ProductShare& share);

/// Computes a product with its cross-entropy and all gradients, tile by tile. Called by all workers.
void run_linear_cross_entropy(const PackedWeights& weights, Worker& worker, const WorkPart& work,
                              const Instruction& instruction, const LinearCrossEntropy& entropy, RowRange rows);

}  // namespace cavs::inline v0_1
