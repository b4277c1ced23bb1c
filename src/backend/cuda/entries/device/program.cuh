#pragma once

// The constants and tables of a program. A kernel does not include this file, but a generated text of the same name
// (program_text.h). This file, for one product, serves editors and tests that compile files alone.

#include "backend/cuda/device/cuda_layer.cuh"
#include "backend/cuda/device/operation.h"
#include "backend/cuda/entries/tables.h"

namespace cavs::cuda {

constexpr int kWarps = 2, kThreads = 64, kSumRowsOfBlock = 256;
constexpr bool kBf16 = false, kTf32 = false;
constexpr bool kIndependent = false;  // true if the blocks that share an entry do not synchronise
constexpr bool kClocks = false, kCallers = false;
constexpr int kParameterCount = 1;
constexpr int kMostOperands = 3, kBlockMemoryBytes = 21216;
constexpr int kSharedWords = 0;  // words per lane
constexpr bool kHasOperation[kOperations] = {1, 0, 1};
CAVS_TABLE Parameter kParameters[] = {{0, 6, 0, 0, 1}};
CAVS_TABLE Gate kGates[] = {{0, 2, 1, 1, 0, 0, 0, 0}};
CAVS_TABLE Panel kPanels[] = {{0, 3, 0, 2, 0, 1, 1U, 0, -1}};
CAVS_TABLE TilePlace kTiles[] = {{0, 1, -1}};
CAVS_TABLE UnitRange kUnitsOfTiles[] = {{0, 2}};

}  // namespace cavs::cuda
