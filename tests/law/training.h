#pragma once

#include <memory>
#include <string>

#include "law/laws.h"
#include "law/tensors.h"

namespace cavs::law {

/// Every parameter scaled by 1 + 2^-22 or 1 - 2^-22: a change as small as rounding.
void move_slightly(Parameters& parameters);

/// True where a gradient of nearly 0 moves a parameter by nearly 0.
bool moves_smoothly(const OptimizerOptions& options);

/// Parameters and the optimiser's state, by name.
void add_parameters(Tensors& results, const Parameters& parameters, const Optimizer& optimizer);

/// The first law that training breaks; empty: it keeps them all. The session's options have their learned policy.
/// @param graphs  as the model evaluates them
std::string broken_training(const Model& model, std::shared_ptr<const GraphSet> graphs, const LawOptions& options,
                            Events& events);

}  // namespace cavs::law
