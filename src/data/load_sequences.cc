#include <fmt/ranges.h>

#include <array>
#include <span>

#include "cavs/sentence_graphs.h"
#include "data/data_kinds.h"
#include "data/dependency_graph.h"
#include "data/listops.h"
#include "data/moving_shapes.h"
#include "data/random_expressions.h"
#include "data/random_pairs.h"
#include "data/random_sequences.h"
#include "support/check.h"

namespace cavs {
namespace {

struct Counts {
  std::int64_t train = 0, test = 0;
};

/// What the spec says of a generator whose sequences have `length` units on average. `words`: it has words of its own.
SequenceShape read_shape(DataSpec& spec, const DataOptions& options, int length, Counts& counts, bool words = true) {
  constexpr std::array<std::string_view, 5> kKeys{"train", "test", "length", "seed", "vocabulary"};
  spec.parse_options(std::span(kKeys).first(words ? 5 : 4));
  counts = {limited(spec.integer("train", 2'000, 1, kMaxSamples), options), spec.integer("test", 200, 0, kMaxSamples)};
  return {.length = static_cast<int>(spec.integer("length", length, 1, kMaxChainLength)),
          .vocabulary = words ? static_cast<std::int32_t>(generated_size(spec, options, 4)) : 0,
          .seed = generator_seed(spec, options)};
}

template <typename Generate>
void fill(Dataset& data, const GraphSchema& schema, const Counts& counts, const DataSpec& spec,
          const DataOptions& options, Generate generate) {
  for (const Split split : {Split::kTrain, Split::kTest}) {
    GraphSet graphs(schema, options.limits);
    const std::int64_t samples = split == Split::kTrain ? counts.train : counts.test;
    for (std::int64_t i = 0; i < samples; ++i)
      graphs.add(generate(split, i), fmt::format("{} sample {}", spec.kind(), i));
    (split == Split::kTrain ? data.train : data.dev) = std::move(graphs);
  }
}

/// Words, tags and classes of a generator of tagged data.
void describe_tags(Dataset& data, const SequenceShape& shape, std::vector<std::string> tags, const DataSpec& spec,
                   const DataOptions& options) {
  data.words =
      options.words != nullptr ? *options.words : numbered_words({std::string(Vocabulary::kUnknown)}, shape.vocabulary);
  user_check(options.tags == nullptr || *options.tags == tags,
             "data '{}': the model was trained on other tags than these ({})", spec.kind(), fmt::join(tags, ", "));
  data.tags = std::move(tags);
  data.classes = checked_classes(data.tags, spec.kind(), options);
}

/// What the pairs of a set say: a source's words, and the labels before the end.
PairedText text_of(const GraphSet& pairs, const Vocabulary& words) {
  PairedText text;
  for (std::int32_t s = 0; s < pairs.size(); ++s) {
    std::vector<std::string_view> source, target;
    for (std::int64_t v = pairs.vertex_begin()[s]; v < pairs.vertex_begin()[s + 1]; ++v) {
      const std::int32_t label = pairs.index_pulls(1)[v];
      if (label < 0)
        source.emplace_back(words.word(pairs.index_pulls(0)[v]));
      else if (words.word(label) != Vocabulary::kEndOfLine)
        target.emplace_back(words.word(label));
    }
    text.source.push_back(fmt::format("{}", fmt::join(source, " ")));
    text.target.push_back(fmt::format("{}", fmt::join(target, " ")));
  }
  return text;
}

}  // namespace

Dataset load_tags(DataSpec& spec, const DataOptions& options) {
  Counts counts;
  const SequenceShape shape = read_shape(spec, options, 23, counts);
  const TagSource source(shape);
  Dataset data;
  describe_tags(data, shape, TagSource::tags(), spec, options);
  const bool spelled = options.spelled_below > 0;
  fill(data, spelled ? spelled_chain_schema() : chain_schema(), counts, spec, options,
       [&](Split split, std::int64_t i) {
         return spelled ? source.spelled_sentence(split, i) : source.sentence(split, i);
       });
  return data;
}

Dataset load_lattices(DataSpec& spec, const DataOptions& options) {
  Counts counts;
  const SequenceShape shape = read_shape(spec, options, 43, counts);
  const LatticeSource source(shape);
  Dataset data;
  describe_tags(data, shape, LatticeSource::tags(), spec, options);
  fill(data, lattice_schema(), counts, spec, options,
       [&](Split split, std::int64_t i) { return source.lattice(split, i); });
  return data;
}

Dataset load_translations(DataSpec& spec, const DataOptions& options) {
  Counts counts;
  const SequenceShape shape = read_shape(spec, options, 20, counts);
  const TranslationSource source(shape);
  Dataset data;
  data.words =
      options.words != nullptr
          ? *options.words
          : numbered_words({std::string(Vocabulary::kUnknown), std::string(Vocabulary::kEndOfLine)}, shape.vocabulary);
  data.classes = source.target_words();
  end_of_line(data.words, spec.kind(), 0);
  user_check(options.classes == 0 || options.classes == data.classes,
             "data '{}': {} target words, but the model has {} classes; expected the same vocabulary", spec.kind(),
             data.classes, options.classes);
  fill(data, translation_schema(), counts, spec, options,
       [&](Split split, std::int64_t i) { return source.pair(split, i); });
  data.train_text = text_of(data.train, data.words), data.dev_text = text_of(data.dev, data.words);
  return data;
}

Dataset load_tree_pairs(DataSpec& spec, const DataOptions& options) {
  Counts counts;
  const SequenceShape shape = read_shape(spec, options, 10, counts);
  const TreePairSource source(shape);
  Dataset data;
  data.words = generated_words(spec, options);
  data.classes = checked_scores(spec.kind(), options);
  fill(data, tree_pair_schema(), counts, spec, options,
       [&](Split split, std::int64_t i) { return source.pair(split, i); });
  return data;
}

Dataset load_expressions(DataSpec& spec, const DataOptions& options) {
  Counts counts;
  const SequenceShape shape = read_shape(spec, options, 20, counts, false);
  Dataset data;
  data.words = options.words != nullptr ? *options.words : listops_vocabulary();
  data.classes = checked_listops_classes(spec.kind(), options);
  const ExpressionSource source(shape, data.words);
  fill(data, expression_schema(), counts, spec, options,
       [&](Split split, std::int64_t i) { return source.expression(split, i); });
  return data;
}

Dataset load_moving_shapes(DataSpec& spec, const DataOptions& options) {
  Counts counts;
  const MovingShapeSource source(read_shape(spec, options, 6, counts, false));
  Dataset data;
  data.classes = MovingShapeSource::kMotions;
  user_check(options.classes == 0 || options.classes == data.classes,
             "data '{}': there are {} motions, but the model has {} classes; expected a model of motions", spec.kind(),
             data.classes, options.classes);
  fill(data, moving_shapes_schema(), counts, spec, options,
       [&](Split split, std::int64_t i) { return source.film(split, i); });
  return data;
}

}  // namespace cavs
