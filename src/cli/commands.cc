#include "cli/commands.h"

#include <array>

namespace cavs::cli {

std::span<const Command> all_commands() {
  static constexpr std::array kCommands{
      Command{"train", "Train a model; save, resume, draw the learning curve", declare_train},
      Command{"eval", "Loss and accuracy of a checkpoint on a data set", declare_eval},
      Command{"predict", "Predict classes of the samples on standard input, or continue prompts", declare_predict},
      Command{"data", "Look at data: sizes, classes, words, what is odd; draw samples", declare_data},
      Command{"inspect", "Print what a model computes, forward and backward", declare_inspect},
      Command{"schedule", "Print the tasks of a minibatch", declare_schedule},
      Command{"learn-policy", "Learn how to batch a model's vertices", declare_learn_policy},
      Command{"bench", "Measure the speed of training or inference", declare_bench},
      Command{"ops", "List the operators of vertex functions", declare_ops},
      Command{"models", "List the models", declare_models},
  };
  return kCommands;
}

}  // namespace cavs::cli
