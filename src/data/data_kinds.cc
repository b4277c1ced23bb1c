#include "data/data_kinds.h"

#include <array>

namespace cavs {

std::span<const DataKind> all_data_kinds() {
  static constexpr std::array kKinds{
      DataKind{"listops", load_listops},
      DataKind{"binary-trees", load_binary_trees},
      DataKind{"random-trees", load_random_trees},
      DataKind{"markov", load_markov},
      DataKind{"sst", load_sst, sst_files, "trees"},
      DataKind{"trees", load_trees, plain_files, "trees"},
      DataKind{"jsonl", load_jsonl, plain_files, "jsonl"},
      DataKind{"table", load_table, table_files},
      DataKind{"text", load_text, files_before_options},
      DataKind{"tags", load_tags},
      DataKind{"lattices", load_lattices},
      DataKind{"translations", load_translations},
      DataKind{"tree-pairs", load_tree_pairs},
      DataKind{"expressions", load_expressions},
      DataKind{"moving-shapes", load_moving_shapes},
      DataKind{"conllu", load_conllu, files_before_options, "conllu", prepare_conllu},
      DataKind{"sick", load_sick, sick_files},
      DataKind{"conll", load_conll, files_before_options, "conll", prepare_conll},
      DataKind{"weibo", load_weibo, weibo_files, "conll", prepare_weibo},
      DataKind{"parallel", load_parallel, parallel_files},
  };
  return kKinds;
}

}  // namespace cavs
