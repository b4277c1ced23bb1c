#include "cavs/trained_model.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "compile/program.h"
#include "data/lexicon.h"
#include "data/tag_scheme.h"
#include "ir/presence.h"
#include "support/check.h"
#include "support/json_check.h"
#include "train/checkpoint_fit.h"
#include "train/port_names.h"

namespace cavs::inline v0_1 {
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
      if (node.is(OpId::kPullEdgeIndex) && !port_of_presence(node.attribute_name()))
        add_once(schema.edge_index_ports, node.attribute_name());
      if (node.is(OpId::kPullEdges))
        add_once(schema.edge_float_ports, {node.attribute_name(), static_cast<std::int32_t>(node.shape.size())});
    }
  }
  const GraphSchema tree = tree_schema();
  const auto in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool types_fit = schema.types.size() == 1 || std::ranges::all_of(schema.types, [&](const std::string& name) {
                           return in(tree.types, name);
                         });
  const bool no_others =
      schema.float_ports.empty() && schema.edge_index_ports.empty() && schema.edge_float_ports.empty();
  const bool ports_fit = no_others && std::ranges::all_of(schema.index_ports,
                                                          [&](const auto& name) { return in(tree.index_ports, name); });
  return types_fit && ports_fit ? tree : schema;
}

/// The first table that ids of a port look up and that has another size than `size`; nullptr: there is none.
const Node* table_of_other_size(const Model& model, std::int32_t size, std::string_view port = "word") {
  for (const Function& f : model.functions())
    for (const Node& node : f.nodes)
      if (node.is(OpId::kLookup) && f.nodes[node.in[0]].attribute_name() == port &&
          node.get<attr::Tensor>().shape.dims[0] != size)
        return &node;
  return nullptr;
}

/// "<unk>" alone: the model is given words as ids.
bool is_empty(const Vocabulary& words) { return words.size() <= 1; }

/// A text of the checkpoint. @param what, expected  for messages
template <typename T>
T read_json(const std::string& text, int depth, const std::string& what, const char* expected) {
  try {
    return parse_json(text, depth, what).get<T>();
  } catch (const nlohmann::json::exception& e) {
    user_error("{}: expected {}: {}", what, expected, e.what());
  }
}

PortWords port_words_from_json(const std::string& text) {
  PortWords words;
  for (auto& [port, list] : read_json<std::map<std::string, std::vector<std::string>>>(
           text, 3, "the checkpoint's port_words", "an object of arrays of words, by index port"))
    words.emplace(port, Vocabulary(std::move(list)));
  return words;
}

void check_table(const Model& model, const Vocabulary& words, const std::string& port) {
  const Node* const table = table_of_other_size(model, words.size(), port);
  if (table == nullptr) return;
  user_error(
      "the checkpoint's vocabulary{} has {} words, table '{}' of the model has {} rows; expected a row for each word: "
      "use the vocabulary that the model was trained with, or train it again",
      port == "word" ? "" : fmt::format(" of port '{}'", port), words.size(), table->attribute_name(),
      table->get<attr::Tensor>().shape.dims[0]);
}

/// As the checkpoint says, or, of one of before it did, as follows from what it was trained on.
std::string scheme_of(const Checkpoint& checkpoint, const std::vector<std::string>& tags) {
  if (const auto kept = checkpoint.extra.find(kTagSchemeKey); kept != checkpoint.extra.end()) return kept->second;
  for (const std::string_view name : kTagSchemeNames)
    if (checkpoint.data.starts_with("conll:") && checkpoint.data.ends_with(fmt::format(",tags={}", name)))
      return std::string(name);
  const bool iobes =
      std::ranges::any_of(tags, [](const std::string& tag) { return tag.starts_with("E-") || tag.starts_with("S-"); });
  return iobes ? "iobes" : "";
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
  const auto floats = [](const std::vector<GraphSchema::FloatPort>& all) {
    nlohmann::json ports = nlohmann::json::array();
    for (const auto& port : all) ports.push_back({{"name", port.name}, {"width", port.width}});
    return ports;
  };
  nlohmann::json json{
      {"types", schema.types}, {"index_ports", schema.index_ports}, {"float_ports", floats(schema.float_ports)}};
  if (!schema.edge_index_ports.empty()) json["edge_index_ports"] = schema.edge_index_ports;
  if (!schema.edge_float_ports.empty()) json["edge_float_ports"] = floats(schema.edge_float_ports);
  return json.dump();
}

GraphSchema schema_from_json(const std::string& text) {
  constexpr std::int64_t kWidest = std::numeric_limits<std::int32_t>::max();
  const nlohmann::json json = parse_json(text, 4, "the checkpoint's schema of graphs");
  try {
    GraphSchema schema{.types = json.at("types").get<std::vector<std::string>>(),
                       .index_ports = json.at("index_ports").get<std::vector<std::string>>(),
                       .float_ports = {}};
    const auto add = [](const nlohmann::json& ports, std::vector<GraphSchema::FloatPort>& to) {
      for (const auto& port : ports)
        to.push_back({port.at("name").get<std::string>(),
                      static_cast<std::int32_t>(json_integer(port.at("width"), 1, kWidest, "width"))});
    };
    add(json.at("float_ports"), schema.float_ports);
    schema.edge_index_ports = json.value("edge_index_ports", std::vector<std::string>());
    add(json.value("edge_float_ports", nlohmann::json::array()), schema.edge_float_ports);
    return schema;
  } catch (const nlohmann::json::exception& e) {
    user_error("the checkpoint's schema of graphs: expected types, index_ports and float_ports: {}", e.what());
  }
}

std::string port_words_to_json(const PortWords& words) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [port, vocabulary] : words) json[port] = vocabulary.words();
  return json.dump();
}

std::string lexicon_to_text(const Lexicon& lexicon) { return lexicon.words(); }

std::string edge_names_to_json(const EdgeNames& names) { return nlohmann::json(names).dump(); }

bool lacks_vocabulary(const TrainedModel& model) {
  return is_empty(model.words) && table_of_other_size(model.model, model.words.size()) != nullptr;
}

TrainedModel trained_model(const Checkpoint& checkpoint, bool averages) {
  TrainedModel trained{.model = Model::from_json(checkpoint.model),
                       .parameters = nullptr,
                       .words = checkpoint.vocabulary.empty() ? Vocabulary() : Vocabulary(checkpoint.vocabulary),
                       .schema = {},
                       .graph_builder = {},
                       .tags = {},
                       .classes = 0,
                       .data = checkpoint.data};
  check_fit(checkpoint, trained.model.parameters());
  trained.parameters = trained.model.make_parameters();
  if (averages)
    restore_averages(checkpoint, *trained.parameters);
  else
    restore(checkpoint, *trained.parameters, nullptr);
  if (!is_empty(trained.words)) check_table(trained.model, trained.words, "word");
  const auto schema = checkpoint.extra.find(kSchemaKey);
  trained.schema = schema == checkpoint.extra.end() ? schema_of(trained.model) : schema_from_json(schema->second);
  if (const auto builder = checkpoint.extra.find(kGraphBuilderKey); builder != checkpoint.extra.end())
    trained.graph_builder = builder->second;
  if (!trained.graph_builder.empty()) check_builder(trained.graph_builder);
  if (const auto tags = checkpoint.extra.find(kTagsKey); tags != checkpoint.extra.end())
    trained.tags = read_json<std::vector<std::string>>(tags->second, 2, "the checkpoint's tags", "an array of names");
  if (const auto names = checkpoint.extra.find(kEdgeNamesKey); names != checkpoint.extra.end())
    trained.edge_names = read_json<EdgeNames>(names->second, 3, "the checkpoint's names of edges",
                                              "an object with an array of names for each port");
  trained.tag_scheme = scheme_of(checkpoint, trained.tags);
  if (const auto words = checkpoint.extra.find(kPortWordsKey); words != checkpoint.extra.end())
    trained.port_words = port_words_from_json(words->second);
  for (const auto& [port, words] : trained.port_words) check_table(trained.model, words, port);
  if (const auto words = checkpoint.extra.find(kLexiconKey); words != checkpoint.extra.end())
    trained.lexicon = std::make_shared<Lexicon>(Lexicon::from_words(words->second));
  const auto program = compile(trained.model, {.training = false});
  for (const TypeProgram& type : program->types)
    if (const Output* logits = find_logits(type)) trained.classes = logits->operand.width;
  return trained;
}

}  // namespace cavs::inline v0_1
