// The combinations that the library refuses, or that no case can have. The law fails if the library refuses any other
// combination, or accepts one of these.

#include "law/law_case.h"

namespace cavs::law {

const std::vector<Refusal>& all_refusals() {
  static const auto kAll = [] {
    std::vector<Refusal> all{
        // Options that only one kind of optimiser has.
        {{{"nesterov", "yes"}, {"momentum", "0"}}, "nesterov needs a momentum"},
        {{{"optimizer", "sgd"}, {"eps", "0.01"}}, "no option eps"},
        // Schedules that need a number of steps.
        {{{"decay", "linear"}, {"decay steps", "0"}}, "decay_steps is 0"},
        {{{"decay", "cosine"}, {"decay steps", "0"}}, "decay_steps is 0"},
        {{{"decay", "exponential"}, {"decay steps", "0"}}, "decay_steps is 0"},
        {{{"decay", "step"}, {"decay steps", "0"}}, "decay_steps is 0"},
        // Training.
        {{{"buckets", "2"}, {"shuffle", "off"}, {"steps", "3"}}, "shuffled samples"},
        {{{"buckets", "2"}, {"shuffle", "off"}, {"steps", "7"}}, "shuffled samples"},
        {{{"buckets", "2"}, {"stream", "yes"}, {"steps", "3"}}, "buckets"},
        {{{"buckets", "2"}, {"stream", "yes"}, {"steps", "7"}}, "buckets"},
        {{{"types with losses", "none"}, {"steps", "3"}}, "declares a loss"},
        {{{"types with losses", "none"}, {"steps", "7"}}, "declares a loss"},
    };
    for (const std::string_view kind : {"adagrad", "adam", "adamw"}) {
      all.push_back({{{"optimizer", kind}, {"momentum", "0.5"}}, "no option momentum"});
      all.push_back({{{"optimizer", kind}, {"nesterov", "yes"}}, "no option nesterov"});
    }
    for (const std::string_view kind : {"sgd", "adagrad"}) {
      all.push_back({{{"optimizer", kind}, {"beta1", "0.5"}}, "no option beta1"});
      all.push_back({{{"optimizer", kind}, {"beta2", "0.6"}}, "no option beta2"});
    }
    for (const std::string_view kind : {"sgd", "adam", "adamw"}) {
      all.push_back({{{"optimizer", kind}, {"lr decay", "0.1"}}, "no option lr_decay"});
      all.push_back({{{"optimizer", kind}, {"initial accumulator", "0.1"}}, "no option initial_accumulator"});
    }
    // No optimiser has two of these sets of options.
    const Traits adam{{"beta1", "0.5"}, {"beta2", "0.6"}};
    const Traits adagrad{{"lr decay", "0.1"}, {"initial accumulator", "0.1"}};
    const Traits sgd{{"momentum", "0.5"}, {"nesterov", "yes"}};
    const auto add_pairs = [&](const Traits& some, const Traits& others) {
      for (const auto& a : some)
        for (const auto& b : others) all.push_back({{a, b}, "has no option"});
    };
    add_pairs(adam, adagrad);
    add_pairs(adam, sgd);
    add_pairs(adagrad, sgd);
    add_pairs({{"eps", "0.01"}}, sgd);
    // With one function, "some" is impossible.
    for (const std::string_view what :
         {"types with dropout", "types with edge input", "types with losses", "types with pushes"})
      all.push_back({{{"functions", "one"}, {what, "some"}}, ""});
    // A model with losses accepts gradients of pushes only if it was compiled for them.
    for (const std::string_view losses : {"some", "all"})
      for (const std::string_view pushes : {"all", "out"})
        all.push_back({{{"push gradients", "given unasked"},
                        {"training", "on"},
                        {"loss", "on"},
                        {"types with losses", losses},
                        {"pushes", pushes}},
                       "uses the gradient of push"});
    return all;
  }();
  return kAll;
}

}  // namespace cavs::law
