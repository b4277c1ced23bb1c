#pragma once

#include <memory>
#include <string>

#include "law/laws.h"
#include "law/tensors.h"

namespace cavs::law {

/// Scales every parameter by 1 + 2^-22 or 1 - 2^-22, a change as small as rounding.
void move_slightly(Parameters& parameters);

/// True if a gradient near 0 changes a parameter by a number near 0.
bool moves_smoothly(const OptimizerOptions& options);

/// Adds the parameters and the optimiser's state to the results, by name.
void add_parameters(Tensors& results, const Parameters& parameters, const Optimizer& optimizer);

/// The first law that training breaks, or empty if it keeps them all. The session options include the learned policy.
/// @param graphs  graphs as the model evaluates them
std::string broken_training(const Model& model, std::shared_ptr<const GraphSet> graphs, const LawOptions& options,
                            Events& events);

}  // namespace cavs::law
