#include "cavs/trained_model.h"

#include <algorithm>

#include "compile/program.h"
#include "data/lexicon.h"
#include "data/tag_scheme.h"
#include "ir/presence.h"
#include "support/check.h"
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

/// True if a connection feeds the port that the node pulls.
bool is_fed(const Model& model, const Function& f, const Node& node) {
  return node.is(OpId::kPull) && std::ranges::any_of(model.connections(), [&](const Connection& c) {
           return c.to == FunctionPort{f.name, node.attribute_name()};
         });
}

/// Returns the schema of the types and ports that a model uses, in order of first use; tree_schema() if that has them.
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

/// Returns the first lookup by ids of `port` whose table does not have `size` rows; nullptr if there is none.
const Node* table_of_other_size(const Model& model, std::int32_t size, std::string_view port = "word") {
  for (const Function& f : model.functions())
    for (const Node& node : f.nodes)
      if (node.is(OpId::kLookup) && f.nodes[node.in[0]].attribute_name() == port &&
          node.get<attr::Tensor>().shape.dims[0] != size)
        return &node;
  return nullptr;
}

/// True if the vocabulary has at most "<unk>", as for models whose words are ids.
bool is_empty(const Vocabulary& words) { return words.size() <= 1; }

void check_table(const Model& model, const Vocabulary& words, const std::string& port) {
  const Node* const table = table_of_other_size(model, words.size(), port);
  if (table == nullptr) return;
  user_error(
      "the checkpoint's vocabulary{} has {} words, but table '{}' of the model has {} rows; expected a row for each "
      "word: use the vocabulary that the model was trained with, or train it again",
      port == "word" ? "" : fmt::format(" of port '{}'", port), words.size(), table->attribute_name(),
      table->get<attr::Tensor>().shape.dims[0]);
}

/// The recorded tag scheme. Older files lack it; it is then inferred from the spec and tags of the training data.
std::string scheme_of(const DataRecord& data) {
  if (!data.tag_scheme.empty()) return data.tag_scheme;
  for (const std::string_view name : kTagSchemeNames)
    if (data.spec.starts_with("conll:") && data.spec.ends_with(fmt::format(",tags={}", name))) return std::string(name);
  const bool iobes = std::ranges::any_of(
      data.class_names, [](const std::string& tag) { return tag.starts_with("E-") || tag.starts_with("S-"); });
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

bool lacks_vocabulary(const TrainedModel& model) {
  return is_empty(model.words) && table_of_other_size(model.model, model.words.size()) != nullptr;
}

TrainedModel trained_model(const Checkpoint& checkpoint, bool averages) {
  const DataRecord& data = checkpoint.data;
  TrainedModel trained{.model = Model::from_json(checkpoint.model),
                       .parameters = nullptr,
                       .words = data.words.empty() ? Vocabulary() : Vocabulary(data.words),
                       .schema = {},
                       .graph_builder = data.graph_builder,
                       .class_names = data.class_names,
                       .data = data.spec,
                       .edge_names = data.edge_names,
                       .tag_scheme = scheme_of(data)};
  check_fit(checkpoint, trained.model.parameters());
  trained.parameters = trained.model.make_parameters();
  if (averages)
    restore_averages(checkpoint, *trained.parameters);
  else
    restore(checkpoint, *trained.parameters, nullptr);
  if (!is_empty(trained.words)) check_table(trained.model, trained.words, "word");
  trained.schema = data.schema ? *data.schema : schema_of(trained.model);
  if (!trained.graph_builder.empty()) check_builder(trained.graph_builder);
  for (const auto& [port, words] : data.port_words) {
    trained.port_words.emplace(port, Vocabulary(words));
    check_table(trained.model, trained.port_words.at(port), port);
  }
  if (data.lexicon) trained.lexicon = std::make_shared<Lexicon>(Lexicon::from_words(*data.lexicon));
  const auto program = compile(trained.model, {.training = false});
  for (const TypeProgram& type : program->types)
    if (const Output* logits = find_logits(type)) trained.classes = logits->operand.width;
  return trained;
}

DataRecord data_record(const Dataset& data) {
  DataRecord record{.spec = data.spec,
                    .words = data.words.words(),
                    .schema = data.schema,
                    .graph_builder = data.graph_builder,
                    .class_names = data.class_names,
                    .tag_scheme = data.tag_scheme,
                    .edge_names = data.edge_names};
  for (const auto& [port, words] : data.port_words) record.port_words.emplace(port, words.words());
  if (data.lexicon == nullptr) return record;
  std::string lexicon = data.lexicon->words();
  if (lexicon.size() <= kMaxLexiconBytes) record.lexicon = std::move(lexicon);
  return record;
}

DataOptions data_options(const TrainedModel& trained) {
  return {.classes = trained.classes,
          .class_names = trained.class_names.empty() ? nullptr : &trained.class_names,
          .edge_names = &trained.edge_names,
          .tag_scheme = trained.tag_scheme,
          .words = &trained.words,
          .port_words = &trained.port_words,
          .schema = &trained.schema};
}

}  // namespace cavs::inline v0_1
