#pragma once

#include <cstdint>
#include <string>

#include "cli/options.h"

namespace cavs::cli {

struct TrainArguments : Options {
  std::int64_t epochs = 10, save_every = 0, patience = 0;
  std::string save, save_best, resume, curve, history, metric, vectors;
  bool new_dev = false, print_config = false, embedding_given = false;
};

/// The work of `cavs train`.
void train(const TrainArguments& arguments);

}  // namespace cavs::cli
