#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>

#include "execute/engine.h"

namespace cavs::inline v0_1 {

/// Returns the address of row 0 of a type's operand, in a run that follows its plan. The caller reads only `rows`.
using BaseOf = std::function<const float*(std::int32_t type, const Operand& operand, Slice rows)>;

/// Calls f(k, address of row 0 of the operand, output, row) for each k for which the type of the k-th listed vertex has
/// the output. The row is numbered within the type.
/// @param base  a BaseOf, or a like function for outputs that are written
template <typename Base, typename F>
void each_row(const Program& program, const PreparedBatch& batch, std::vector<Output> TypeProgram::*outputs,
              const std::string& port, std::span<const std::int32_t> vertices, const Base& base, F f) {
  struct Rows {
    const Output* output;
    decltype(base(0, Operand(), Slice())) first = nullptr;
    std::int32_t begin = INT32_MAX, end = 0;
  };
  std::vector<Rows> of_type;
  for (const TypeProgram& type : program.types) of_type.push_back({find_output(type.*outputs, port)});
  const auto row_of = [&](std::int32_t v, std::int32_t t) { return batch.schedule.row[v] - batch.plan.type_begin[t]; };
  for (const std::int32_t v : vertices) {
    const std::int32_t t = batch.minibatch.types[v], row = row_of(v, t);
    of_type[t].begin = std::min(of_type[t].begin, row);
    of_type[t].end = std::max(of_type[t].end, row + 1);
  }
  for (std::int32_t t = 0; t < std::ssize(of_type); ++t)
    if (Rows& rows = of_type[t]; rows.output != nullptr && rows.begin < rows.end)
      rows.first = base(t, rows.output->operand, Slice{rows.begin, rows.end - rows.begin});
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    const std::int32_t v = vertices[k], t = batch.minibatch.types[v];
    if (of_type[t].output != nullptr) f(k, of_type[t].first, *of_type[t].output, std::int64_t{row_of(v, t)});
  }
}

/// Implements EngineRun::rows.
void find_rows(const Program& program, const PreparedBatch& batch, PortKind kind, const std::string& port,
               std::span<const std::int32_t> vertices, const BaseOf& base, std::span<const float*> rows);

/// Returns the sum of all losses, added in the order of vertices, so that it does not depend on the policy.
double sum_losses(const Program& program, const PreparedBatch& batch, const BaseOf& base);

/// Implements EngineRun::find_not_finite. @param ran_backward  true if ∂F has run
std::string find_not_finite(const Program& program, const PreparedBatch& batch, const BaseOf& base, bool ran_backward);

}  // namespace cavs::inline v0_1
