#include "execute/run_values.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// Finds the first number that is not finite in rows [begin, end) of an operand. Returns its row and value, or nullopt.
std::optional<std::pair<std::int32_t, float>> first_not_finite(const float* base, const Operand& o, std::int32_t begin,
                                                               std::int32_t end) {
  for (std::int32_t r = begin; r < end; ++r)
    for (std::int32_t c = 0; c < o.width; ++c)
      if (const float x = base[std::int64_t{r} * o.stride + c]; !std::isfinite(x)) return std::pair{r, x};
  return {};
}

bool is_kept(const TypeProgram& type, const Plan& plan, const Operand& o) {
  if (o.kind != StorageKind::kTensor) return o.kind == StorageKind::kState;
  return type.tensors[o.id].spans_tasks && !plan.is_view(type.tensors[o.id]);
}

/// Returns the vertex row of row `row` of a domain, from a list of the plan. Nullopt if no list has the domain.
std::optional<std::int32_t> listed_vertex(const TypeProgram& type, const Plan& plan, std::int32_t number,
                                          DomainId domain, std::int32_t row) {
  const Plan::Type& lists = plan.types[number];
  const bool distinct = type.partial_domains[domain - kPartialRows].kind == DomainKind::kDistinct;
  for (std::size_t i = 0; i < type.indices.size(); ++i) {
    const IndexRequest& request = type.indices[i];
    const Slice list = lists.indices[i];
    const std::int32_t* rows = plan.rows.data() + list.begin;
    if (request.domain != domain || list.count == 0) continue;
    if (request.kind == IndexKind::kVertexPartial)
      if (const auto* const at = std::find(rows, rows + list.count, row); at != rows + list.count)
        return static_cast<std::int32_t>(at - rows);
    if (request.kind == IndexKind::kPartialVertex)
      return rows[distinct ? plan.rows[lists.equal[domain - kPartialRows].begin + row] : row];
  }
  return {};
}

/// Returns the first vertex of the minibatch that has the given row of a domain.
std::int32_t vertex_of(const Program& program, const PreparedBatch& s, std::int32_t type, DomainId domain,
                       std::int32_t row) {
  const std::int32_t* vertex = s.schedule.vertex.data() + s.schedule.type_begin[type];
  if (domain == kVertexRows) return vertex[row];
  if (const auto listed = listed_vertex(program.types[type], s.plan, type, domain, row)) return vertex[*listed];
  const Domain& partial = program.types[type].partial_domains[domain - kPartialRows];
  const auto& values = s.minibatch.bound->index_port(partial.port);
  std::set<std::int32_t> seen;
  for (;; ++vertex) {
    const std::int32_t number = values[s.minibatch.source(s.minibatch.position_of(*vertex), *vertex)];
    const bool has_row = number >= 0 && (partial.kind != DomainKind::kDistinct || seen.insert(number).second);
    if (has_row && row-- == 0) return *vertex;
  }
}

}  // namespace

void find_rows(const Program& program, const PreparedBatch& batch, PortKind kind, const std::string& port,
               std::span<const std::int32_t> vertices, const BaseOf& base, std::span<const float*> rows) {
  const auto outputs = kind == PortKind::kPush    ? &TypeProgram::pushes
                       : kind == PortKind::kState ? &TypeProgram::scatters
                                                  : &TypeProgram::pull_gradients;
  std::ranges::fill(rows, nullptr);
  each_row(program, batch, outputs, port, vertices, base,
           [&](std::size_t k, const float* first, const Output& output, std::int64_t row) {
             rows[k] = first + row * output.operand.stride;
           });
}

double sum_losses(const Program& program, const PreparedBatch& batch, const BaseOf& base) {
  const std::vector<TypeProgram>& types = program.types;
  double sum = 0;
  for (std::size_t t = 0; t < types.size(); ++t)
    for (const Loss& loss : types[t].losses) {
      const float* values =
          base(static_cast<std::int32_t>(t), loss.operand, {0, batch.plan.types[t].row_count(kVertexRows)});
      const Slice list = loss.labels < 0 ? Slice{} : batch.plan.types[t].indices[loss.labels];
      const std::int32_t* labels = loss.labels < 0 ? nullptr : batch.plan.rows.data() + list.begin;
      for (std::int32_t v = 0; v < batch.minibatch.vertices(); ++v) {
        if (batch.minibatch.types[v] != static_cast<std::int32_t>(t)) continue;
        const std::int32_t row = batch.schedule.row[v] - batch.plan.type_begin[t];
        if (labels != nullptr && labels[row] < 0) continue;
        sum += values[static_cast<std::int64_t>(row) * loss.operand.stride];
      }
    }
  return sum;
}

std::string find_not_finite(const Program& program, const PreparedBatch& batch, const BaseOf& base, bool ran_backward) {
  const Plan& plan = batch.plan;
  std::string found;
  for (const Step& step : plan.steps) {
    if (step.backward && !ran_backward) continue;
    const TypeProgram& type = program.types[step.type];
    each_instruction(type.at(step.backward, step.stage), [&](const Instruction& i) {
      for (std::size_t o = 0; o < i.out.size() && found.empty(); ++o) {
        const Operand& out = i.out[o];
        if (!is_kept(type, plan, out) || out.domain == kParameterRows || out.domain == kEdgeRows) continue;
        const auto [begin, end] = plan.range(step, out.domain);
        const auto bad =
            first_not_finite(base(step.type, out, {0, plan.types[step.type].row_count(out.domain)}), out, begin, end);
        if (!bad) continue;
        const std::int32_t v = vertex_of(program, batch, step.type, out.domain, bad->first),
                           k = batch.minibatch.position_of(v);
        found = fmt::format("value {} of vertex function '{}' is {} at vertex {} of sample {}",
                            describe(type.function, i.values[o]), type.function.name, bad->second,
                            batch.minibatch.source(k, v) - batch.minibatch.source_begin(k), batch.minibatch.samples[k]);
      }
    });
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace cavs::inline v0_1
