#include "cavs/evaluator.h"
#include "cavs/models.h"
#include "zoo/case.h"
#include "zoo/data_files.h"

namespace cavs::zoo {
namespace {

using Values = std::set<std::string>;

/// A refusal with names of dimensions and values.
struct Named {
  std::string command;
  std::vector<std::pair<std::string, Values>> when;
  std::string message;
  bool data_decides = false;
};

Refusal by_numbers(const Named& named) {
  Refusal refusal{named.command, {}, named.message, named.data_decides};
  for (const auto& [name, values] : named.when) {
    Refusal::Part part{dimension_named(name), {}};
    for (const std::string& value : all_dimensions()[part.dimension].values)
      part.values.push_back(values.contains(value) ? 1 : 0);
    refusal.when.push_back(std::move(part));
  }
  return refusal;
}

/// All values of a dimension except these.
Values but(std::string_view dimension, const Values& these) {
  const std::vector<std::string>& values = all_dimensions()[dimension_named(dimension)].values;
  Values all(values.begin(), values.end());
  for (const std::string& each : these) all.erase(each);
  return all;
}
Values given(std::string_view dimension) { return but(dimension, {""}); }

/// Models for these kinds of data.
Values models_of(const Values& kinds) {
  Values names;
  for (const ZooModel& model : all_models())
    if (kinds.contains(data_kind(std::string(model.name)))) names.emplace(model.name);
  return names;
}
Values models_with(Metric metric) {
  Values names;
  for (const ZooModel& model : all_models())
    if (model.metric == metric) names.emplace(model.name);
  return names;
}

const std::string kModel = "train MODEL";

Values other_models(const Values& kinds) { return but(kModel, models_of(kinds)); }

void add_metrics(std::vector<Named>& all) {
  for (const Metric metric : {Metric::kAccuracy, Metric::kPerplexity, Metric::kF1, Metric::kCorrelation}) {
    Values known{"", "loss"};
    for (const MetricColumn& column : metric_info(metric).columns) known.emplace(column.name);
    if (metric == Metric::kCorrelation) known.emplace("mse");
    all.push_back({"train",
                   {{kModel, models_with(metric)}, {"train --metric", but("train --metric", known)}},
                   "epochs cannot be compared by"});
  }
  // Generated binary trees have no development set.
  const std::pair<std::string, Values> binary{kModel, models_of({"binary-trees"})},
      generated{"train --data", {"generated"}};
  for (const char* option : {"train --metric", "train --patience", "train --save-best"})
    all.push_back({"train", {binary, generated, {option, given(option)}}, "give a development part"});
  all.push_back({"train", {binary, generated, {"train --decay", {"plateau"}}}, "give a development part"});
}

void add_training(std::vector<Named>& all) {
  all.push_back(
      {"train",
       {{kModel, models_of({"lattices", "tree-pairs", "expressions", "moving-shapes"})}, {"train --data", {"files"}}},
       "unknown kind"});
  all.push_back(
      {"train",
       {{"train --optimizer", but("train --optimizer", {"sgd"})}, {"train --momentum", given("train --momentum")}},
       "no option momentum"});
  for (const char* option : {"train --class-weights", "train --label-smoothing"})
    all.push_back({"train",
                   {{kModel, {"bilstm-crf", "tree-lstm-relatedness"}}, {option, given(option)}},
                   "need a softmax over classes"});
  all.push_back(
      {"train",
       {{"train --vectors", given("train --vectors")}, {"train --embedding", but("train --embedding", {"4"})}},
       "leave --embedding out, or set it to 4"});
  // Embeddings of these models are as wide as their states.
  all.push_back({"train",
                 {{kModel, {"tree-fc", "td-rnn", "mv-rnn"}},
                  {"train --vectors", given("train --vectors")},
                  {"train --hidden", but("train --hidden", {"4"})}},
                 "the model has no table of words with 4 columns"});
  all.push_back({"train", {{kModel, {"lrcn"}}, {"train --vectors", given("train --vectors")}}, "none of the 1 words"});
  // All words are rare, so the model spells all of them.
  all.push_back({"train",
                 {{kModel, {"bilstm-char", "bilstm-crf"}},
                  {"train --data", {"files"}},
                  {"train --vectors", given("train --vectors")}},
                 "none of the 1 words"});
  const std::pair<std::string, Values> stream{"train --stream", given("train --stream")};
  all.push_back({"train", {stream, {kModel, other_models({"markov"})}}, "cannot be streamed"});
  all.push_back({"train", {stream, {"train --data", {"generated"}}}, "cannot be streamed"});
  all.push_back({"train", {stream, {kModel, {"fixed-lstm"}}}, "cannot be streamed"});
  all.push_back({"train", {stream, {"train --policy", {"fsm"}}}, "--policy fsm learns from data in memory"});
  all.push_back({"train", {stream, {"train --class-weights", {"balanced"}}}, "needs all labels in memory"});
  all.push_back({"train", {stream, {"train --bucket", given("train --bucket")}}, "only data in memory"});
  all.push_back({"train", {{"train --check-script", {"yes"}}}, "--check-script checks scripts of --device cuda"});
  // A decay over the whole training changes with the number of epochs. After a warmup as long as the training it has
  // one step, whatever the number.
  for (const auto& [epochs, stops] : {std::pair<std::string, Values>{"2", {"1", "3", "5"}}, {"3", {"1", "2", "5"}}})
    for (const std::string warmup : {"", "2"})
      all.push_back({"resume",
                     {{"law stops", {"after an epoch"}},
                      {"law stop number", stops},
                      {"train --epochs", {epochs}},
                      {"train --warmup", {warmup}},
                      {"train --decay", {"linear", "cosine"}},
                      {"train --decay-steps", {""}}},
                     "learning rate's decay_steps",
                     !warmup.empty()});
}

/// Refusals of --input in a form that differs from the samples.
void add_forms(std::vector<Named>& all) {
  const Values both{"generated", "files"}, trees{"binary-trees", "random-trees"};
  struct Form {
    Values kinds, data, forms;
  };
  for (const auto& [kinds, data, forms] : {Form{trees, both, {"trees"}},
                                           {{"listops"}, {"files"}, {"trees"}},
                                           {{"listops"}, {"generated"}, {"expressions"}},
                                           {{"tags"}, {"files"}, {"sentences", "conll"}},
                                           {{"tags"}, {"generated"}, {"sentences"}},
                                           {{"lattices", "expressions", "moving-shapes"}, both, {"jsonl"}},
                                           {{"tree-pairs"}, both, {"pairs"}}}) {
    Values others = but("predict --input", forms);
    others.erase("");
    for (const char* message : {"the model does not accept", "stdin:1:"})
      all.push_back(
          {"predict", {{kModel, models_of(kinds)}, {"train --data", data}, {"predict --input", others}}, message});
  }
}

void add_prediction(std::vector<Named>& all) {
  for (const char* command : {"eval", "predict"})
    for (const char* name : {" --beam", " --length-penalty", " --max-length", " --n-best"})
      if (const std::string option = std::string(command) + name; option != "eval --n-best")
        all.push_back({command,
                       {{kModel, other_models({"translations"})}, {option, given(option)}},
                       "are for models that translate"});
  all.push_back({"predict", {{"predict --n-best", {"2"}}, {"predict --beam", {"1"}}}, "--n-best"});
  all.push_back(
      {"predict", {{"predict --tree", {"yes"}}, {"predict --format", given("predict --format")}}, "excludes"});
  all.push_back(
      {"predict", {{"predict --data", {"the same"}}, {"predict --input", given("predict --input")}}, "excludes"});
  const std::pair<std::string, Values> text{kModel, models_of({"markov", "translations"})};
  for (const char* option : {"predict --words", "predict --temperature"})
    all.push_back(
        {"predict", {{kModel, other_models({"markov"})}, {option, given(option)}}, "that were trained on text"});
  all.push_back({"predict",
                 {{kModel, other_models({"markov"})}, {"predict --seed", {"5"}}, {"predict --data", {""}}},
                 "that were trained on text"});
  all.push_back({"predict",
                 {{kModel, models_of({"markov"})}, {"train --data", {"generated"}}, {"predict --data", {"the same"}}},
                 "prompts are lines of text"});
  all.push_back({"predict", {text, {"predict --format", {"conll", "tree"}}}, "is for models that predict classes"});
  all.push_back({"predict", {text, {"predict --tree", {"yes"}}}, "is for models that predict classes"});
  all.push_back(
      {"predict",
       {{kModel, other_models({"tags", "lattices", "markov", "translations"})}, {"predict --format", {"conll"}}},
       "prints a line for each token"});
  all.push_back({"predict",
                 {{kModel, models_of({"lattices"})}, {"predict --data", {""}}, {"predict --format", {"conll"}}},
                 "prints a line for each token"});
  for (const char* option : {"predict --input", "predict --spans", "predict --lexicon"})
    all.push_back({"predict", {text, {option, given(option)}}, "are for models that predict classes"});
  all.push_back(
      {"predict",
       {{kModel, other_models({"lattices", "markov", "translations"})}, {"predict --lexicon", {"lexicon.txt"}}},
       "--lexicon gives the words of lattices"});
  all.push_back({"predict",
                 {{kModel, other_models({"lattices", "tags", "markov", "translations"})}, {"predict --spans", {"yes"}}},
                 "--spans needs tags"});
  all.push_back({"predict",
                 {{"predict --policy", {"fsm"}}, {"train --policy", but("train --policy", {"fsm"})}},
                 "holds no learned policy"});
}

}  // namespace

const std::vector<Refusal>& all_refusals() {
  static const std::vector<Refusal> kAll = [] {
    std::vector<Named> all;
    add_metrics(all);
    add_training(all);
    add_forms(all);
    add_prediction(all);
    for (const std::string command : {"train", "eval", "predict"})
      all.push_back({command, {{command + " --engine", {"persistent"}}}, "device cpu has no engine persistent"});
    std::vector<Refusal> refusals;
    for (const Named& named : all) refusals.push_back(by_numbers(named));
    return refusals;
  }();
  return kAll;
}

}  // namespace cavs::zoo
