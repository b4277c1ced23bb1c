#include <fmt/format.h>

#include <array>

#include "cavs/generators.h"
#include "cavs/sentence_graphs.h"
#include "data/data_kinds.h"

namespace cavs {

Dataset load_markov(DataSpec& spec, const DataOptions& options) {
  constexpr std::array<std::string_view, 6> kKeys{"train", "test", "length", "vocabulary", "steps", "seed"};
  spec.parse_options(kKeys);
  MarkovOptions language;
  const int vocabulary = options.vocabulary > 0 ? options.vocabulary : language.vocabulary;
  language.vocabulary = static_cast<int>(spec.integer("vocabulary", vocabulary, 3, 10'000'000));
  language.length = static_cast<int>(spec.integer("length", language.length, 1, kMaxChainLength));
  const std::int64_t steps = spec.integer("steps", options.steps, 1, kMaxChainLength);
  if (options.words != nullptr) language.vocabulary = options.words->size();
  const MarkovSource source(language, generator_seed(spec, options));
  Dataset data;
  data.words = options.words != nullptr ? *options.words : source.words();
  data.classes = data.words.size();
  const std::int32_t end = end_of_line(data.words, "markov", options.classes);
  const auto generate = [&](Split split, std::int64_t samples) {
    GraphSet graphs(chain_schema(), options.limits);
    for (std::int64_t i = 0; i < samples; ++i)
      graphs.add(to_chain(end, steps > 0 ? source.chain(split, i, steps) : source.sentence(split, i)),
                 fmt::format("markov sample {}", i));
    return graphs;
  };
  data.train = generate(Split::kTrain, limited(spec.integer("train", 2'000, 1, kMaxSamples), options));
  data.dev = generate(Split::kTest, spec.integer("test", 200, 0, kMaxSamples));
  return data;
}

}  // namespace cavs
