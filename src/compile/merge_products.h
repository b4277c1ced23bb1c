#pragma once

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Merges products of a level that share an input into one instruction. Their weights are packed side by side, the
/// input's rows are found once, and the team shares the columns of all of them. Gates (results of one width, or the
/// parts of a result that an element-wise loop reads) are interleaved, so that a worker computes the same columns of
/// every gate.
///
/// Products are merged only if the narrowest result divides the width of the others, and is a whole number of packed
/// slices (of `slice_columns`) if a result is wider. Otherwise padding would cost more than merging saves.
/// Before: barriers are placed. After: the same results, up to the order of the terms of a sum.
void merge_products(Code& code, std::int32_t slice_columns);

/// Lets a product lead the row-by-row instructions that read it. Both become a row group that is shared as the product
/// is, without a barrier in between. If the product is shared by columns, a worker gets the same columns of every gate.
/// Before: products are merged. After: the same values, bit for bit.
void fuse_product_into_group(Code& code, const Target& target);

/// Adds the weights of a code's products to Program::weights.
void assign_weight_ids(Program& program, Code& code);
std::int32_t weight_id(Program& program, const Weight& weight);

}  // namespace cavs::inline v0_1
