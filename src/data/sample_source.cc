#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cavs/data.h"
#include "cavs/readers.h"
#include "data/data_kinds.h"
#include "data/input_tags.h"
#include "graphs/graph_builders.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

class FileSamples final : public SampleSource {
 public:
  FileSamples(const std::string& path, SampleOptions options)
      : file_(path), reader_(file_.stream(), named(options, path)) {}
  Samples next(std::int64_t most) override { return reader_.next(most); }
  double share() const override { return file_.share(); }

 private:
  static SampleOptions named(SampleOptions options, const std::string& path) {
    options.name = path;
    return options;
  }

  TextFile file_;
  SampleReader reader_;
};

/// Returns the word of a vertex, or its spelling.
std::string word_at(const InputGraph& graph, std::int32_t vertex, const SampleOptions& options) {
  const std::int32_t id = graph.index_pulls[0][vertex];
  if (id >= 0) return id < options.words.size() ? options.words.word(id) : fmt::format("#{}", id);
  if (graph.index_pulls.size() < 5) return {};
  std::string spelling;
  for (std::int32_t v = graph.index_pulls[3][vertex]; v >= 0 && v <= graph.index_pulls[4][vertex]; ++v)
    spelling += static_cast<char>(graph.index_pulls[2][v]);
  return spelling;
}

/// Returns the text of a sample. The word of a vertex that predicts a token is in the vertex itself or, in a lattice,
/// in the first arc that ends there.
SampleText text_of(const InputGraph& graph, const SampleOptions& options) {
  SampleText text;
  if (!takes_sentences(options)) return text;
  const bool lattice = options.schema == lattice_schema();
  text.vertices = predicting_vertices(graph, options);
  for (const std::int32_t v : text.vertices) {
    text.tokens.push_back(word_at(graph, lattice ? graph.children[graph.child_offsets[v]] : v, options));
    const std::int32_t label = graph.index_pulls[1][v];
    text.expected.push_back(label >= 0 && label < std::ssize(options.class_names) ? options.class_names[label] : "");
  }
  return text;
}

class SetSamples final : public SampleSource {
 public:
  SetSamples(GraphSet set, SampleOptions options) : set_(std::move(set)), options_(std::move(options)) {}
  Samples next(std::int64_t most) override {
    Samples samples{.trees = {}, .graphs = GraphSet(set_.schema(), options_.limits)};
    for (; next_ < set_.size() && samples.graphs.size() < most; ++next_) {
      const InputGraph graph = sample_of(set_, next_);
      samples.graphs.add(graph, fmt::format("sample {}", next_));
      samples.trees.emplace_back();
      samples.texts.push_back(text_of(graph, options_));
      samples.texts.back().where = fmt::format("sample {}", next_);
    }
    return samples;
  }
  double share() const override { return static_cast<double>(next_) / std::max(set_.size(), 1); }

 private:
  GraphSet set_;
  SampleOptions options_;
  std::int32_t next_ = 0;
};

}  // namespace

std::unique_ptr<SampleSource> open_samples(const std::string& spec, const std::string& part, SampleOptions reading,
                                           const DataOptions& loading) {
  DataSpec parts(spec);
  const DataKind& kind = find_data_kind(parts.kind(), spec);
  std::vector<std::string> files;
  if (!kind.form.empty()) {
    if (kind.prepare != nullptr) kind.prepare(parts, reading);
    files = kind.files(parts);
  }
  if (!files.empty()) {
    reading.form = kind.form;
    if (loading.lexicon != nullptr) reading.lexicon = loading.lexicon;
    const bool has_dev = files.size() > 1 && files[1] != parts.text("lexicon");
    return std::make_unique<FileSamples>(part == "dev" && has_dev ? files[1] : files[0], reading);
  }
  DataOptions options = loading;
  options.for_prediction = true;
  Dataset data = load_data(spec, options);
  GraphSet set = std::move(part == "dev" && data.dev.size() > 0 ? data.dev : data.train);
  user_check(set.schema() == reading.schema,
             "data '{}': the graphs have other types of vertices or ports than the training data of the model; "
             "expected data of the same kind{}{}",
             spec, reading.data_kind.empty() ? "" : ", ", reading.data_kind);
  return std::make_unique<SetSamples>(std::move(set), std::move(reading));
}

}  // namespace cavs::inline v0_1
