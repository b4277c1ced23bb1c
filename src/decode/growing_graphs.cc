#include "decode/growing_graphs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "backend/cpu/kernels.h"
#include "execute/engines.h"
#include "execute/session_access.h"
#include "graphs/graph_set_editor.h"
#include "ir/function.h"
#include "ir/op.h"
#include "support/check.h"
#include "support/split_range.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

constexpr const char* kKept = "kept";                // type of vertices evaluated in earlier steps
constexpr std::int32_t kKeptType = 0, kNewType = 1;  // types in the schema of a step

// A piece of a step has at most kMaxFloats floats of outputs, because a step of many hypotheses over a large vocabulary
// would need gigabytes. But it has at least kMinRows vertices, so that matrix products are efficient.
constexpr std::int32_t kMaxFloats = 1 << 22, kMinRows = 32;

std::string port_of(const std::string& state) { return "state:" + state; }

/// The vertex function whose vertices grow. @throws UserError if there is none, or if it does not push the output.
const Function& function_of(const Model& model, const Growth& growth) {
  const std::vector<std::string> types = model.types();
  const auto at = std::ranges::find(types, growth.type);
  user_check(at != types.end(), "the model has no vertex function '{}' to grow; {}", growth.type,
             suggest(growth.type, types));
  const Function& f = model.functions()[at - types.begin()];
  user_check(
      std::ranges::any_of(
          f.nodes, [&](const Node& node) { return node.is(OpId::kPush) && node.attribute_name() == growth.output; }),
      "vertex function '{}' does not push '{}', which the next vertex depends on; push it", f.name, growth.output);
  return f;
}

std::int32_t width_of(const Function& f, const std::string& output) {
  for (const Node& node : f.nodes)
    if (node.is(OpId::kPush) && node.attribute_name() == output) return static_cast<std::int32_t>(node.shape.size());
  return 0;
}

/// The states that vertices of the function gather. @throws UserError if they gather none.
std::vector<KeptState> gathered_states(const Function& f) {
  std::vector<KeptState> states;
  for (const Node& node : f.nodes)
    if (is_gather(node) && std::ranges::find(states, node.attribute_name(), &KeptState::name) == states.end())
      states.push_back({node.attribute_name(), node.shape});
  user_check(
      !states.empty(),
      "vertex function '{}' gathers no state, so it does not depend on earlier vertices; expected gather or children",
      f.name);
  return states;
}

/// Returns the model with an additional push of each of the states, in every function that scatters it.
Model with_pushed_states(Model model, const std::vector<KeptState>& states) {
  for (const std::string& type : model.types()) {
    const Function& f = *std::ranges::find(model.functions(), type, &Function::name);
    std::vector<std::string> scattered;
    for (const Node& node : f.nodes)
      if (node.is(OpId::kScatter) && std::ranges::find(states, node.attribute_name(), &KeptState::name) != states.end())
        scattered.push_back(node.attribute_name());
    model.extend(type, [&](Vertex& v) {
      for (const std::string& state : scattered) v.push(port_of(state), v.scattered(state));
    });
  }
  return model;
}

/// Returns the model with an additional vertex type, whose states are inputs: the states kept from earlier steps.
Model with_kept_vertices(Model model, const std::vector<KeptState>& states) {
  model.vertex_function(kKept, [&](Vertex& v) {
    for (const KeptState& state : states) {
      const Value x = v.pull(port_of(state.name), state.width());
      v.scatter(state.name, state.shape.dims.size() == 1 ? x : reshape(x, state.shape));
    }
  });
  return model;
}

CompileOptions for_pushes(const std::vector<KeptState>& states, std::vector<std::string> ports = {}) {
  for (const KeptState& state : states) ports.push_back(port_of(state.name));
  return {.training = false, .loss = false, .pushes = std::move(ports)};
}

/// Returns the options with policy "frontier". No policy does better for a step, in which only new vertices have
/// children.
SessionOptions by_levels(SessionOptions options) {
  options.policy = "frontier";
  options.learned = nullptr;
  return options;
}

std::vector<std::int32_t> all_of(const GraphSet& graphs) {
  std::vector<std::int32_t> samples(graphs.size());
  std::iota(samples.begin(), samples.end(), 0);
  return samples;
}

GraphSchema schema_of_step(const Growth& growth, const std::vector<KeptState>& states) {
  GraphSchema schema{.types = {kKept, growth.type}, .index_ports = {growth.index_port}, .float_ports = {}};
  for (const KeptState& state : states) schema.float_ports.push_back({port_of(state.name), state.width()});
  return schema;
}

/// @throws UserError for an engine that cannot keep states between steps.
const SessionOptions& checked(const SessionOptions& options) {
  const DeviceKind device = options.device.kind;
  const EngineLine& line = find_engine(options.engine, device);
  user_check(line.def->keeps_states,
             "graphs that grow while they are evaluated (continued prompts, translations) need states of earlier "
             "steps, which engine {} on device {} does not support; use engine {}, or device cpu",
             to_string(line.engine), to_string(device), to_string(find_engine({}, device).engine));
  return options;
}

/// Writes the most probable words of a row of logits to `best`; only the forced word if it is not -1.
void rank(std::span<const float> logits, std::int32_t forced_word, std::span<ScoredWord> best) {
  if (forced_word < 0) return cpu::best_words(logits, best);
  std::ranges::fill(best, ScoredWord());
  const float log_probability = cpu::log_softmax_at(logits, forced_word);
  best[0] = {std::isfinite(log_probability) ? forced_word : -1, log_probability};
}

}  // namespace

void NewVertices::add(std::int32_t reads, std::span<const std::int32_t> its_children) {
  read.push_back(reads);
  children.insert(children.end(), its_children.begin(), its_children.end());
  child_offsets.push_back(static_cast<std::int32_t>(children.size()));
}

void NewVertices::clear() {
  read.clear();
  children.clear();
  child_offsets.assign(1, 0);
}

GrowingGraphs::GrowingGraphs(const Model& model, std::shared_ptr<Parameters> parameters, Growth growth,
                             const SessionOptions& options)
    : growth_(std::move(growth)),
      states_(gathered_states(function_of(model, growth_))),
      reader_(compile(with_pushed_states(model, states_), for_pushes(states_))),
      stepper_(compile(with_kept_vertices(with_pushed_states(model, states_), states_),
                       for_pushes(states_, {growth_.output}))),
      reading_(reader_, parameters, checked(options)),
      stepping_(stepper_, std::move(parameters), by_levels(options)),
      pool_(states_, detail::SessionAccess::engine(stepping_).make_state_memory()),
      pulls_states_(options.engine == EngineKind::kReference),
      graphs_(schema_of_step(growth_, states_)),
      width_(width_of(function_of(model, growth_), growth_.output)),
      max_(std::max(kMinRows, kMaxFloats / width_)) {}

GrowingGraphs::GrowingGraphs(const GrowingGraphs& other, const SessionOptions& options)
    : growth_(other.growth_),
      states_(other.states_),
      reader_(other.reader_),
      stepper_(other.stepper_),
      reading_(other.reading_, options),
      stepping_(other.stepping_, by_levels(options)),
      pool_(states_, detail::SessionAccess::engine(stepping_).make_state_memory()),
      pulls_states_(options.engine == EngineKind::kReference),
      graphs_(other.graphs_.schema()),
      width_(other.width_),
      max_(other.max_) {}

/// Takes a slot for each of these vertices of a run, copies their states to the slots, and returns the slots.
std::vector<std::int32_t> GrowingGraphs::keep(const Run& run, std::span<const std::int32_t> vertices) {
  std::vector<std::int32_t> slots(vertices.size());
  for (std::int32_t& slot : slots) slot = pool_.take();
  std::vector<KeptPort> ports;
  for (std::size_t state = 0; state < states_.size(); ++state)
    ports.push_back({port_of(states_[state].name), states_[state].width(), pool_.rows(0, state)});
  const std::vector<char> finite = detail::SessionAccess::keep(run, ports, vertices, slots);
  for (std::size_t k = 0; k < slots.size(); ++k) pool_.set_finite(slots[k], finite[k] != 0);
  return slots;
}

std::vector<std::int32_t> GrowingGraphs::evaluate(const GraphSet& graphs, std::span<const std::int32_t> kept) {
  const auto bound = bind_graphs(reader_, graphs);
  const Run run = reading_.forward(*bound, all_of(graphs));
  return keep(run, kept);
}

/// Sets graphs_ to one sample: new vertices, then a kept vertex per slot. Omits the lists of parents, which only ∂F
/// needs.
void GrowingGraphs::set_graph(const Piece& piece) {
  const NewVertices& vertices = piece.vertices;
  const std::int32_t count = piece.size(), all = count + pool_.slots();
  detail::GraphSetEditor g(graphs_);
  g.vertex_begin().assign({0, all});
  g.types().assign(count, kNewType);
  g.types().resize(all, kKeptType);
  g.levels().assign(count, 1);
  g.levels().resize(all, 0);
  g.child_begin().clear();
  g.children().clear();
  for (std::int32_t k = piece.begin; k <= piece.end; ++k)
    g.child_begin().push_back(vertices.child_offsets[k] - vertices.child_offsets[piece.begin]);
  g.child_begin().resize(all + 1, g.child_begin().back());
  std::int32_t edges = 0;
  for (const std::int32_t slot : piece.children()) {
    user_check(slot < 0 || pool_.is_finite(slot),
               "the state of a vertex that others depend on has infinity or NaN; expected finite numbers: the model's "
               "parameters may be too large, or not finite");
    edges += slot < 0 ? 0 : 1;
    g.children().push_back(slot < 0 ? -1 : count + slot);
  }
  g.parent_begin().assign(all + 1, 0);
  g.parent_begin().back() = edges;
  auto& read = g.index_pulls(0);
  read.assign(vertices.read.begin() + piece.begin, vertices.read.begin() + piece.end);
  read.resize(all, -1);
}

/// Returns the addresses of the states of all vertices in graphs_, one row per vertex. Kept vertices have the last type
/// of the program; all other vertices are new.
KeptStates GrowingGraphs::kept_states(const Piece& piece) {
  const std::int64_t all = piece.size() + pool_.slots();
  KeptStates kept{static_cast<std::int32_t>(stepper_->types.size()) - 1, {}};
  kept.states.resize(stepper_->states.size());
  for (std::size_t k = 0; k < states_.size(); ++k) {
    const auto& [name, shape] = states_[k];
    float* const rows = pool_.rows(piece.size(), k);
    if (pulls_states_) detail::GraphSetEditor(graphs_).float_pulls(k).assign(rows, rows + all * shape.size());
    kept.states[std::ranges::find(stepper_->states, name, &State::name) - stepper_->states.begin()] = rows;
  }
  return kept;
}

/// Evaluates a piece, and returns its evaluated vertices. @param answer  Called with the run, to read outputs.
template <typename Answer>
std::vector<std::int32_t> GrowingGraphs::evaluate_piece(const Piece& piece, const Answer& answer) {
  pool_.reserve(piece.size());
  set_graph(piece);
  if (bound_ == nullptr)
    bound_ = std::make_unique<BoundGraphs>(*stepper_, graphs_);
  else
    bound_->update();
  const Run run = detail::SessionAccess::forward(stepping_, *bound_, all_of(graphs_), kept_states(piece));
  std::vector<std::int32_t> evaluated(static_cast<std::size_t>(piece.size()));
  std::iota(evaluated.begin(), evaluated.end(), 0);
  answer(piece, run, evaluated);
  return keep(run, evaluated);
}

template <typename Answer>
std::vector<std::int32_t> GrowingGraphs::evaluate_all(const NewVertices& vertices, const Answer& answer) {
  std::vector<std::int32_t> evaluated;
  for (std::int32_t begin = 0; begin < vertices.size(); begin += max_) {
    const auto more = evaluate_piece({vertices, begin, std::min(vertices.size(), begin + max_)}, answer);
    evaluated.insert(evaluated.end(), more.begin(), more.end());
  }
  return evaluated;
}

void GrowingGraphs::read_rows(const Piece& piece, const Run& run, std::span<const std::int32_t> evaluated,
                              const ReadRow& read) {
  const std::vector<const float*> rows = run.rows(growth_.output, evaluated);
  detail::SessionAccess::share(stepping_, [&](int worker, int workers) {
    const auto [begin, end] = split_range(0, piece.size(), worker, workers);
    for (std::int32_t k = begin; k < end; ++k) read(piece.begin + k, {rows[k], static_cast<std::size_t>(width_)});
  });
}

std::vector<std::int32_t> GrowingGraphs::step(const NewVertices& vertices, const ReadRow& read) {
  return evaluate_all(vertices, [&](const Piece& piece, const Run& run, std::span<const std::int32_t> evaluated) {
    read_rows(piece, run, evaluated, read);
  });
}

std::vector<std::int32_t> GrowingGraphs::step(const NewVertices& vertices, std::span<const std::int32_t> forced,
                                              std::span<ScoredWord> words) {
  return evaluate_all(vertices, [&](const Piece& piece, const Run& run, std::span<const std::int32_t> evaluated) {
    const std::size_t each = words.size() / static_cast<std::size_t>(vertices.size());
    const auto words_of = [&](std::int32_t begin, std::int32_t end) {
      return words.subspan(static_cast<std::size_t>(begin) * each, static_cast<std::size_t>(end - begin) * each);
    };
    const auto its = forced.subspan(static_cast<std::size_t>(piece.begin), evaluated.size());
    if (detail::SessionAccess::best_words(run, growth_.output, evaluated, its, words_of(piece.begin, piece.end)))
      return;
    read_rows(piece, run, evaluated,
              [&](std::int32_t k, std::span<const float> row) { rank(row, forced[k], words_of(k, k + 1)); });
  });
}

void GrowingGraphs::retire(std::span<const std::int32_t> vertices) {
  for (const std::int32_t vertex : vertices)
    if (vertex >= 0) pool_.free(vertex);
}

void GrowingGraphs::clear() { pool_.clear(); }

}  // namespace cavs::inline v0_1
