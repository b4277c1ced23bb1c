#include <fmt/format.h>

#include <array>

#include "cavs/generators.h"
#include "data/data_kinds.h"

namespace cavs {

Dataset load_binary_trees(DataSpec& spec, const DataOptions& options) {
  constexpr std::array<std::string_view, 4> kKeys{"leaves", "samples", "vocabulary", "seed"};
  spec.parse_options(kKeys);
  const auto leaves = static_cast<int>(spec.integer("leaves", 256, 1, 1 << 28));
  const std::uint64_t seed = generator_seed(spec, options);
  Dataset data;
  data.classes = options.classes > 0 ? options.classes : kSentimentClasses;
  data.words = generated_words(spec, options);
  data.train = GraphSet(tree_schema(), options.limits);
  const std::int64_t samples = limited(spec.integer("samples", 64, 1, kMaxSamples), options);
  for (std::int64_t i = 0; i < samples; ++i)
    data.train.add(generate_binary_tree(leaves, data.words.size(), data.classes, seed, i),
                   fmt::format("binary-trees sample {}", i));
  return data;
}

}  // namespace cavs
