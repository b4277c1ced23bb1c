#pragma once

#include <string>
#include <vector>

#include "cavs/model.h"

namespace cavs::python {

/// A model that was changed to push the outputs that a framework requests.
struct ModelWithOutputs {
  Model model;
  std::vector<std::string> outputs;  // names by which the framework requests them
  std::vector<std::string> pushes;   // [outputs]: push ports of `model`
};

/// Returns a copy of the model that pushes the outputs.
/// @param outputs  names of pushes or states; empty for all pushes that no connection reads. In a network, NAME selects
/// all functions that have it, no two of which may run over the same vertices, and FUNCTION.NAME selects one function.
/// @throws UserError naming an output that is unknown, duplicate, or ambiguous at a vertex.
ModelWithOutputs with_outputs(const Model& model, std::vector<std::string> outputs);

}  // namespace cavs::python
