// Training in practice: several labels per document, targets that are not always known, pretrained vectors, learning
// rates by name, averaged parameters, a custom metric that ends training, and a model of the zoo with early stopping.
#include <cavs/checkpoint.h>
#include <cavs/data.h>
#include <cavs/error.h>
#include <cavs/evaluator.h>
#include <cavs/fit.h>
#include <cavs/graph.h>
#include <cavs/layers.h>
#include <cavs/model.h>
#include <cavs/models.h>
#include <cavs/session.h>
#include <cavs/trainer.h>
#include <cavs/vocabulary.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int kTopics = 4, kWords = 80, kWidth = 8;

/// "<unk>" and words whose number determines their topic: word w has topic w % 4.
cavs::Vocabulary vocabulary() {
  std::vector<std::string> words{"<unk>"};
  for (int w = 1; w < kWords; ++w) words.push_back("word" + std::to_string(w));
  return cavs::Vocabulary(std::move(words));
}

/// A document is a vertex whose children are the vertices of its words.
cavs::GraphSchema schema() {
  return {.types = {"word", "document"},
          .index_ports = {"word"},
          .float_ports = {{"topics", kTopics}, {"known", kTopics}, {"length", 1}}};
}

/// For a document, some topics are unknown, and for two documents in three, the length is unknown.
cavs::InputGraph draw(std::mt19937& random) {
  const int words = 1 + static_cast<int>(random() % 6);
  cavs::InputGraph graph{.child_offsets = {0}, .index_pulls = {{}}};
  std::vector<float> topics(kTopics), known(kTopics);
  for (int i = 0; i < words; ++i) {
    const auto word = static_cast<std::int32_t>(1 + random() % (kWords - 1));
    topics[word % kTopics] = 1;
    graph.types.push_back(0);
    graph.index_pulls[0].push_back(word);
    graph.children.push_back(i);
    graph.child_offsets.push_back(0);
  }
  for (float& k : known) k = random() % 3 == 0 ? 0.0F : 1.0F;
  graph.types.push_back(1);
  graph.index_pulls[0].push_back(-1);
  graph.child_offsets.push_back(words);
  for (const std::vector<float>& row : {topics, known, {static_cast<float>(words)}}) {
    graph.float_pulls.emplace_back(row.size() * words);  // words have no targets
    graph.float_pulls.back().insert(graph.float_pulls.back().end(), row.begin(), row.end());
    graph.float_present.emplace_back(words);
    graph.float_present.back().push_back(1);
  }
  graph.float_present.back().back() = random() % 3 == 0 ? 1 : 0;
  return graph;
}

cavs::GraphSet documents(int count, std::uint32_t seed) {
  cavs::GraphSet graphs(schema());
  std::mt19937 random(seed);
  for (int i = 0; i < count; ++i) graphs.add(draw(random));
  return graphs;
}

cavs::Model declare() {
  cavs::Model m;
  const auto E = m.lookup("embedding", {kWords, kWidth});
  const auto W = m.parameter("W", {kWidth, 32}), b = m.parameter("b", {32}, cavs::Initializer::zeros());
  const auto V = m.parameter("topics_V", {32, kTopics}), U = m.parameter("length_U", {32, 1});
  m.vertex_function("word", [&](cavs::Vertex& v) { v.scatter("h", E(v.pull_index("word"))); });
  m.vertex_function("document", [&](cavs::Vertex& v) {
    const auto h = relu(sum(v.children("h")) * W + b);
    const auto logits = h * V;
    v.push("logits", logits);
    v.loss(binary_cross_entropy(logits, v.pull("topics", kTopics), v.pull("known", kTopics)));
    v.loss(mean_squared_error(h * U, v.pull("length", 1)) * 0.1);
  });
  return m;
}

/// F1 over the known topics, which the library does not compute.
double f1_of(cavs::Session& session, const cavs::BoundGraphs& bound, const cavs::GraphSet& graphs) {
  std::vector<std::int32_t> samples(graphs.size());
  for (std::int32_t s = 0; s < graphs.size(); ++s) samples[s] = s;
  const cavs::Run run = session.forward(bound, samples);
  const std::vector<float> logits = run.output("logits");
  const auto topics = graphs.float_pulls(0), known = graphs.float_pulls(1);
  double right = 0, found = 0, there = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (known[i] == 0) continue;
    const bool predicted = logits[i] > 0, is = topics[i] > 0;
    right += predicted && is ? 1 : 0;
    found += predicted ? 1 : 0;
    there += is ? 1 : 0;
  }
  return found + there == 0 ? 0 : 2 * right / (found + there);
}

/// Writes pretrained vectors: here each vector encodes the word's topic.
void write_vectors(const std::string& path) {
  std::ofstream file(path);
  for (int w = 1; w < kWords; ++w) {
    file << "word" << w;
    for (int i = 0; i < kWidth; ++i) file << ' ' << (i == w % kTopics ? 1 : 0);
    file << '\n';
  }
}

double train_documents(const std::string& vectors_file) {
  const cavs::Model model = declare();
  const cavs::GraphSet train = documents(600, 1), dev = documents(200, 2);

  cavs::TrainOptions options{.batch_size = 8, .accumulate = 2, .ema = 0.98};
  options.optimizer = cavs::optimizer_defaults("adam");
  options.optimizer.lr = 0.01;
  options.optimizer.groups = {cavs::ParameterGroup::times("*_?", 0.5), cavs::ParameterGroup::frozen("embedding")};
  cavs::Trainer trainer(model, train, options);

  const cavs::WordVectors vectors = cavs::load_vectors(vectors_file, vocabulary());
  cavs::set_vectors(trainer.parameters(), "embedding", vectors);
  std::printf("%zu of %d words have a vector\n", vectors.ids.size(), kWords);

  const auto program = cavs::compile(model, {.training = false, .pushes = {{"logits"}}});
  const auto bound = cavs::bind_graphs(program, dev);
  cavs::Session session(program, trainer.evaluated_parameters());
  std::vector<double> history;  // the metric of each epoch
  cavs::Checkpoint best;
  while (history.size() < 40) {
    for (const auto epoch = trainer.position().epoch; trainer.position().epoch == epoch;) trainer.step();
    history.push_back(f1_of(session, *bound, dev));
    const auto so_far = cavs::best_epoch(history, false);
    if (so_far->since == 0) best = trainer.checkpoint();  // contains the averages, too
    if (so_far->since == 5) break;
  }
  const auto found = cavs::best_epoch(history, false);
  std::printf("topics: F1 %.3f in epoch %d of %zu\n", found->value, static_cast<int>(found->epoch), history.size());
  return found->value;
}

double train_trees() {
  const cavs::Dataset data = cavs::load_data("random-trees:train=400,test=100,leaves=6,vocabulary=50");
  const cavs::Model model = cavs::find_model("tree-lstm")
                                .make({.vocabulary = data.words.size(),
                                       .embedding = 16,
                                       .hidden = 16,
                                       .classes = data.classes,
                                       .class_weights = {1, 1, 0.5F, 1, 1},
                                       .label_smoothing = 0.05});
  cavs::TrainOptions options{.batch_size = 16, .optimizer = cavs::optimizer_defaults("adam")};
  options.optimizer.lr = 0.01;
  options.optimizer.schedule = {
      .decay = cavs::LearningRateSchedule::Decay::kPlateau, .rate = 0.5, .patience = 1, .floor = 0.1};
  cavs::Trainer trainer(model, data, options);
  cavs::fit(trainer, data.dev, {.epochs = 60, .best_by = "accuracy", .save_best = "best.cavs", .patience = 4});
  const std::vector<double>& accuracies = trainer.record().metrics["dev_accuracy"];
  const auto found = cavs::best_epoch(accuracies, false);
  std::printf("trees: accuracy %.1f %% in epoch %d of %zu\n", 100 * found->value, static_cast<int>(found->epoch),
              accuracies.size());
  std::remove("best.cavs");
  return found->value;
}

/// A running mean of the loss, which is computed while steps run.
double train_meanwhile() {
  const cavs::Dataset data = cavs::load_data("random-trees:train=200,test=0,leaves=6,vocabulary=50");
  const cavs::Model model =
      cavs::find_model("tree-lstm").make({.vocabulary = data.words.size(), .classes = data.classes});
  cavs::Trainer trainer(model, data.train, {.batch_size = 8, .optimizer = cavs::optimizer_defaults("adam")});
  double mean = 0;
  for (std::int64_t step = 0; step < 6 * trainer.steps_per_epoch(); ++step) {
    const cavs::PendingStep running = trainer.start();     // waits for the previous step; this one runs on
    const double loss = running.stale_loss().value_or(0);  // of the previous step
    mean += 0.1 * (loss - mean);                           // or read, print, prepare the next input
  }
  const cavs::TrainStep last = trainer.start().wait();
  std::printf("meanwhile: loss %.3f, the last %.3f\n", mean, last.loss);
  return mean;
}

}  // namespace

int main() try {
  const std::string vectors = "vectors.txt";
  write_vectors(vectors);
  const double f1 = train_documents(vectors);
  std::remove(vectors.c_str());
  if (f1 < 0.9) throw cavs::UserError("the topics were not learned");
  if (train_trees() < 0.6) throw cavs::UserError("the trees were not learned");
  if (train_meanwhile() > 8) throw cavs::UserError("the trees were not learned meanwhile");
  return 0;
} catch (const cavs::UserError& error) {
  std::fprintf(stderr, "training: %s\n", error.what());
  return 1;
}
