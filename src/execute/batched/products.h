#pragma once

#include "execute/batched/packed_weights.h"
#include "execute/batched/worker.h"

namespace cavs::inline v0_1 {

/// Computes the worker's share of a product of rows with packed weights, divided by columns of the weights or by rows.
void run_product(const PackedWeights& weights, Worker& worker, const WorkPart& work, const Instruction& instruction,
                 const Matmul& product, RowRange rows);

/// Computes the units (slices of columns) of a share, for the products of all factors, on one block of rows.
void run_units(const PackedWeights& weights, Worker& worker, const Instruction& instruction, const Matmul& product,
               const ProductShare& share);

/// Computes a product, its cross-entropy and all their gradients, tile by tile. Called by all workers.
void run_linear_cross_entropy(const PackedWeights& weights, Worker& worker, const WorkPart& work,
                              const Instruction& instruction, const LinearCrossEntropy& entropy, RowRange rows);

}  // namespace cavs::inline v0_1
