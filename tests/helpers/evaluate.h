#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cavs/policy.h"
#include "cavs/session.h"
#include "compile/program.h"
#include "helpers/compare.h"
#include "helpers/graphs.h"
#include "schedule/policy.h"

namespace cavs {

/// Results of one minibatch.
struct Result {
  double loss = 0;
  std::int64_t labels = 0;
  std::map<std::string, std::vector<float>> outputs;  // by push port: rows of all vertices
  Gradients gradients;
};

/// Returns the names of the push ports of a program.
inline std::vector<std::string> push_ports(const Program& program) {
  std::map<std::string, int> ports;
  for (const TypeProgram& type : program.types)
    for (const Output& output : type.pushes) ports[output.port] = 1;
  std::vector<std::string> names;
  for (const auto& [name, one] : ports) names.push_back(name);
  return names;
}

/// Returns the number of nodes in ∂F (the backward program) that recompute values of F (the forward program).
inline int computed_again(const Program& program) {
  int count = 0;
  for (const TypeProgram& type : program.types)
    for (const Node& node : type.function.nodes) count += node.recomputed >= 0 ? 1 : 0;
  return count;
}

inline Result result_of(Run& run, const Program& program, const Parameters& parameters) {
  Result result{run.loss(), run.labels(), {}, Gradients(parameters)};
  for (const std::string& port : push_ports(program)) result.outputs[port] = run.output(port);
  if (program.options.training) run.backward(result.gradients);
  return result;
}

/// A model with parameters and data, which tests run with different options.
struct Bench {
  std::shared_ptr<const Program> program;
  std::shared_ptr<Parameters> parameters;
  std::shared_ptr<const BoundGraphs> bound;

  Bench(const Model& model, const GraphSet& graphs, const CompileOptions& options = {})
      : Bench(compile(model, options), model, graphs) {}
  Bench(std::shared_ptr<const Program> of, const Model& model, const GraphSet& graphs)
      : program(std::move(of)), parameters(model.make_parameters()), bound(bind_graphs(program, graphs)) {}

  Result run(std::span<const std::int32_t> samples, const SessionOptions& options = {}, std::uint32_t epoch = 0) const {
    Session session(program, parameters, options);
    Run run = session.forward(*bound, samples, epoch);
    return result_of(run, *program, *parameters);
  }
};

/// Returns options with each scheduling policy. Policy `fsm` is learned on the data.
inline std::vector<SessionOptions> every_policy(const Bench& bench) {
  std::vector<SessionOptions> all;
  for (const PolicyDef& policy : all_policies())
    all.push_back({.policy = std::string(policy.name),
                   .learned = policy.make != nullptr
                                  ? nullptr
                                  : std::make_shared<LearnedPolicy>(
                                        learn_policy("of the test", *bench.bound, {.samples = 8, .trials = 40}))});
  return all;
}

/// Checks that loss, outputs and gradients agree with a reference as law 1 requires (see expect_close).
inline void expect_same_numbers(const Result& found, const Result& reference, const Parameters& parameters,
                                const std::string& what, double rounding = 0) {
  EXPECT_NEAR(found.loss, reference.loss, 1e-5 * std::abs(reference.loss)) << what;
  EXPECT_EQ(found.labels, reference.labels) << what;
  for (const auto& [port, values] : reference.outputs)
    expect_close(found.outputs.at(port), values, what + ", push '" + port + "'", rounding);
  for (std::size_t p = 0; p < reference.gradients.size(); ++p)
    expect_close(found.gradients.values(p), reference.gradients.values(p),
                 what + ", gradient of '" + parameters.info(static_cast<int>(p)).name + "'", rounding);
}

inline void expect_same_gradient_bits(const Gradients& found, const Gradients& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t p = 0; p < expected.size(); ++p)
    expect_same_bits(found.values(p), expected.values(p), what + ", gradient " + std::to_string(p));
}

inline void expect_same_result_bits(const Result& found, const Result& expected, const std::string& what) {
  EXPECT_EQ(found.loss, expected.loss) << what;
  for (const auto& [port, values] : expected.outputs)
    expect_same_bits(found.outputs.at(port), values, what + ", push '" + port + "'");
  expect_same_gradient_bits(found.gradients, expected.gradients, what);
}

}  // namespace cavs
