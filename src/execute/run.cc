#include <algorithm>

#include "execute/run_state.h"
#include "execute/session_impl.h"
#include "support/check.h"
#include "support/suggest.h"
#include "tensor/check_parameters.h"

namespace cavs::inline v0_1 {

Run& Run::operator=(Run&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Run::~Run() {
  if (state_ == nullptr) return;
  state_->run->release();
  state_->graphs.reset();
  state_->open = false;
}

namespace {

/// Returns the state of a run. @throws UserError for a run that was moved from.
Run::State& checked(const std::shared_ptr<Run::State>& state) {
  user_check(state != nullptr, "the run was moved elsewhere, so it has no values; use the run that it was moved to");
  return *state;
}

}  // namespace

double Run::loss() const {
  const State& s = checked(state_);
  return s.loss_sum / s.loss_divisor;
}
std::int64_t Run::labels() const { return checked(state_).batch.minibatch.labels; }
double Run::mean_loss() const {
  const State& s = checked(state_);
  return s.batch.minibatch.labels == 0 ? 0 : s.loss_sum / static_cast<double>(s.batch.minibatch.labels);
}
const RunStatistics& Run::statistics() const { return checked(state_).statistics; }
std::span<const std::int32_t> Run::sample_begin() const& { return checked(state_).batch.minibatch.vertex_begin; }

std::vector<std::int32_t> Run::index(const std::string& port) const {
  const Minibatch& m = checked(state_).batch.minibatch;
  const std::vector<std::string>& ports = m.bound->graphs().schema().index_ports;
  user_check(std::ranges::find(ports, port) != ports.end(), "the data have no integers '{}'; {}", port,
             suggest(port, {ports.begin(), ports.end()}));
  const auto& values = m.bound->index_port(port);
  std::vector<std::int32_t> out;
  out.reserve(m.vertices());
  for (std::int32_t k = 0; k < static_cast<std::int32_t>(m.samples.size()); ++k) {
    const auto first = values.begin() + m.source_begin(k);
    out.insert(out.end(), first, first + (m.vertex_begin[k + 1] - m.vertex_begin[k]));
  }
  return out;
}

namespace {

using Outputs = std::vector<Output> TypeProgram::*;

int width_of(const Program& program, Outputs outputs, const std::string& port, const char* what) {
  std::vector<std::string_view> known;
  for (const TypeProgram& type : program.types) {
    if (const Output* output = find_output(type.*outputs, port)) return output->operand.width;
    for (const Output& output : type.*outputs) known.push_back(output.port);
  }
  user_error("no vertex function {} '{}'; {}", what, port, suggest(port, known));
}

}  // namespace

int Run::width(const std::string& port) const {
  return width_of(*checked(state_).session->program, &TypeProgram::pushes, port, "pushes");
}

int Run::state_width(const std::string& name) const {
  return width_of(*checked(state_).session->program, &TypeProgram::scatters, name, "scatters a gathered state");
}

namespace {

/// Returns the address of each vertex's row, or nullptr if the vertex' type does not have the port.
std::vector<const float*> rows_of(Run::State& s, PortKind kind, const std::string& port,
                                  std::span<const std::int32_t> vertices) {
  std::vector<const float*> rows(vertices.size());
  s.run->rows(s.batch, kind, port, vertices, rows);
  return rows;
}

/// Copies rows of a port into `values`, one after the other; vertices without a row get zeros.
void copy_rows(Run::State& s, PortKind kind, const std::string& port, std::size_t width, std::span<float> values) {
  const auto vertices = static_cast<std::size_t>(s.batch.minibatch.vertices());
  user_check(values.size() == vertices * width, "the memory for '{}' has {} numbers; expected {} for {} vertices of {}",
             port, values.size(), vertices * width, vertices, width);
  const std::vector<const float*> rows = rows_of(s, kind, port, s.batch.minibatch.all_vertices());
  for (std::size_t v = 0; v < vertices; ++v)
    if (float* const to = values.data() + v * width; rows[v] != nullptr)
      std::copy_n(rows[v], width, to);
    else
      std::fill_n(to, width, 0.0F);
}

std::vector<float> copied_rows(Run::State& s, PortKind kind, const std::string& port, int width) {
  std::vector<float> values(static_cast<std::size_t>(s.batch.minibatch.vertices()) * width);
  copy_rows(s, kind, port, width, values);
  return values;
}

}  // namespace

std::vector<const float*> Run::rows(const std::string& port) const& {
  State& s = checked(state_);
  width(port);
  return rows_of(s, PortKind::kPush, port, s.batch.minibatch.all_vertices());
}

std::vector<const float*> Run::rows(const std::string& port, std::span<const std::int32_t> vertices) const& {
  State& s = checked(state_);
  width(port);
  const std::int32_t count = s.batch.minibatch.vertices();
  for (const std::int32_t v : vertices)
    user_check(v >= 0 && v < count, "no vertex {}; the run has {} vertices, numbered from 0", v, count);
  return rows_of(s, PortKind::kPush, port, vertices);
}

std::vector<float> Run::output(const std::string& port) const {
  return copied_rows(checked(state_), PortKind::kPush, port, width(port));
}

void Run::output(const std::string& port, std::span<float> values) const {
  copy_rows(checked(state_), PortKind::kPush, port, width(port), values);
}

std::vector<float> Run::state(const std::string& name) const {
  return copied_rows(checked(state_), PortKind::kState, name, state_width(name));
}

void Run::state(const std::string& name, std::span<float> values) const {
  copy_rows(checked(state_), PortKind::kState, name, state_width(name), values);
}

namespace {

int pull_gradient_width(const Run::State& s, const std::string& port) {
  const int w = width_of(*s.session->program, &TypeProgram::pull_gradients, port, "computes the gradient of pull");
  user_check(s.ran_backward, "the gradient of pull '{}' does not exist yet; call backward first", port);
  return w;
}

}  // namespace

std::vector<float> Run::pull_gradient(const std::string& port) const {
  State& s = checked(state_);
  return copied_rows(s, PortKind::kPullGradient, port, pull_gradient_width(s, port));
}

void Run::pull_gradient(const std::string& port, std::span<float> values) const {
  State& s = checked(state_);
  copy_rows(s, PortKind::kPullGradient, port, pull_gradient_width(s, port), values);
}

void Run::backward(Gradients& gradients, std::span<const PushGradient> pushes, bool defer_weights) {
  State& s = checked(state_);
  const Program& program = *s.session->program;
  user_check(program.options.training, "the program was compiled for inference; compile with training = true");
  check_gradients(gradients, s.session->parameter_list, "the gradients given to backward");
  for (const PushGradient& push : pushes) {
    const auto expected = static_cast<std::size_t>(s.batch.minibatch.vertices()) *
                          width_of(program, &TypeProgram::push_gradients, push.port, "uses the gradient of push");
    user_check(push.values.size() == expected, "gradient of push '{}' has {} numbers, expected {} [vertices, width]",
               push.port, push.values.size(), expected);
  }
  const auto start = std::chrono::steady_clock::now();
  s.run->backward(s.batch, gradients, pushes, defer_weights);
  s.ran_backward = true;
  s.session->account(s, milliseconds_since(start));
}

std::string Run::find_not_finite() const {
  const State& s = checked(state_);
  return s.run->find_not_finite(s.batch);
}

}  // namespace cavs::inline v0_1
