#include "models/tagger_parts.h"

namespace cavs {

// Bidirectional LSTM tagger that spells rare words (Lample et al., NAACL 2016, section 4.1; VPPS's BiLSTM w/ char).
Model bilstm_char(const ModelSizes& s) {
  Model m({.seed = s.seed});
  add_spelled_bilstm(m, s);
  add_tagger(m, s);
  return m;
}

}  // namespace cavs
