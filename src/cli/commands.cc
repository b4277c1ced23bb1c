#include "cli/commands.h"

#include <array>

#include "cli/validators.h"

namespace cavs::cli {
namespace {

constexpr std::string_view kModels = "Train a model and use it", kInside = "Look inside", kReference = "Look up";

}  // namespace

std::span<const Command> all_commands() {
  static constexpr std::array kCommands{
      Command{"train", "Train a model, with checkpoints and a learning curve", declare_train, kModels},
      Command{"eval", "Print loss and accuracy of a checkpoint on a data set", declare_eval, kModels},
      Command{"predict", "Predict classes, tags or scores, continue prompts, or translate", declare_predict, kModels},
      Command{"data", "Print statistics and oddities of a data set, and draw samples", declare_data, kModels},
      Command{"inspect", "Print what a model computes, forward and backward", declare_inspect, kInside},
      Command{"schedule", "Print the tasks of a minibatch", declare_schedule, kInside},
      Command{"learn-policy", "Learn a batching policy for a model", declare_learn_policy, kInside},
      Command{"bench", "Measure the speed of training or inference", declare_bench, kInside},
      Command{"models", "List the models", declare_models, kReference},
      Command{"ops", "List the operators of vertex functions", declare_ops, kReference},
      Command{"completion", "Print the script that completes commands and options in bash", declare_completion,
              kReference},
  };
  return kCommands;
}

std::vector<std::string> command_names() { return names_of(all_commands()); }

}  // namespace cavs::cli
