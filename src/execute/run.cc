#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "execute/run_state.h"
#include "execute/session_impl.h"
#include "support/check.h"
#include "support/suggest.h"
#include "tensor/check_parameters.h"

namespace cavs {

Run::Run(Run&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}

Run& Run::operator=(Run&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Run::~Run() {
  if (state_ == nullptr) return;
  state_->reference.reset(), state_->reference_outputs.clear();
  state_->open = false;
}

namespace {

/// @throws UserError for a run that has none any more.
Run::State& checked(Run::State* state) {
  user_check(state != nullptr, "the run was moved elsewhere, so it has no values; ask the one that it was moved to");
  return *state;
}

}  // namespace

double Run::loss() const {
  const State& s = checked(state_);
  return s.loss_sum / static_cast<double>(s.minibatch.samples.size());
}
std::int64_t Run::labels() const { return checked(state_).labels; }
double Run::mean_loss() const {
  const State& s = checked(state_);
  return s.labels == 0 ? 0 : s.loss_sum / static_cast<double>(s.labels);
}
const RunStatistics& Run::statistics() const { return checked(state_).statistics; }
std::span<const std::int32_t> Run::sample_begin() const& { return checked(state_).minibatch.vertex_begin; }

std::vector<std::int32_t> Run::index(const std::string& port) const {
  const Minibatch& m = checked(state_).minibatch;
  const std::vector<std::string>& ports = m.bound->graphs().schema().index_ports;
  user_check(std::ranges::find(ports, port) != ports.end(), "the data have no integers '{}'; {}", port,
             suggest(port, {ports.begin(), ports.end()}));
  const auto& values = m.bound->index_port(port);
  std::vector<std::int32_t> out(m.vertices());
  for (std::int32_t k = 0; k + 1 < static_cast<std::int32_t>(m.vertex_begin.size()); ++k)
    for (std::int32_t v = m.vertex_begin[k]; v < m.vertex_begin[k + 1]; ++v) out[v] = values[m.source(k, v)];
  return out;
}

namespace {

using Outputs = std::vector<Output> TypeProgram::*;

const Output* find_output(const TypeProgram& type, Outputs outputs, const std::string& port) {
  for (const Output& output : type.*outputs)
    if (output.port == port) return &output;
  return nullptr;
}

int width_of(const Program& program, Outputs outputs, const std::string& port, const char* what) {
  std::vector<std::string_view> known;
  for (const TypeProgram& type : program.types) {
    if (const Output* output = find_output(type, outputs, port)) return output->operand.width;
    for (const Output& output : type.*outputs) known.push_back(output.port);
  }
  user_error("no vertex function {} '{}'; {}", what, port, suggest(port, known));
}

}  // namespace

int Run::width(const std::string& port) const {
  return width_of(*checked(state_).session->program, &TypeProgram::pushes, port, "pushes");
}

namespace {

/// Calls copy(vertex, base of the type's rows, output, row) for the vertices of all types that have the output.
template <typename Copy>
void each_row(const Run::State& s, Outputs outputs, const std::string& port, Copy copy) {
  const auto& types = s.session->program->types;
  std::vector<const Output*> output_of;
  std::vector<const float*> base_of;
  for (const TypeProgram& type : types) {
    const auto t = static_cast<std::int32_t>(output_of.size());
    output_of.push_back(s.minibatch.type_count[t] == 0 ? nullptr : find_output(type, outputs, port));
    const bool in_memory = output_of[t] != nullptr && !s.reference;
    base_of.push_back(in_memory ? s.session->executor.base(s.execution, t, output_of[t]->operand) : nullptr);
  }
  for (std::int32_t v = 0; v < s.minibatch.vertices(); ++v) {
    const std::int32_t t = s.minibatch.types[v];
    if (output_of[t] == nullptr) continue;
    copy(v, base_of[t], *output_of[t], std::int64_t{s.schedule.row[v]} - s.execution.plan.type_begin[t]);
  }
}

}  // namespace

std::vector<const float*> Run::rows(const std::string& port) const& {
  State& s = checked(state_);
  const int w = width(port);
  std::vector<const float*> rows(s.minibatch.vertices(), nullptr);
  std::vector<float>* copies = nullptr;
  if (s.reference) {
    copies = &s.reference_outputs[port];
    copies->assign(rows.size() * w, 0);
    s.reference->output(port, *copies);
  }
  each_row(s, &TypeProgram::pushes, port,
           [&](std::int32_t v, const float* base, const Output& output, std::int64_t row) {
             rows[v] = copies != nullptr ? copies->data() + std::int64_t{v} * w : base + row * output.operand.stride;
           });
  return rows;
}

std::vector<float> Run::output(const std::string& port) const {
  const int w = width(port);
  const std::vector<const float*> from = rows(port);
  std::vector<float> values(from.size() * w);
  for (std::size_t v = 0; v < from.size(); ++v)
    if (from[v] != nullptr) std::copy_n(from[v], w, values.data() + v * w);
  return values;
}

std::vector<float> Run::pull_gradient(const std::string& port) const {
  const State& s = checked(state_);
  const int w = width_of(*s.session->program, &TypeProgram::pull_gradients, port, "gives the gradient of pull");
  user_check(s.execution.went_back, "the gradient of pull '{}' is asked for before it is there; call backward first",
             port);
  std::vector<float> values(static_cast<std::size_t>(s.minibatch.vertices()) * w);
  if (s.reference) {
    s.reference->pull_gradient(port, values);
    return values;
  }
  each_row(s, &TypeProgram::pull_gradients, port,
           [&](std::int32_t v, const float* base, const Output& output, std::int64_t row) {
             std::copy_n(base + row * output.operand.stride, w, values.data() + std::int64_t{v} * w);
           });
  return values;
}

void Run::backward(Gradients& gradients, std::span<const PushGradient> pushes, bool defer_weights) {
  State& s = checked(state_);
  const Program& program = *s.session->program;
  user_check(program.options.training, "the program was compiled for inference; compile with training = true");
  check_gradients(gradients, s.session->parameter_list, "the gradients given to backward");
  for (const PushGradient& push : pushes) {
    const auto expected = static_cast<std::size_t>(s.minibatch.vertices()) *
                          width_of(program, &TypeProgram::push_gradients, push.port, "takes the gradient of push");
    user_check(push.values.size() == expected, "gradient of push '{}' has {} numbers, expected {} [vertices, width]",
               push.port, push.values.size(), expected);
  }
  if (s.reference) {
    gradients.deferred.assign(gradients.values.size(), 0), gradients.deferred_by = 0;
    s.reference->backward(gradients, pushes);
    s.execution.went_back = true;
    return;
  }
  const auto start = std::chrono::steady_clock::now();
  for (const TypeProgram& type : program.types)
    for (const Output& output : type.push_gradients) {
      const auto given = std::find_if(pushes.begin(), pushes.end(),
                                      [&](const PushGradient& push) { return push.port == output.port; });
      each_row(s, &TypeProgram::push_gradients, output.port,
               [&](std::int32_t v, const float* base, const Output& o, std::int64_t row) {
                 float* const to = const_cast<float*>(base) + row * o.operand.stride;
                 const std::int64_t w = o.operand.width;
                 if (given == pushes.end())
                   std::fill_n(to, w, 0.0F);
                 else
                   std::copy_n(given->values.data() + v * w, w, to);
               });
    }
  s.session->executor.backward(s.execution, gradients, defer_weights);
  s.session->account(s, start);
}

namespace {

/// The first number that is not finite in rows [begin, end) of an operand: row and value.
std::optional<std::pair<std::int32_t, float>> first_not_finite(const float* base, const Operand& o, std::int32_t begin,
                                                               std::int32_t end) {
  for (std::int32_t r = begin; r < end; ++r)
    for (std::int32_t c = 0; c < o.width; ++c)
      if (const float x = base[std::int64_t{r} * o.stride + c]; !std::isfinite(x)) return std::pair{r, x};
  return {};
}

bool is_kept(const TypeProgram& type, const Plan& plan, const Operand& o) {
  if (o.kind != StorageKind::kTensor) return o.kind == StorageKind::kState;
  return type.tensors[o.id].persistent && !plan.is_view(type.tensors[o.id]);
}

/// The (first) vertex of the minibatch that has a row of a domain.
std::int32_t vertex_of(const Run::State& s, std::int32_t type, DomainId domain, std::int32_t row) {
  const std::int32_t* vertex = s.schedule.vertex.data() + s.schedule.type_begin[type];
  if (domain == kVertexRows) return vertex[row];
  const Domain& partial = s.session->program->types[type].partial_domains[domain - kPartialRows];
  const auto& values = s.minibatch.bound->index_port(partial.port);
  std::set<std::int32_t> seen;
  for (;; ++vertex) {
    const std::int32_t number = values[s.minibatch.source(s.minibatch.position_of(*vertex), *vertex)];
    const bool has_row = number >= 0 && (partial.kind != DomainKind::kDistinct || seen.insert(number).second);
    if (has_row && row-- == 0) return *vertex;
  }
}

}  // namespace

std::string Run::find_not_finite() const {
  const State& s = checked(state_);
  if (s.reference) return "";
  const Program& program = *s.session->program;
  const Plan& plan = s.execution.plan;
  std::string found;
  for (const Step& step : plan.steps) {
    if (step.backward && !s.execution.went_back) continue;
    const TypeProgram& type = program.types[step.type];
    each_instruction(type.at(step.backward, step.stage), [&](const Instruction& i) {
      for (std::size_t o = 0; o < i.out.size() && found.empty(); ++o) {
        const Operand& out = i.out[o];
        if (!is_kept(type, plan, out) || out.domain == kParameterRows || out.domain == kEdgeRows) continue;
        const std::int32_t* range = plan.rows.data() + step.ranges.begin + 2 * out.domain;
        const float* base = s.session->executor.base(s.execution, step.type, out);
        const auto bad = first_not_finite(base, out, range[0], range[1]);
        if (!bad) continue;
        const std::int32_t v = vertex_of(s, step.type, out.domain, bad->first), k = s.minibatch.position_of(v);
        found = fmt::format("value {} of vertex function '{}' is {} at vertex {} of sample {}",
                            describe(type.function, i.values[o]), type.function.name, bad->second,
                            v - s.minibatch.vertex_begin[k], s.minibatch.samples[k]);
      }
    });
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace cavs
