#include "schedule/order_rows.h"

#include <algorithm>

namespace cavs {

RowOrder::RowOrder(const Program& program) {
  for (const TypeProgram& type : program.types) {
    slots_apart_.push_back(0);
    for (const IndexRequest& request : type.indices)
      if (request.kind == IndexKind::kGather) slots_apart_.back() = std::max(slots_apart_.back(), request.k + 1);
  }
}

namespace {

/// Equal vertices that are evaluated once have the parents of all.
bool one_parent(const Minibatch& m) { return m.bound->one_parent() && !m.shares_equal; }

}  // namespace

void RowOrder::order(const Minibatch& m, Schedule& s) {
  find_first_reads(m, s);
  vertex_.resize(s.vertex.size());
  for (std::size_t i = s.tasks.size(); i-- > 0;) {
    const Task& task = s.tasks[i];
    const std::int32_t begin = s.type_begin[task.type] + task.begin, end = begin + task.end - task.begin;
    for (std::int32_t r = begin, next = begin; next < free_[i]; ++r)
      if (const std::int32_t v = s.vertex[r]; first_read_[v] < 0) vertex_[next] = v, s.row[v] = next++;
    place_children(m, begin, end, s);
  }
  s.vertex.swap(vertex_);
}

/// Also where every task's free rows end: all of them are free.
void RowOrder::find_first_reads(const Minibatch& m, const Schedule& s) {
  first_read_.assign(s.vertex.size(), -1), task_of_.resize(s.vertex.size()), free_.resize(s.tasks.size());
  for (std::size_t i = s.tasks.size(); i-- > 0;) {
    const Task& task = s.tasks[i];
    const std::int32_t begin = s.type_begin[task.type] + task.begin, end = begin + task.end - task.begin;
    free_[i] = end;
    std::fill(task_of_.begin() + begin, task_of_.begin() + end, static_cast<std::int32_t>(i));
    if (one_parent(m)) continue;  // whichever edge is met is the first
    for (std::int32_t r = begin; r < end; ++r)
      for (std::int32_t k = m.child_begin[s.vertex[r]]; k < m.child_begin[s.vertex[r] + 1]; ++k)
        if (m.children[k] >= 0) first_read_[m.children[k]] = k;
  }
}

/// Of rows [begin, end), from the last read to the first, as every task is filled from its end.
void RowOrder::place_children(const Minibatch& m, std::int32_t begin, std::int32_t end, Schedule& s) {
  const std::int32_t apart = slots_apart_[m.types[vertex_[begin]]];
  const bool any_edge = one_parent(m);
  const auto place = [&](std::int32_t k) {
    const std::int32_t child = m.children[k];
    if (child < 0 || (!any_edge && first_read_[child] != k)) return;
    first_read_[child] = k;
    const std::int32_t row = --free_[task_of_[s.row[child]]];
    vertex_[row] = child, s.row[child] = row;
  };
  for (std::int32_t r = end; r-- > begin;)
    for (std::int32_t v = vertex_[r], k = m.child_begin[v + 1]; k-- > m.child_begin[v] + apart;) place(k);
  for (std::int32_t slot = apart; slot-- > 0;)
    for (std::int32_t r = end; r-- > begin;) {
      const std::int32_t v = vertex_[r], k = m.child_begin[v] + slot;
      if (k < m.child_begin[v + 1]) place(k);
    }
}

}  // namespace cavs
