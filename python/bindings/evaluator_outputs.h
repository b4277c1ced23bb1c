#pragma once

#include <string>
#include <vector>

#include "cavs/model.h"

namespace cavs::python {

/// A model that pushes what a framework wants of it.
struct ModelWithOutputs {
  Model model;
  std::vector<std::string> outputs;  // as the framework names them
  std::vector<std::string> pushes;   // the push port of each
};

/// @param outputs  names of pushes or states; none: all pushes. In a network a name means it of all functions that
/// have it, none of which may run over the same vertices; FUNCTION.NAME means that of one function. What a connection
/// reads may be an output, too.
/// @throws UserError naming an output that is unknown, there twice, or of several functions at one vertex.
ModelWithOutputs with_outputs(const Model& model, std::vector<std::string> outputs);

}  // namespace cavs::python
