#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cavs/distributed.h"
#include "cli/options.h"

namespace cavs::cli {

struct TrainArguments : Options {
  std::int64_t epochs = 10, save_every = 0, patience = 0;
  std::string save, save_best, resume, curve, history, metric, vectors;
  int launch = 1;
  std::int64_t timeout = 300;  // seconds to wait for another rank
  std::string distributed;     // value of --distributed; empty if not given
  bool new_dev = false, print_config = false, embedding_given = false;
};

/// Runs `cavs train`. @param job  the ranks that share the training, or null
void train(const TrainArguments& arguments, const std::shared_ptr<Job>& job);

}  // namespace cavs::cli
