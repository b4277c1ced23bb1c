#include <algorithm>
#include <array>
#include <limits>

#include "cavs/generators.h"
#include "cavs/sentence_graphs.h"
#include "data/data_kinds.h"
#include "data/listops.h"
#include "support/check.h"

namespace cavs {
namespace {

constexpr int kListOpsClasses = 10;

}  // namespace

int checked_listops_classes(const std::string& kind, const DataOptions& options) {
  user_check(options.classes == 0 || options.classes >= kListOpsClasses,
             "data '{}': labels are 0 to 9, but the model has {} classes; expected at least 10", kind, options.classes);
  return std::max(options.classes, kListOpsClasses);
}

Dataset load_listops(DataSpec& spec, const DataOptions& options) {
  constexpr std::array<std::string_view, 6> kKeys{"train", "test", "length", "arguments", "depth", "seed"};
  constexpr int kMax = std::numeric_limits<int>::max() / 4;
  spec.parse_options(kKeys);
  ListOpsOptions shape;
  shape.length = static_cast<int>(spec.integer("length", shape.length, 4, kMax));
  shape.max_arguments = static_cast<int>(spec.integer("arguments", shape.max_arguments, 2, kMax));
  shape.max_depth = static_cast<int>(spec.integer("depth", shape.max_depth, 1, kMax));
  const std::uint64_t seed = generator_seed(spec, options);
  Dataset data;
  data.classes = checked_listops_classes("listops", options);
  data.words = options.words != nullptr ? *options.words : listops_vocabulary();
  const auto generate = [&](Split split, std::int64_t samples) {
    GraphSet graphs(tree_schema(), options.limits);
    for (std::int64_t i = 0; i < samples; ++i)
      graphs.add(to_graph(generate_listops(shape, seed, split, i), data.words), fmt::format("listops sample {}", i));
    return graphs;
  };
  data.train = generate(Split::kTrain, limited(spec.integer("train", 20'000, 1, kMaxSamples), options));
  data.dev = generate(Split::kTest, spec.integer("test", 2'000, 0, kMaxSamples));
  return data;
}

}  // namespace cavs
