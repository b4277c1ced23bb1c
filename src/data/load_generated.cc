#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "cavs/readers.h"
#include "data/data_kinds.h"
#include "data/dependency_graph.h"
#include "data/generators.h"
#include "data/listops.h"
#include "data/parts.h"
#include "data/sample_generators.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// Reads the options of a generator of sequences. `length` is the default mean length; `words` is true if the
/// generator has a vocabulary.
SequenceShape read_shape(DataSpec& spec, const DataOptions& options, int length, bool words = true) {
  constexpr std::array<std::string_view, 5> kKeys{"train", "test", "length", "seed", "vocabulary"};
  spec.parse_options(std::span(kKeys).first(words ? 5 : 4));
  return {.length = static_cast<int>(spec.integer("length", length, 1, kMaxChainLength)),
          .vocabulary = words ? static_cast<std::int32_t>(generated_size(spec, options, 4)) : 0,
          .seed = generator_seed(spec, options)};
}

/// Generates both parts. Their sizes are options of the spec; the defaults are `train` samples and a tenth as many.
void generate(Dataset& data, const GraphSchema& schema, const DataSpec& spec, const DataOptions& options,
              const SampleGenerator& sample, std::int64_t train = 2'000) {
  const auto part = [&](Split split, std::int64_t samples) {
    GraphSet graphs(schema, options.limits);
    for (std::int64_t i = 0; i < samples; ++i)
      graphs.add(sample(split, i), fmt::format("{} sample {}", spec.kind(), i));
    return graphs;
  };
  data.train = part(Split::kTrain, limited(spec.integer("train", train, 1, kMaxSamples), options));
  data.dev = part(Split::kTest, spec.integer("test", train / 10, 0, kMaxSamples));
}

int checked_listops_classes(const std::string& kind, const DataOptions& options) {
  constexpr int kValues = 10;
  user_check(options.classes == 0 || options.classes >= kValues,
             "data '{}': labels are 0 to 9, but the model has {} classes; expected at least 10", kind, options.classes);
  return std::max(options.classes, kValues);
}

/// Sets words, tags and classes of a generator of tagged data.
void describe_tags(Dataset& data, const SequenceShape& shape, std::vector<std::string> tags, const DataSpec& spec,
                   const DataOptions& options) {
  data.words =
      options.words != nullptr ? *options.words : numbered_words({std::string(Vocabulary::kUnknown)}, shape.vocabulary);
  user_check(options.class_names == nullptr || *options.class_names == tags,
             "data '{}': the model was trained on other tags than these ({})", spec.kind(), fmt::join(tags, ", "));
  data.class_names = std::move(tags);
  data.classes = checked_classes(data.class_names, spec.kind(), options);
}

/// Returns the texts of pairs: the words of the source, and the labels of the target without <eos>.
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

constexpr std::array<std::string_view, 6> kListOpsKeys{"train", "test", "length", "arguments", "depth", "seed"};

/// True if a spec names files of expressions, instead of numbers of expressions to draw.
bool names_files(const DataSpec& spec) {
  const std::string& path = spec.path();
  const std::string_view first = std::string_view(path).substr(0, path.find(','));
  const bool key = first.find('=') != first.npos || std::ranges::find(kListOpsKeys, first) != kListOpsKeys.end();
  return !path.empty() && (!key || path.find(",dev=") != path.npos);
}

Dataset read_listops(const DataSpec::Files& files, const std::string& kind, const DataOptions& options) {
  Dataset data;
  data.classes = checked_listops_classes(kind, options);
  data.words = options.words != nullptr ? *options.words : listops_vocabulary();
  const Parts<Tree> parts(files, options, [&](const std::string& text, const std::string& file, std::size_t) {
    std::vector<Tree> trees = parse_listops_file(text, file);
    user_check(!trees.empty(), "{}: no expression; expected one per line, such as '[MAX 2 9]'", file);
    return trees;
  });
  parts.add_graphs(
      tree_schema(), options, [&](const Tree& tree, const std::string&) { return to_graph(tree, data.words); }, data);
  return data;
}

}  // namespace

std::vector<std::string> listops_files(DataSpec& spec) {
  return names_files(spec) ? plain_files(spec) : std::vector<std::string>();
}

Dataset load_listops(DataSpec& spec, const DataOptions& options) {
  if (names_files(spec)) return read_listops(spec.files(), spec.kind(), options);
  constexpr int kMax = std::numeric_limits<int>::max() / 4;
  spec.parse_options(kListOpsKeys);
  ListOpsOptions shape;
  shape.length = static_cast<int>(spec.integer("length", shape.length, 4, kMax));
  shape.max_arguments = static_cast<int>(spec.integer("arguments", shape.max_arguments, 2, kMax));
  shape.max_depth = static_cast<int>(spec.integer("depth", shape.max_depth, 1, kMax));
  const std::uint64_t seed = generator_seed(spec, options);
  Dataset data;
  data.classes = checked_listops_classes(spec.kind(), options);
  data.words = options.words != nullptr ? *options.words : listops_vocabulary();
  const auto sample = [&](Split split, std::int64_t i) {
    return to_graph(generate_listops(shape, seed, split, i), data.words);
  };
  generate(data, tree_schema(), spec, options, sample, 20'000);
  return data;
}

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

Dataset load_random_trees(DataSpec& spec, const DataOptions& options) {
  constexpr std::array<std::string_view, 5> kKeys{"train", "test", "leaves", "vocabulary", "seed"};
  spec.parse_options(kKeys);
  RandomTreeOptions shape;
  shape.leaves = static_cast<int>(spec.integer("leaves", shape.leaves, 1, 1 << 28));
  Dataset data;
  data.words = generated_words(spec, options);
  data.classes = options.classes > 0 ? options.classes : kSentimentClasses;
  shape.vocabulary = std::max(data.words.size(), 2);
  shape.classes = data.classes;
  const RandomTreeSource source(shape, generator_seed(spec, options));
  const auto sample = [&](Split split, std::int64_t i) { return to_graph(source.tree(split, i), data.words); };
  generate(data, tree_schema(), spec, options, sample);
  return data;
}

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
  const std::int32_t end = end_of_line(data.words, spec.kind(), options.classes);
  const auto sample = [&](Split split, std::int64_t i) {
    return to_chain(end, steps > 0 ? source.chain(split, i, steps) : source.sentence(split, i));
  };
  generate(data, chain_schema(), spec, options, sample);
  return data;
}

Dataset load_tags(DataSpec& spec, const DataOptions& options) {
  const SequenceShape shape = read_shape(spec, options, 23);
  const bool spelled = options.spelled_below > 0;
  Dataset data;
  describe_tags(data, shape, sentence_tags(), spec, options);
  generate(data, spelled ? spelled_chain_schema() : chain_schema(), spec, options, tagged_sentences(shape, spelled));
  return data;
}

Dataset load_lattices(DataSpec& spec, const DataOptions& options) {
  const SequenceShape shape = read_shape(spec, options, 43);
  Dataset data;
  describe_tags(data, shape, lattice_tags(), spec, options);
  generate(data, lattice_schema(), spec, options, random_lattices(shape));
  return data;
}

Dataset load_translations(DataSpec& spec, const DataOptions& options) {
  const SequenceShape shape = read_shape(spec, options, 20);
  Dataset data;
  data.words =
      options.words != nullptr
          ? *options.words
          : numbered_words({std::string(Vocabulary::kUnknown), std::string(Vocabulary::kEndOfLine)}, shape.vocabulary);
  data.classes = target_words(shape);
  end_of_line(data.words, spec.kind(), 0);
  user_check(options.classes == 0 || options.classes == data.classes,
             "data '{}': {} target words, but the model has {} classes; expected the same vocabulary", spec.kind(),
             data.classes, options.classes);
  generate(data, translation_schema(), spec, options, translated_sentences(shape));
  data.train_text = text_of(data.train, data.words);
  data.dev_text = text_of(data.dev, data.words);
  return data;
}

Dataset load_tree_pairs(DataSpec& spec, const DataOptions& options) {
  const SequenceShape shape = read_shape(spec, options, 10);
  Dataset data;
  data.words = generated_words(spec, options);
  data.classes = checked_scores(spec.kind(), options);
  generate(data, tree_pair_schema(), spec, options, random_tree_pairs(shape));
  return data;
}

Dataset load_expressions(DataSpec& spec, const DataOptions& options) {
  const SequenceShape shape = read_shape(spec, options, 20, false);
  Dataset data;
  data.words = options.words != nullptr ? *options.words : listops_vocabulary();
  data.classes = checked_listops_classes(spec.kind(), options);
  generate(data, expression_schema(), spec, options, shared_expressions(shape, data.words));
  return data;
}

Dataset load_moving_shapes(DataSpec& spec, const DataOptions& options) {
  const SequenceShape shape = read_shape(spec, options, 6, false);
  Dataset data;
  data.classes = kMotions;
  user_check(
      options.classes == 0 || options.classes == data.classes,
      "data '{}': the labels are {} motions, but the model has {} classes; use a model trained on this kind of data",
      spec.kind(), data.classes, options.classes);
  generate(data, moving_shapes_schema(), spec, options, moving_shapes(shape));
  return data;
}

}  // namespace cavs::inline v0_1
