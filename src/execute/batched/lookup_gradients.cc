#include "execute/batched/lookup_gradients.h"

#include <cstring>

namespace cavs::inline v0_1 {

void run_lookup_gradient(Worker& worker, const WorkPart& work, const Instruction& i, const LookupGradient& lookup) {
  const LookupList& list = worker.type().lookups[lookup.lookups];
  if (list.table_rows.count == 0) return;
  char& touched = worker.touched[lookup.parameter];
  if (touched != 0 && !i.barrier) worker.wait();
  touched = 1;
  cpu::lookup_grad(worker.read(i.in[0]), worker.rows(list.table_rows), worker.rows(list.offsets),
                   worker.rows(list.rows), list.table_rows.count, worker.gradients->values(lookup.parameter).data(),
                   work.part, work.parts);
}

void clear_tables(const Program& program, Gradients& gradients, int worker, int workers) {
  for (std::size_t p = 0; p < gradients.table_rows.size(); ++p) {
    const auto& rows = gradients.table_rows[p];
    if (!program.parameters[p].table) continue;
    const std::int64_t width = program.parameters[p].shape.dims[1];
    const auto [begin, end] = split_range(0, static_cast<std::int32_t>(rows.size()), worker, workers);
    for (std::int32_t i = begin; i < end; ++i)
      std::memset(gradients.values(p).data() + rows[i] * width, 0, static_cast<std::size_t>(width) * sizeof(float));
  }
}

void note_touched_rows(const Plan& plan, Gradients& gradients) {
  for (std::size_t p = 0; p < gradients.table_rows.size(); ++p) {
    const Slice touched = plan.touched[p];
    const std::int32_t* rows = plan.rows.data() + touched.begin;
    gradients.table_rows[p].assign(rows, rows + touched.count);
  }
}

}  // namespace cavs::inline v0_1
