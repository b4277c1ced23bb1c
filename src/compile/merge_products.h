#pragma once

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Makes one instruction of the products of a level that share an input: their weights lie side by side, the input's
/// rows are found once, and the team shares the columns of all of them. Gates (results of one width, or the parts of
/// one that an element-wise loop reads) are interleaved, so that a worker computes the same columns of every gate.
///
/// Merged only where the narrowest result divides the width of the others, and is a whole number of packed slices (of
/// `slice_columns`) where one is wider: padding would cost more than merging saves.
/// Before: barriers are placed. After: the same results, but for the order of the terms of a sum.
void merge_products(Code& code, std::int32_t slice_columns);

/// Lets a product lead the row-local work that reads it: both become a row group that is shared as the product is, and
/// nobody waits in between. Where the product is shared by columns, a worker's are the same of every gate.
/// Before: products are merged. After: the same values to the bit.
void fuse_product_into_group(Code& code, const Target& target);

/// Enters the weights of a code's products into Program::weights.
void assign_weight_ids(Program& program, Code& code);
std::int32_t weight_id(Program& program, const Weight& weight);

}  // namespace cavs::inline v0_1
