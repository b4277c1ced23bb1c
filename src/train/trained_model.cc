#include "cavs/trained_model.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "compile/program.h"
#include "ir/presence.h"
#include "pack/minibatch.h"
#include "support/check.h"
#include "support/json_check.h"
#include "train/port_names.h"

namespace cavs {
namespace {

const Output* find_logits(const TypeProgram& type) {
  for (const Output& output : type.pushes)
    if (output.port == kLogits) return &output;
  return nullptr;
}

template <typename T>
void add_once(std::vector<T>& list, const T& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

/// Whether a connection gives what the node pulls.
bool is_fed(const Model& model, const Function& f, const Node& node) {
  return node.is(OpId::kPull) && std::ranges::any_of(model.connections(), [&](const Connection& c) {
           return c.to == FunctionPort{f.name, node.attribute_name()};
         });
}

/// The names that a model uses, in the order in which it does.
GraphSchema schema_of(const Model& model) {
  GraphSchema schema;
  for (const Function& f : model.functions()) {
    for (const std::string& type : types_over(f)) add_once(schema.types, type);
    for (const Node& node : f.nodes) {
      if (is_fed(model, f, node)) continue;
      if (node.is(OpId::kPullIndex) && !port_of_presence(node.attribute_name()))
        add_once(schema.index_ports, node.attribute_name());
      if (node.is(OpId::kPull))
        add_once(schema.float_ports, {node.attribute_name(), static_cast<std::int32_t>(node.shape.size())});
    }
  }
  const GraphSchema tree = tree_schema();
  const auto in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool types_fit = schema.types.size() == 1 || std::ranges::all_of(schema.types, [&](const std::string& name) {
                           return in(tree.types, name);
                         });
  const bool ports_fit = schema.float_ports.empty() && std::ranges::all_of(schema.index_ports, [&](const auto& name) {
                           return in(tree.index_ports, name);
                         });
  return types_fit && ports_fit ? tree : schema;
}

/// The first table of words of another size than `size`; nullptr: there is none.
const Node* table_of_other_size(const Model& model, std::int32_t size) {
  for (const Function& f : model.functions())
    for (const Node& node : f.nodes)
      if (node.is(OpId::kLookup) && f.nodes[node.in[0]].attribute_name() == "word" &&
          node.get<attr::Tensor>().shape.dims[0] != size)
        return &node;
  return nullptr;
}

/// "<unk>" alone: the model is given words as ids.
bool is_empty(const Vocabulary& words) { return words.size() <= 1; }

std::shared_ptr<const Program> compile_for_classes(const TrainedModel& model) {
  user_check(model.classes > 0, "the model pushes no '{}', so it predicts no classes; push them in a vertex function",
             kLogits);
  return compile(model.model, {.training = false, .pushes = std::vector<std::string>{kLogits}});
}

std::vector<float> softmax_of(std::span<const float> logits) {
  const float max = *std::max_element(logits.begin(), logits.end());
  std::vector<double> powers;
  for (float x : logits) powers.push_back(std::exp(static_cast<double>(x) - max));
  const double sum = std::accumulate(powers.begin(), powers.end(), 0.0);
  std::vector<float> probabilities;
  probabilities.reserve(powers.size());
  for (double power : powers) probabilities.push_back(static_cast<float>(power / sum));
  return probabilities;
}

std::vector<std::string> tags_from_json(const std::string& text) {
  try {
    return parse_json(text, 2, "the checkpoint's tags").get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception& e) {
    user_error("the checkpoint's tags: expected an array of names: {}", e.what());
  }
}

void check_builder(const std::string& name) {
  const bool known = std::ranges::any_of(all_graph_builders(), [&](const GraphBuilder& b) { return b.name == name; });
  user_check(known,
             "the checkpoint's graphs were made by '{}', which this version of cavs does not have; train the model "
             "again, or use the version that saved it",
             name);
}

}  // namespace

std::string schema_to_json(const GraphSchema& schema) {
  nlohmann::json ports = nlohmann::json::array();
  for (const auto& port : schema.float_ports) ports.push_back({{"name", port.name}, {"width", port.width}});
  return nlohmann::json{{"types", schema.types}, {"index_ports", schema.index_ports}, {"float_ports", ports}}.dump();
}

GraphSchema schema_from_json(const std::string& text) {
  const nlohmann::json json = parse_json(text, 4, "the checkpoint's schema of graphs");
  try {
    GraphSchema schema{.types = json.at("types").get<std::vector<std::string>>(),
                       .index_ports = json.at("index_ports").get<std::vector<std::string>>(),
                       .float_ports = {}};
    for (const auto& port : json.at("float_ports"))
      schema.float_ports.push_back({port.at("name").get<std::string>(), port.at("width").get<std::int32_t>()});
    return schema;
  } catch (const nlohmann::json::exception& e) {
    user_error("the checkpoint's schema of graphs: expected types, index_ports and float_ports: {}", e.what());
  }
}

bool lacks_vocabulary(const TrainedModel& model) {
  return is_empty(model.words) && table_of_other_size(model.model, model.words.size()) != nullptr;
}

TrainedModel trained_model(const Checkpoint& checkpoint) {
  TrainedModel trained{.model = Model::from_json(checkpoint.model),
                       .parameters = nullptr,
                       .words = checkpoint.vocabulary.empty() ? Vocabulary() : Vocabulary(checkpoint.vocabulary),
                       .schema = {},
                       .graph_builder = {},
                       .tags = {},
                       .classes = 0};
  trained.parameters = trained.model.make_parameters();
  restore(checkpoint, *trained.parameters, nullptr);
  const Node* const table =
      is_empty(trained.words) ? nullptr : table_of_other_size(trained.model, trained.words.size());
  user_check(table == nullptr,
             "the checkpoint's vocabulary has {} words, table '{}' of the model has {} rows; expected a row for each "
             "word: use the vocabulary that the model was trained with, or train it again",
             trained.words.size(), table == nullptr ? "" : table->attribute_name(),
             table == nullptr ? 0 : table->get<attr::Tensor>().shape.dims[0]);
  const auto schema = checkpoint.extra.find(kSchemaKey);
  trained.schema = schema == checkpoint.extra.end() ? schema_of(trained.model) : schema_from_json(schema->second);
  if (const auto builder = checkpoint.extra.find(kGraphBuilderKey); builder != checkpoint.extra.end())
    trained.graph_builder = builder->second;
  if (!trained.graph_builder.empty()) check_builder(trained.graph_builder);
  if (const auto tags = checkpoint.extra.find(kTagsKey); tags != checkpoint.extra.end())
    trained.tags = tags_from_json(tags->second);
  const auto program = compile(trained.model, {.training = false});
  for (const TypeProgram& type : program->types)
    if (const Output* logits = find_logits(type)) trained.classes = logits->operand.width;
  return trained;
}

Predictor::Predictor(const TrainedModel& model, const SessionOptions& options)
    : program_(compile_for_classes(model)),
      graph_builder_(graph_builder_for(model.graph_builder, &model.model, model.schema)),
      session_(program_, model.parameters, options) {}

std::vector<Prediction> Predictor::predict(const GraphSet& graphs) {
  if (graphs.size() == 0) return {};
  std::vector<std::int32_t> outputs;
  std::optional<GraphSet> built;
  if (graph_builder_) built = build_graphs(graphs, *graph_builder_, &outputs);
  const GraphSet& evaluated = built ? *built : graphs;
  const auto bound = bind_graphs(program_, evaluated);
  std::vector<std::int32_t> samples(graphs.size());
  std::iota(samples.begin(), samples.end(), 0);
  const Run run = session_.forward(*bound, samples);
  const int width = run.width(kLogits);
  const std::vector<float> logits = run.output(kLogits);
  std::vector<Prediction> predictions(samples.size());
  for (std::int32_t s = 0; s < graphs.size(); ++s)
    for (std::int64_t v = graphs.vertex_begin()[s]; v < graphs.vertex_begin()[s + 1]; ++v) {
      const auto local = static_cast<std::int32_t>(v - graphs.vertex_begin()[s]);
      const std::int32_t output = outputs.empty() ? local : outputs[v];
      const std::int64_t at = evaluated.vertex_begin()[s] + output;
      const bool classified = output >= 0 && find_logits(program_->types[bound->types()[at]]) != nullptr;
      const auto row = classified ? std::span(logits).subspan(static_cast<std::size_t>(at) * width, width)
                                  : std::span<const float>();
      const auto best = std::max_element(row.begin(), row.end()) - row.begin();
      predictions[s].classes.push_back(classified ? static_cast<std::int32_t>(best) : -1);
      if (graphs.parent_begin()[v] != graphs.parent_begin()[v + 1]) continue;
      predictions[s].roots.push_back({local, classified ? softmax_of(row) : std::vector<float>()});
    }
  return predictions;
}

}  // namespace cavs
