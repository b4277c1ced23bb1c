#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cavs/generators.h"
#include "cavs/sentence_graphs.h"
#include "data/data_kinds.h"

namespace cavs {

Dataset load_random_trees(DataSpec& spec, const DataOptions& options) {
  constexpr std::array<std::string_view, 5> kKeys{"train", "test", "leaves", "vocabulary", "seed"};
  spec.parse_options(kKeys);
  RandomTreeOptions shape;
  shape.leaves = static_cast<int>(spec.integer("leaves", shape.leaves, 1, 1 << 28));
  const std::uint64_t seed = generator_seed(spec, options);
  Dataset data;
  data.words = generated_words(spec, options);
  data.classes = options.classes > 0 ? options.classes : kSentimentClasses;
  shape.vocabulary = std::max(data.words.size(), 2);
  shape.classes = data.classes;
  const RandomTreeSource source(shape, seed);
  const auto generate = [&](Split split, std::int64_t samples) {
    GraphSet graphs(tree_schema(), options.limits);
    for (std::int64_t i = 0; i < samples; ++i)
      graphs.add(to_graph(source.tree(split, i), data.words), fmt::format("random-trees sample {}", i));
    return graphs;
  };
  data.train = generate(Split::kTrain, limited(spec.integer("train", 2'000, 1, kMaxSamples), options));
  data.dev = generate(Split::kTest, spec.integer("test", 200, 0, kMaxSamples));
  return data;
}

}  // namespace cavs
