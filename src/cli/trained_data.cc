#include "cli/trained_data.h"

#include "cli/report.h"
#include "support/check.h"

namespace cavs::cli {

DataOptions data_options_for(const TrainedModel& trained, const Checkpoint& checkpoint,
                             std::optional<std::uint64_t> seed) {
  DataOptions options = data_options(trained);
  options.seed = seed.value_or(checkpoint.seed);
  if (const ZooModel* zoo = zoo_model_of(checkpoint); zoo != nullptr) {
    options.steps = zoo->steps;
    options.spelled_below = zoo->spelled_below;
  }
  return options;
}

Dataset load_data_for(const TrainedModel& trained, const Checkpoint& checkpoint, const std::string& spec,
                      std::optional<std::uint64_t> seed) {
  DataOptions options = data_options_for(trained, checkpoint, seed);
  options.graph_builder = trained.graph_builder;
  options.network = &trained.model;
  check_vocabulary(trained, spec);
  return load_data(spec, options);
}

void check_vocabulary(const TrainedModel& trained, const std::string& spec) {
  user_check(spec.starts_with("jsonl:") || !lacks_vocabulary(trained),
             "the model was saved without a vocabulary, which data '{}' need; expected a checkpoint with a vocabulary "
             "(Checkpoint::data), or data with ids of words (jsonl:FILE)",
             spec);
}

}  // namespace cavs::cli
