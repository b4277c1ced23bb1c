#include <fmt/ranges.h>

#include "cavs/readers.h"
#include "data/input_form.h"
#include "data/jsonl.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns a line with one vertex of the first type and all ports; for lattices, a character between two positions.
std::string example(const SampleOptions& options) {
  if (options.schema == lattice_schema())
    return R"({"types":["position","character","position"],"children":[[],[0],[1]],"pull":{"word":[-1,0,-1]}})";
  std::vector<std::string> pulls;
  for (const std::string& port : options.schema.index_ports)
    if (port != "label") pulls.push_back(fmt::format(R"("{}":[{}])", port, port == "word" ? 0 : -1));
  for (const auto& port : options.schema.float_ports) pulls.push_back(fmt::format(R"("{}":[null])", port.name));
  std::vector<std::string> edges = options.schema.edge_index_ports;
  for (const auto& port : options.schema.edge_float_ports) edges.push_back(port.name);
  for (std::string& port : edges) port = fmt::format(R"("{}":[[]])", port);
  const std::string of_edges = edges.empty() ? "" : fmt::format(R"(,"edges":{{{}}})", fmt::join(edges, ","));
  const std::string type = options.schema.types.empty() ? "vertex" : options.schema.types.front();
  return fmt::format(R"({{"types":["{}"],"children":[[]],"pull":{{{}}}{}}})", type, fmt::join(pulls, ","), of_edges);
}

void read_graph(const InputChunk& chunk, const SampleOptions& options, Samples& samples) {
  const KnownNames known{options.ids_only ? nullptr : &options.words,
                         options.class_names.empty() ? nullptr : &options.class_names, &options.port_words,
                         &options.edge_names};
  add_sample(parse_jsonl_graph(chunk.text, chunk.name, chunk.line, options.schema, known), chunk, samples);
}

}  // namespace

extern const InputForm kJsonlInput{
    .name = "jsonl",
    .doc = "a JSON line",
    .extent = InputForm::Extent::kLine,
    .fits = [](const SampleOptions&) { return true; },
    .begins = [](std::string_view line, const SampleOptions&) { return line.starts_with('{'); },
    .example = example,
    .read = read_graph,
};

}  // namespace cavs::inline v0_1
