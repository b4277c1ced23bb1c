#include "cavs/inspect.h"
#include "inspect/data_summary.h"
#include "inspect/print_data.h"
#include "inspect/program_json.h"
#include "inspect/tree_drawing.h"
#include "inspect/unused_ports.h"

namespace cavs::inline v0_1 {
namespace {

OrderedJson to_json(const Spread& spread) {
  return {{"min", spread.min}, {"median", spread.median}, {"mean", spread.mean}, {"max", spread.max}};
}

OrderedJson to_json(const PortSummary& port) {
  OrderedJson json{{"name", port.name}, {"present", port.present}};
  if (port.width > 0)
    json["width"] = port.width;
  else
    json["max_index"] = port.max_index;
  if (port.vocabulary > 0) json.update(OrderedJson{{"vocabulary", port.vocabulary}, {"unknown", port.unknown}});
  if (port.of_edges) json["of"] = "edges";
  return json;
}

OrderedJson to_json(const PartSummary& part, const DataSummary& summary) {
  OrderedJson types = OrderedJson::object(), ports = OrderedJson::array();
  for (std::size_t t = 0; t < part.types.size(); ++t) types[summary.schema.types[t]] = part.types[t];
  for (const PortSummary& port : part.ports) ports.push_back(to_json(port));
  OrderedJson json{{"samples", part.samples},
                   {"vertices", part.vertices},
                   {"edges", part.edges},
                   {"roots", part.roots},
                   {"sizes", to_json(part.sizes)},
                   {"depths", to_json(part.depths)},
                   {"arities", to_json(part.arities)},
                   {"types", types},
                   {"ports", ports},
                   {"labelled", part.labelled},
                   {"unlabelled_samples", part.unlabelled_samples},
                   {"labels", part.labels}};
  json["words"] = part.words;
  json["unknown_words"] = summary.vocabulary > 0 ? OrderedJson(part.unknown_words) : OrderedJson();
  return json;
}

OrderedJson summary_json(const DataSummary& summary) {
  OrderedJson odd = OrderedJson::array();
  for (const Oddity& oddity : summary.oddities)
    odd.push_back({{"name", oddity.name}, {"count", oddity.count}, {"text", oddity.text}});
  OrderedJson json{{"train", to_json(summary.train, summary)}};
  json["dev"] = summary.dev ? to_json(*summary.dev, summary) : OrderedJson();
  json["classes"] = summary.classes;
  json["vocabulary"] = summary.vocabulary > 0 ? OrderedJson(summary.vocabulary) : OrderedJson();
  json["oddities"] = odd;
  return json;
}

}  // namespace

namespace inspect {

std::string to_text(const Dataset& data) { return cavs::to_text(summarise(data)); }
std::string to_json(const Dataset& data) { return summary_json(summarise(data)).dump(); }
std::vector<std::string> names_of_classes(const Dataset& data) { return cavs::names_of_classes(data); }

VertexNotes notes_of(const GraphSet& graphs, std::int32_t sample, const Vocabulary& words, const Tree* tree) {
  check_sample(graphs, sample);
  VertexNotes notes{
      .words = vertex_words(graphs, sample, tree, words), .predictions = {}, .labels = vertex_labels(graphs, sample)};
  notes.predictions.assign(notes.labels.size(), -1);
  return notes;
}
std::string to_text(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes) {
  check_notes(graphs, sample, notes);
  return draw_tree(graphs, sample, notes);
}

std::vector<std::string> unused_ports(const Model& model, const GraphSet& graphs) {
  return cavs::unused_ports(model, graphs);
}

}  // namespace inspect
}  // namespace cavs::inline v0_1
