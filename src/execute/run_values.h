#pragma once

#include <functional>
#include <span>
#include <string>

#include "execute/engine.h"

namespace cavs {

/// Where row 0 of a type's operand would be in a run whose values lie as its plan says.
using BaseOf = std::function<const float*(std::int32_t type, const Operand& operand)>;

/// Calls f(vertex, base of the type's rows, output, row) for the vertices of all types that have the output.
/// @param base  a BaseOf, or one of rows that are written
template <typename Base, typename F>
void each_row(const Program& program, const PreparedBatch& batch, std::vector<Output> TypeProgram::*outputs,
              const std::string& port, const Base& base, F f) {
  std::vector<const Output*> output_of;
  std::vector<decltype(base(0, Operand()))> base_of;
  for (const TypeProgram& type : program.types) {
    const auto t = static_cast<std::int32_t>(output_of.size());
    output_of.push_back(batch.minibatch.type_count[t] == 0 ? nullptr : find_output(type.*outputs, port));
    base_of.push_back(output_of[t] == nullptr ? nullptr : base(t, output_of[t]->operand));
  }
  for (std::int32_t v = 0; v < batch.minibatch.vertices(); ++v) {
    const std::int32_t t = batch.minibatch.types[v];
    if (output_of[t] == nullptr) continue;
    f(v, base_of[t], *output_of[t], std::int64_t{batch.schedule.row[v]} - batch.plan.type_begin[t]);
  }
}

/// EngineRun::rows.
void find_rows(const Program& program, const PreparedBatch& batch, PortKind kind, const std::string& port,
               const BaseOf& base, std::span<const float*> rows);

/// The sum of all losses, by vertex, so that it does not depend on the policy.
double sum_losses(const Program& program, const PreparedBatch& batch, const BaseOf& base);

/// EngineRun::find_not_finite. @param went_back  ∂F has run as well
std::string find_not_finite(const Program& program, const PreparedBatch& batch, const BaseOf& base, bool went_back);

}  // namespace cavs
