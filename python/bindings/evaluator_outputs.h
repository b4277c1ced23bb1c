#pragma once

#include <string>
#include <vector>

#include "cavs/model.h"

namespace cavs::python {

/// A model that pushes the outputs that a framework asks for.
struct ModelWithOutputs {
  Model model;
  std::vector<std::string> outputs;  // names that the framework uses
  std::vector<std::string> pushes;   // the push port of each
};

/// @param outputs  names of pushes or states; empty for all pushes that no connection reads. In a network a name
/// selects
///     all functions that have it, no two of which may run over the same vertices; FUNCTION.NAME selects one function.
/// @throws UserError naming an output that is unknown, duplicate, or ambiguous at a vertex.
ModelWithOutputs with_outputs(const Model& model, std::vector<std::string> outputs);

}  // namespace cavs::python
