#include "decode/growing_graphs.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "declare/function.h"
#include "graphs/minibatch.h"
#include "ops/op.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs {
namespace {

constexpr const char* kGiven = "given";  // type of the vertices that stand for evaluated ones
constexpr std::int32_t kGivenType = 0, kNewType = 1;

// Of a piece: numbers in its outputs, for a step of many hypotheses over a large vocabulary would need gigabytes; but
// not fewer rows than products run well with.
constexpr std::int32_t kMostNumbers = 1 << 20, kLeastRows = 32;

std::string port_of(const std::string& state) { return "state:" + state; }

/// The function that grows. @throws UserError if there is none, or it does not push the output.
const Function& function_of(const Model& model, const Growth& growth) {
  const std::vector<std::string> types = model.types();
  const auto at = std::ranges::find(types, growth.type);
  user_check(at != types.end(), "the model has no vertex function '{}', which is to grow; {}", growth.type,
             suggest(growth.type, types));
  const Function& f = model.functions()[at - types.begin()];
  user_check(
      std::ranges::any_of(
          f.nodes, [&](const Node& node) { return node.op->name == "push" && node.attributes.name == growth.output; }),
      "vertex function '{}' does not push '{}', which the next vertex depends on; push it", f.name, growth.output);
  return f;
}

std::int32_t width_of(const Function& f, const std::string& output) {
  for (const Node& node : f.nodes)
    if (node.op->name == "push" && node.attributes.name == output) return static_cast<std::int32_t>(node.shape.size());
  return 0;
}

/// What vertices of a function gather. @throws UserError if that is nothing.
std::vector<GivenState> gathered_states(const Function& f) {
  std::vector<GivenState> states;
  for (const Node& node : f.nodes)
    if (is_gather(node) && std::ranges::find(states, node.attributes.name, &GivenState::name) == states.end())
      states.push_back({node.attributes.name, node.shape});
  user_check(
      !states.empty(),
      "vertex function '{}' gathers no state, so nothing reaches it from the vertices before; expected gather or "
      "children",
      f.name);
  return states;
}

/// The model with a push of each of these states that a function scatters.
Model with_pushed_states(Model model, const std::vector<GivenState>& states) {
  for (const std::string& type : model.types()) {
    const Function& f = *std::ranges::find(model.functions(), type, &Function::name);
    std::vector<std::string> scattered;
    for (const Node& node : f.nodes)
      if (node.op->name == "scatter" &&
          std::ranges::find(states, node.attributes.name, &GivenState::name) != states.end())
        scattered.push_back(node.attributes.name);
    model.extend(type, [&](Vertex& v) {
      for (const std::string& state : scattered) v.push(port_of(state), v.scattered(state));
    });
  }
  return model;
}

/// And with one more type of vertex, whose states are given from outside.
Model with_given_vertices(Model model, const std::vector<GivenState>& states) {
  model.vertex_function(kGiven, [&](Vertex& v) {
    for (const GivenState& state : states) {
      const Value x = v.pull(port_of(state.name), state.width());
      v.scatter(state.name, state.shape.dims.size() == 1 ? x : reshape(x, state.shape));
    }
  });
  return model;
}

CompileOptions for_pushes(const std::vector<GivenState>& states, std::vector<std::string> ports = {}) {
  for (const GivenState& state : states) ports.push_back(port_of(state.name));
  return {.training = false, .loss = false, .pushes = std::move(ports)};
}

/// New vertices above given ones are two levels: no policy can do better, and none was learned for such graphs.
SessionOptions by_levels(SessionOptions options) {
  options.policy = "frontier", options.learned = nullptr;
  return options;
}

std::vector<std::int32_t> all_of(const GraphSet& graphs) {
  std::vector<std::int32_t> samples(graphs.size());
  std::iota(samples.begin(), samples.end(), 0);
  return samples;
}

}  // namespace

void NewVertices::add(std::int32_t reads, std::span<const std::int32_t> its_children) {
  read.push_back(reads);
  children.insert(children.end(), its_children.begin(), its_children.end());
  child_offsets.push_back(static_cast<std::int32_t>(children.size()));
}

void NewVertices::clear() { read.clear(), children.clear(), child_offsets.assign(1, 0); }

GrowingGraphs::GrowingGraphs(const Model& model, std::shared_ptr<Parameters> parameters, Growth growth,
                             const SessionOptions& options)
    : growth_(std::move(growth)),
      pool_(gathered_states(function_of(model, growth_))),
      reader_(compile(with_pushed_states(model, pool_.states()), for_pushes(pool_.states()))),
      stepper_(compile(with_given_vertices(with_pushed_states(model, pool_.states()), pool_.states()),
                       for_pushes(pool_.states(), {growth_.output}))),
      reading_(reader_, parameters, options),
      stepping_(stepper_, std::move(parameters), by_levels(options)),
      schema_{.types = {kGiven, growth_.type}, .index_ports = {growth_.index_port}, .float_ports = {}},
      width_(width_of(function_of(model, growth_), growth_.output)),
      most_(std::max(kLeastRows, kMostNumbers / width_)) {
  for (const GivenState& state : pool_.states()) schema_.float_ports.push_back({port_of(state.name), state.width()});
}

/// Takes a slot for each of `count` vertices of a run and copies their states there.
template <typename VertexOf>
std::vector<std::int32_t> GrowingGraphs::keep(const Run& run, std::int64_t count, VertexOf vertex_of) {
  std::vector<std::int32_t> slots(static_cast<std::size_t>(count));
  for (std::int32_t& slot : slots) slot = pool_.take();
  for (std::size_t state = 0; state < pool_.states().size(); ++state) {
    const std::vector<const float*> rows = run.rows(port_of(pool_.states()[state].name));
    for (std::int64_t k = 0; k < count; ++k) {
      const std::span<float> to = pool_.at(slots[k], state);
      const float* const from = rows[vertex_of(k)];
      if (from == nullptr)  // its type does not have this state
        std::ranges::fill(to, 0.0F);
      else
        std::copy_n(from, to.size(), to.begin());
    }
  }
  return slots;
}

std::vector<std::int32_t> GrowingGraphs::evaluate(const GraphSet& graphs, std::span<const std::int64_t> kept) {
  const auto bound = bind_graphs(reader_, graphs);
  const Run run = reading_.forward(*bound, all_of(graphs));
  return keep(run, std::ssize(kept), [&](std::int64_t k) { return kept[k]; });
}

/// Gives the distinct children their numbers in the piece.
void GrowingGraphs::number_children(const Piece& piece) {
  for (const std::int32_t slot : given_) number_of_[slot] = -1;
  given_.clear();
  number_of_.resize(static_cast<std::size_t>(pool_.slots()), -1);
  for (const std::int32_t slot : piece.children()) {
    if (slot < 0 || number_of_[slot] >= 0) continue;
    number_of_[slot] = static_cast<std::int32_t>(given_.size());
    given_.push_back(slot);
  }
}

InputGraph GrowingGraphs::graph_of(const Piece& piece) {
  number_children(piece);
  const NewVertices& vertices = piece.vertices;
  const std::size_t count = given_.size() + static_cast<std::size_t>(piece.size());
  InputGraph graph;
  graph.types.assign(given_.size(), kGivenType), graph.types.resize(count, kNewType);
  graph.child_offsets.assign(given_.size(), 0);
  for (std::int32_t k = piece.begin; k <= piece.end; ++k)
    graph.child_offsets.push_back(vertices.child_offsets[k] - vertices.child_offsets[piece.begin]);
  for (const std::int32_t slot : piece.children()) graph.children.push_back(slot < 0 ? -1 : number_of_[slot]);
  auto& read = graph.index_pulls.emplace_back(given_.size(), -1);
  read.insert(read.end(), vertices.read.begin() + piece.begin, vertices.read.begin() + piece.end);
  std::vector<std::uint8_t> present(given_.size(), 1);
  present.resize(count, 0);
  for (std::size_t state = 0; state < pool_.states().size(); ++state) {
    const std::size_t width = pool_.states()[state].shape.size();
    auto& pull = graph.float_pulls.emplace_back(count * width);
    for (std::size_t k = 0; k < given_.size(); ++k)
      std::ranges::copy(pool_.at(given_[k], state), pull.begin() + static_cast<std::ptrdiff_t>(k * width));
    graph.float_present.push_back(present);
  }
  return graph;
}

std::vector<std::int32_t> GrowingGraphs::evaluate_piece(const Piece& piece, const ReadRow& read) {
  GraphSet graphs(schema_);
  graphs.add(graph_of(piece), "step of a growing graph");
  const auto bound = bind_graphs(stepper_, graphs);
  const Run run = stepping_.forward(*bound, all_of(graphs));
  const std::vector<const float*> rows = run.rows(growth_.output);
  const auto first = std::ssize(given_);
  stepping_.parallel([&](int worker, int workers) {
    for (std::int32_t k = worker; k < piece.size(); k += workers)
      read(piece.begin + k, {rows[first + k], static_cast<std::size_t>(width_)});
  });
  return keep(run, piece.size(), [&](std::int64_t k) { return first + k; });
}

std::vector<std::int32_t> GrowingGraphs::step(const NewVertices& vertices, const ReadRow& read) {
  std::vector<std::int32_t> evaluated;
  for (std::int32_t begin = 0; begin < vertices.size(); begin += most_) {
    const auto more = evaluate_piece({vertices, begin, std::min(vertices.size(), begin + most_)}, read);
    evaluated.insert(evaluated.end(), more.begin(), more.end());
  }
  return evaluated;
}

void GrowingGraphs::retire(std::span<const std::int32_t> vertices) {
  for (const std::int32_t vertex : vertices)
    if (vertex >= 0) pool_.free(vertex);
}

void GrowingGraphs::clear() {
  given_.clear(), number_of_.clear();
  pool_.clear();
}

}  // namespace cavs
