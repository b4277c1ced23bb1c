#include "models/model_list.h"

#include <array>
#include <vector>

#include "support/check.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::string_view kRandomTrees = "random-trees";
constexpr std::string_view kShortTrees =
    "random-trees:leaves=10";  // the cost of a time-delay net is quadratic in leaves

}  // namespace

std::span<const ZooModel> all_models() {
  static constexpr std::array kModels{
      ZooModel{"tree-lstm", "child-sum Tree-LSTM, any number of children", "listops", tree_lstm},
      ZooModel{"tree-lstm-binary", "Tree-LSTM with separate weights for the left and the right child",
               "binary-trees:leaves=32,samples=256", tree_lstm_binary},
      ZooModel{"tree-fc", "a fully connected layer over the children of complete binary trees",
               "binary-trees:leaves=256,samples=64", tree_fc},
      ZooModel{"tree-lstm-nary", "Tree-LSTM with separate types of leaf, inner and output vertices", kRandomTrees,
               tree_lstm_nary, Metric::kAccuracy, 0, "tree-with-outputs"},
      ZooModel{"tree-gru", "GRU over trees, one step for each of two children", kRandomTrees, tree_gru,
               Metric::kAccuracy, 0, "tree-with-outputs"},
      ZooModel{"tree-lstm-2type", "Tree-LSTM with two types of inner vertices, drawn at random", kRandomTrees,
               tree_lstm_2type, Metric::kAccuracy, 0, "tree-of-two-types"},
      ZooModel{"tree-lstm-relatedness", "child-sum Tree-LSTM over two trees, scores the similarity of their meanings",
               "tree-pairs", tree_lstm_relatedness, Metric::kCorrelation},
      ZooModel{"rvnn", "recursive net with separate weights for leaves and inner vertices", kRandomTrees, rvnn,
               Metric::kAccuracy, 0, "tree-with-outputs"},
      ZooModel{"thinking-rvnn", "recursive net of adaptive depth: longer phrases take more steps", kRandomTrees,
               thinking_rvnn, Metric::kAccuracy, 0, "thinking-tree"},
      ZooModel{"td-rnn", "time-delay net: neighbours are joined until one vertex is left", kShortTrees, td_rnn,
               Metric::kAccuracy, 0, "time-delay"},
      ZooModel{"td-lstm", "time-delay net that joins neighbours with an LSTM", kShortTrees, td_lstm, Metric::kAccuracy,
               0, "time-delay"},
      ZooModel{"dag-rnn", "recurrent net over directed acyclic graphs, sums children", "expressions", dag_rnn},
      ZooModel{"lrcn", "convolutional net over each frame of a film, an LSTM over the frames", "moving-shapes", lrcn},
      ZooModel{"mv-rnn", "a vector and a matrix per vertex over trees", kRandomTrees, mv_rnn, Metric::kAccuracy, 0,
               "tree-with-outputs"},
      ZooModel{"lattice-lstm", "LSTM over lattices of characters and words, one tag per character", "lattices",
               lattice_lstm, Metric::kF1},
      ZooModel{"lattice-gru", "GRU over lattices of characters and words, one tag per character", "lattices",
               lattice_gru, Metric::kF1},
      ZooModel{"bilstm-tagger", "two layers of LSTM in each direction, one tag per word", "tags", bilstm_tagger,
               Metric::kF1},
      ZooModel{"bilstm", "an LSTM in each direction, one tag per word", "tags", bilstm, Metric::kF1},
      ZooModel{"bilstm-char", "bilstm with rare words read by LSTMs over their characters", "tags", bilstm_char,
               Metric::kF1, 0, "", 5},
      ZooModel{"bilstm-crf", "bilstm-char with a linear-chain CRF over the tags", "tags", bilstm_crf, Metric::kF1, 0,
               "", 5},
      ZooModel{"lstm-nmt", "LSTM encoder-decoder with attention and teacher forcing", "translations", lstm_nmt,
               Metric::kPerplexity},
      ZooModel{"var-lstm", "LSTM language model, one chain per sentence", "markov", lstm, Metric::kPerplexity},
      ZooModel{"gru", "GRU language model, one chain per sentence", "markov", gru, Metric::kPerplexity},
      ZooModel{"fixed-lstm", "LSTM language model, chains of 64 words", "markov:train=600,test=60,steps=64", lstm,
               Metric::kPerplexity, 64},
  };
  return kModels;
}

const ZooModel& find_model(std::string_view name) {
  std::vector<std::string_view> known;
  for (const ZooModel& model : all_models()) {
    if (model.name == name) return model;
    known.push_back(model.name);
  }
  user_error("unknown model '{}'; {}", name, suggest(name, known));
}

}  // namespace cavs::inline v0_1
