#include "data/data_kinds.h"

#include <array>

namespace cavs {

std::span<const DataKind> all_data_kinds() {
  static constexpr std::array kKinds{
      DataKind{"listops", load_listops},
      DataKind{"binary-trees", load_binary_trees},
      DataKind{"random-trees", load_random_trees},
      DataKind{"markov", load_markov},
      DataKind{"sst", load_sst},
      DataKind{"trees", load_trees},
      DataKind{"jsonl", load_jsonl},
      DataKind{"text", load_text},
      DataKind{"tags", load_tags},
      DataKind{"lattices", load_lattices},
      DataKind{"translations", load_translations},
      DataKind{"tree-pairs", load_tree_pairs},
      DataKind{"expressions", load_expressions},
      DataKind{"moving-shapes", load_moving_shapes},
      DataKind{"conllu", load_conllu},
      DataKind{"sick", load_sick},
      DataKind{"conll", load_conll},
      DataKind{"weibo", load_weibo},
      DataKind{"parallel", load_parallel},
  };
  return kKinds;
}

}  // namespace cavs
