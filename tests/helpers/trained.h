#pragma once

#include <string>
#include <string_view>

#include "cavs/models.h"
#include "cavs/trained_model.h"
#include "cavs/trainer.h"
#include "helpers/compare.h"

namespace cavs {

/// Returns a model of the zoo, trained for some steps on data of this spec, then saved as a checkpoint and loaded.
inline TrainedModel trained_on(const std::string& spec, int steps, std::string_view name = "var-lstm") {
  const Model network = find_model(name).make({});
  const Dataset data = load_data(spec, {.network = &network});
  const Model model = find_model(name).make(
      {.vocabulary = data.words.size(), .embedding = 12, .hidden = 16, .classes = data.classes, .seed = 2});
  TrainOptions options;
  options.batch_size = 8;
  options.optimizer = optimizer_defaults("adam");
  options.optimizer.lr = 0.03;
  Trainer trainer(model, data, options);
  for (int step = 0; step < steps; ++step) trainer.step();
  return trained_model(trainer.checkpoint());
}

inline void expect_same_parameters(Trainer& found, Trainer& expected, const std::string& what = "") {
  for (int p = 0; p < expected.parameters().size(); ++p)
    expect_same_bits(found.parameters().values(p), expected.parameters().values(p),
                     what + ", " + expected.parameters().info(p).name);
}

}  // namespace cavs
