#include "cli/trained_data.h"

#include "cli/report.h"
#include "support/check.h"

namespace cavs::cli {

Dataset load_data_for(const TrainedModel& trained, const Checkpoint& checkpoint, const std::string& spec,
                      std::optional<std::uint64_t> seed) {
  const ZooModel* zoo = zoo_model_of(checkpoint);
  Dataset data = load_data(spec, {.seed = seed.value_or(checkpoint.seed),
                                  .steps = zoo == nullptr ? 0 : zoo->steps,
                                  .spelled_below = zoo == nullptr ? 0 : zoo->spelled_below,
                                  .graph_builder = trained.graph_builder,
                                  .network = &trained.model,
                                  .classes = trained.classes,
                                  .tags = trained.tags.empty() ? nullptr : &trained.tags,
                                  .words = &trained.words,
                                  .schema = &trained.schema});
  user_check(
      data.kind == "jsonl" || !lacks_vocabulary(trained),
      "the model was saved without a vocabulary, so it knows no word of data '{}'; expected a checkpoint that was "
      "saved with its vocabulary (Checkpoint::vocabulary), or data with the ids of words (jsonl:FILE)",
      spec);
  return data;
}

}  // namespace cavs::cli
