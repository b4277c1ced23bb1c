#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/metric.h"
#include "cavs/model.h"
#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// Sizes and options of a model that comes with the library.
struct ModelConfig {
  int vocabulary = 1000;  // rows of the embedding table
  int embedding = 64;     // numbers per word
  int hidden = 64;        // numbers per state
  int classes = 5;
  double dropout = 0;     // before the output layer
  bool ed_batch = false;  // the variant in ED-Batch's benchmark, where it differs from the model's own paper
  std::uint64_t seed = 1;
  /// Of models whose loss is the cross-entropy of a softmax over the classes; others do not read them.
  std::vector<float> class_weights = {};  // [classes], or empty: all 1; see CrossEntropyOptions
  double label_smoothing = 0;
};

/// A model that comes with the library: one small file under src/models, and one line in the list.
struct ZooModel {
  std::string_view name;
  std::string_view doc;
  std::string_view data;  // spec of generated data that it can be tried on (load_data)
  Model (*make)(const ModelConfig& config);
  Metric metric = Metric::kAccuracy;
  int steps = 0;  // DataOptions::steps: text is read as chains of so many words; 0: a chain per sentence
  std::string_view graph_builder = {};  // makes its graphs from those of the data; empty: they are used as they are
  int spelled_below = 0;                // DataOptions::spelled_below: rarer words are read by character; 0: none
};

std::span<const ZooModel> all_models();
/// @throws UserError with a suggestion if there is none.
const ZooModel& find_model(std::string_view name);

}  // namespace v0_1
}  // namespace cavs
