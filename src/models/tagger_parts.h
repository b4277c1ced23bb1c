#pragma once

#include <array>
#include <functional>
#include <string>

#include "models/model_list.h"

namespace cavs::inline v0_1 {

/// An LSTM in each direction over the vertices of type `over`, `names[0]` from the first, `names[1]` from the last,
/// that push their states as "h". `input` is what both read at a vertex, `inputs` wide.
struct BiLstm {
  std::array<std::string, 2> names;
  std::string over;
  int inputs;
  std::array<int, 2> hidden;
};
void add_bilstm(Model& m, const BiLstm& layer, const std::function<Value(Vertex&)>& input);

/// "forward" and "backward" over the tokens. In the place of a rare word's embedding stand the ends of two LSTMs over
/// its characters, one in each direction (Lample et al., NAACL 2016, section 4.1), side by side; added up where an
/// embedding is one number.
void add_spelled_bilstm(Model& m, const ModelConfig& config);

/// What the functions "forward" and "backward", or with a layer "forward1" and "backward1", push of the same token.
void connect_both(Model& m, const std::string& layer, const std::string& reader);
Value pull_both(Vertex& v, int hidden);

/// A layer with tanh over these.
Value mlp(Model& m, Vertex& v, int hidden);

/// A softmax over the tags of each token.
void add_tagger(Model& m, const ModelConfig& config, const std::string& layer = "");

}  // namespace cavs::inline v0_1
