#pragma once

#include <array>
#include <functional>
#include <string>

#include "models/model_list.h"

namespace cavs::inline v0_1 {

/// Two LSTMs over the vertices of type `over`: vertex function names[0] reads them from the first vertex on, names[1]
/// from the last. Both read an input of width `inputs` per vertex. They push their states, of width hidden[i], as "h".
struct BiLstm {
  std::array<std::string, 2> names;
  std::string over;
  int inputs;
  std::array<int, 2> hidden;
};
void add_bilstm(Model& m, const BiLstm& layer, const std::function<Value(Vertex&)>& input);

/// Adds "forward" and "backward" over the tokens. The embedding of a rare word is the concatenation of the last states
/// of two LSTMs over its characters, one in each direction (Lample et al., NAACL 2016, section 4.1); the sum of these
/// states if the width is 1.
void add_spelled_bilstm(Model& m, const ModelConfig& config);

/// Connects "forward" and "backward" ("forward1" and "backward1" for layer "1") to `reader`, token by token.
void connect_both(Model& m, const std::string& layer, const std::string& reader);
Value pull_both(Vertex& v, int hidden);  // the connected rows, concatenated

/// A layer with tanh over the states of both directions.
Value mlp(Model& m, Vertex& v, int hidden);

/// Adds a softmax over the tags of each token.
void add_tagger(Model& m, const ModelConfig& config, const std::string& layer = "");

}  // namespace cavs::inline v0_1
