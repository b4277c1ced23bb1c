#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "cli/options.h"
#include "cli/report.h"
#include "measure/predict_gpu.h"

namespace cavs::cli {

/// What is predicted of a model of the zoo on a data set, in fp32 and in bf16.
struct Predictions {
  GpuSpeed speed;
  std::array<GpuPrediction, 2> by_precision;
  std::int64_t samples = 0;
  int batch_size = 0;
  std::string data;
};

/// @param target  of gpu_targets(). @throws UserError for data that do not fit the model.
Predictions predict(const Options& options, const OnChipTarget& target, PlacementStrategy strategy, bool training);

std::string to_text(const Predictions& predictions);
Json to_json(const Predictions& predictions);

}  // namespace cavs::cli
