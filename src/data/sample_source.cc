#include "data/sample_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cavs/sentence_graphs.h"
#include "data/data_kinds.h"
#include "data/text_file_stream.h"
#include "graphs/graph_builders.h"
#include "support/check.h"

namespace cavs {
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

  TextFileStream file_;
  SampleReader reader_;
};

/// Vertices that predict a token of a chain or a lattice, and where its word stands: in the vertex itself, or in the
/// first arc that ends there.
struct TokenVertices {
  std::vector<std::int32_t> predicting, reading;
};

TokenVertices token_vertices(const InputGraph& graph, const GraphSchema& schema) {
  const bool lattice = schema == lattice_schema();
  TokenVertices tokens;
  if (!lattice && schema != chain_schema() && schema != spelled_chain_schema()) return tokens;
  const std::int32_t type = lattice ? 2 : 0;  // position, token
  for (std::int32_t v = lattice ? 1 : 0; v < std::ssize(graph.types); ++v) {
    if (graph.types[v] != type) continue;
    tokens.predicting.push_back(v);
    tokens.reading.push_back(lattice ? graph.children[graph.child_offsets[v]] : v);
  }
  return tokens;
}

/// The word of a vertex, or what spells it.
std::string word_at(const InputGraph& graph, std::int32_t vertex, const SampleOptions& options) {
  const std::int32_t id = graph.index_pulls[0][vertex];
  if (id >= 0) return id < options.words.size() ? options.words.word(id) : fmt::format("#{}", id);
  if (graph.index_pulls.size() < 5) return {};
  std::string spelling;
  for (std::int32_t v = graph.index_pulls[3][vertex]; v >= 0 && v <= graph.index_pulls[4][vertex]; ++v)
    spelling += static_cast<char>(graph.index_pulls[2][v]);
  return spelling;
}

SampleText text_of(const InputGraph& graph, const SampleOptions& options) {
  SampleText text;
  const TokenVertices tokens = token_vertices(graph, options.schema);
  text.vertices = tokens.predicting;
  for (const std::int32_t v : tokens.reading) text.tokens.push_back(word_at(graph, v, options));
  for (const std::int32_t v : tokens.predicting) {
    const std::int32_t label = graph.index_pulls[1][v];
    text.expected.push_back(label >= 0 && label < std::ssize(options.tags) ? options.tags[label] : "");
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
  if (kind.sample_files != nullptr) {
    const SampleFiles files = kind.sample_files(parts, reading);
    if (loading.lexicon != nullptr) reading.lexicon = loading.lexicon;
    return std::make_unique<FileSamples>(part == "dev" && !files.dev.empty() ? files.dev : files.train, reading);
  }
  Dataset data = load_data(spec, loading);
  GraphSet set = std::move(part == "dev" && data.dev.size() > 0 ? data.dev : data.train);
  user_check(set.schema() == reading.schema,
             "data '{}': their graphs have other types of vertices or ports than those that the model was trained on; "
             "expected data of the same kind{}{}",
             spec, reading.data_kind.empty() ? "" : ", ", reading.data_kind);
  return std::make_unique<SetSamples>(std::move(set), std::move(reading));
}

}  // namespace cavs
