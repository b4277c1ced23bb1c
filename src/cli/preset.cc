#include "cli/preset.h"

#include <array>
#include <utility>

#include "cli/option_group.h"
#include "cli/validators.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::cli {
namespace {

constexpr int kIds = 256;
constexpr std::string_view kTrees = "random-trees:leaves=19", kLattices = "lattices:length=44";

/// Mean sizes of samples: trees have 19 leaves, as in the training part of SST. Lattices have 44 positions and 66 arcs,
/// 23 of them words, as for Weibo. Tagged sentences have 23 tokens, and pairs have 20 source and 24 target tokens.
constexpr std::array kPresets{
    Preset{"tree-lstm-nary", kTrees},          Preset{"tree-gru", kTrees},
    Preset{"tree-lstm-2type", kTrees},         Preset{"mv-rnn", kTrees},
    Preset{"lattice-lstm", kLattices, 18},     Preset{"lattice-gru", kLattices, 18},
    Preset{"bilstm-tagger", "tags:length=23"}, Preset{"lstm-nmt", "translations:length=21", kIds},
};

void fold_port(const GraphSchema& schema, GraphArrays& arrays, std::string_view port, int modulus) {
  for (std::size_t p = 0; p < schema.index_ports.size(); ++p)
    if (schema.index_ports[p] == port)
      for (std::int32_t& id : arrays.index_pulls[p]) id = id < 0 ? id : id % modulus;  // -1 means absent
}

}  // namespace

void add_preset(CLI::App& app, Options& options) {
  const OptionGroup model(app, "Model");
  model.add("--preset", options.preset, "NAME", one_of("preset", {"ed-batch"}),
            "ed-batch: the setup of the benchmark of ED-Batch (embedding size equal to hidden size, 256 words, its "
            "variant of the model)");
  model.add_flag("--share-ids", options.share_ids,
                 "With --preset: multiply an embedding that several vertices look up once, instead of at every vertex");
}

const Preset& find_preset(const std::string& model) {
  std::vector<std::string_view> known;
  for (const Preset& preset : kPresets) {
    if (preset.model == model) return preset;
    known.push_back(preset.model);
  }
  user_error("--preset ed-batch does not support model '{}'; {}", model, suggest(model, known));
}

void fold_ids(const Preset& preset, Dataset& data) {
  for (GraphSet* graphs : {&data.train, &data.dev}) {
    const GraphSchema& schema = graphs->schema();
    GraphArrays arrays = graphs->to_arrays();
    fold_port(schema, arrays, "word", kIds);
    if (preset.classes > 0) fold_port(schema, arrays, "label", preset.classes);
    *graphs = GraphSet::from_arrays(schema, std::move(arrays), graphs->limits());
  }
  if (preset.classes > 0) data.classes = preset.classes;
}

ModelConfig preset_config(const Preset& preset, ModelConfig config) {
  config.vocabulary = kIds;
  config.embedding = config.hidden;
  config.ed_batch = true;
  if (preset.classes > 0) config.classes = preset.classes;
  return config;
}

}  // namespace cavs::cli
