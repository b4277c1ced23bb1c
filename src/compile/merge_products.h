#pragma once

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Merges products of a level that share an input into one instruction. Their weights are packed side by side, the
/// input's rows are found once, and the team shares the columns of all of them. The columns of gates (results of one
/// width, or the parts of a result that an element-wise loop reads) are interleaved, so that a worker computes the same
/// columns of every gate.
///
/// Products are merged only if the narrowest result divides the width of the others, and is a whole number of packed
/// slices (of `slice_columns`) if a result is wider. Otherwise padding would cost more than merging saves.
/// Before: barriers are placed. After: the same results, except that two terms of a sum may be swapped.
void merge_products(Code& code, std::int32_t slice_columns);

/// Puts a product and the row-by-row instructions that read its result into one row group. Workers share the group as
/// they would share the product, without a barrier after it. If they share columns, a worker gets the same columns of
/// every gate. Before: products are merged. After: bit-identical values.
void fuse_product_into_group(Code& code, const Target& target);

/// Adds the weights of a code's products to Program::weights.
void assign_weight_ids(Program& program, Code& code);
std::int32_t weight_id(Program& program, const Weight& weight);

}  // namespace cavs::inline v0_1
