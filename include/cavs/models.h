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
  int embedding = 64;     // width of a word's vector
  int hidden = 64;        // width of a state
  int classes = 5;
  double dropout = 0;     // probability of dropout before the output layer
  bool ed_batch = false;  // true selects the variant in ED-Batch's benchmark, if it differs from the model's paper
  std::uint64_t seed = 1;
  /// Only for models whose loss is softmax cross-entropy over the classes; other models ignore these.
  std::vector<float> class_weights = {};  // [classes]; empty means all 1; see CrossEntropyOptions
  double label_smoothing = 0;
};

/// A model that comes with the library (a file in src/models).
struct ZooModel {
  std::string_view name;
  std::string_view doc;
  std::string_view data;  // spec of generated data to try the model on (load_data)
  Model (*make)(const ModelConfig& config);
  Metric metric = Metric::kAccuracy;
  int steps = 0;                        // for DataOptions::steps: words per chain of text; 0 means a chain per line
  std::string_view graph_builder = {};  // name of the builder of the model's graphs (find_graph_builder), or empty
  int spelled_below = 0;                // for DataOptions::spelled_below; 0 means that no words are spelled
};

std::span<const ZooModel> all_models();
/// @throws UserError with a suggestion if there is none.
const ZooModel& find_model(std::string_view name);

}  // namespace v0_1
}  // namespace cavs
