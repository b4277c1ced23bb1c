#include "models/tagger_parts.h"

namespace cavs::inline v0_1 {

// Bidirectional LSTM tagger that spells rare words (Lample et al., NAACL 2016, section 4.1; VPPS's BiLSTM w/ char).
Model bilstm_char(const ModelConfig& config) {
  Model m({.seed = config.seed});
  add_spelled_bilstm(m, config);
  add_tagger(m, config);
  return m;
}

}  // namespace cavs::inline v0_1
