#pragma once

#include <memory>

#include "cavs/data.h"
#include "cavs/graph.h"

namespace cavs::inline v0_1 {

/// A stream of the graphs that a model makes of another stream's. Which vertices predict those of the samples is not
/// kept: it is for training.
std::shared_ptr<SampleStream> build_graphs(std::shared_ptr<SampleStream> samples, GraphBuilder builder);

}  // namespace cavs::inline v0_1
