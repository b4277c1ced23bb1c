#include "cli/trained_data.h"

#include "cli/report.h"

namespace cavs::cli {

Dataset load_data_for(const TrainedModel& trained, const Checkpoint& checkpoint, const std::string& spec,
                      std::optional<std::uint64_t> seed) {
  const ZooModel* zoo = zoo_model_of(checkpoint);
  return load_data(spec, {.seed = seed.value_or(checkpoint.seed),
                          .steps = zoo == nullptr ? 0 : zoo->steps,
                          .spelled_below = zoo == nullptr ? 0 : zoo->spelled_below,
                          .graph_builder = trained.graph_builder,
                          .network = &trained.model,
                          .classes = trained.classes,
                          .tags = trained.tags.empty() ? nullptr : &trained.tags,
                          .words = &trained.words,
                          .schema = &trained.schema});
}

}  // namespace cavs::cli
