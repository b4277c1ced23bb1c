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

/// "forward" and "backward" over the tokens. In the place of a rare word's embedding stand the ends of two LSTMs over
/// its characters, one in each direction (Lample et al., NAACL 2016, section 4.1).
void add_spelled_bilstm(Model& m, const ModelSizes& sizes);

/// A function over tokens that is given what "forward" and "backward" push; read_both is a layer with tanh over both.
void add_over_bilstm(Model& m, const std::string& name, const std::function<void(Vertex&)>& declare);
Value read_both(Model& m, Vertex& v, const ModelSizes& sizes);

/// A softmax over the tags of each token.
void add_tagger(Model& m, const ModelSizes& sizes);

}  // namespace cavs
