#include <array>

#include "data/conllu.h"
#include "data/data_kinds.h"
#include "data/dependency_graph.h"
#include "data/word_counts.h"

namespace cavs::inline v0_1 {
Dataset load_conllu(DataSpec& spec, const DataOptions& options) {
  constexpr std::array<std::string_view, 1> kKeys{"label"};
  spec.split_off_options(kKeys);
  const ConlluColumn column = conllu_column(spec.choice("label", "upos", kConlluColumnNames));
  const Parts<DependencySentence> parts(
      spec.files(), options,
      [&](const std::string& text, const std::string& file, std::size_t) { return parse_conllu(text, file, column); });
  Dataset data = words_and_tags(parts, spec.kind(), options);
  const TagIds ids(data.class_names);
  const auto to_graph = [&](const DependencySentence& sentence, const std::string& file) {
    return to_dependency_graph(sentence.heads, word_ids(sentence.tokens, data.words), ids.of(sentence, file));
  };
  parts.add_graphs(tree_schema(), options, to_graph, data);
  return data;
}

void prepare_conllu(DataSpec& spec, SampleOptions& options) {
  constexpr std::array<std::string_view, 1> kKeys{"label"};
  spec.split_off_options(kKeys);
  options.label_column = spec.choice("label", options.label_column, kConlluColumnNames);
}

}  // namespace cavs::inline v0_1
