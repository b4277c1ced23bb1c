#pragma once

#include <functional>
#include <string>

#include "models/model_list.h"

namespace cavs {

/// An LSTM over the vertices of type `over`, from the first or from the last, that pushes its state as "h". `input` is
/// what it reads at a vertex, `inputs` wide.
struct ChainLstm {
  std::string name, over;
  bool reverse = false;
  int inputs = 0, hidden = 0;
};
void add_lstm(Model& m, const ChainLstm& chain, const std::function<Value(Vertex&)>& input);

/// An MLP with tanh over each token: logits of its tag from what "forward" and "backward" push.
void add_tagger(Model& m, const ModelSizes& sizes);

}  // namespace cavs
