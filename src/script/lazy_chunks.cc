#include "script/lazy_chunks.h"

#include <algorithm>

namespace cavs::inline v0_1 {
namespace {

/// True if the rows are vertices or edges, and the instruction reads no result of another lazy instruction.
bool needs_tasks_alone(const TypeProgram& type, bool backward, const Instruction& i) {
  if (i.domain == kParameterRows ||
      (i.domain >= kPartialRows && type.partial_domains[i.domain - kPartialRows].kind == DomainKind::kDistinct))
    return false;
  bool alone = true;
  each_instruction(type.at(backward, Stage::kLazy), [&](const Instruction& other) {
    for (const Operand& made : other.out)
      alone =
          alone && std::ranges::none_of(i.in, [&](const Operand& o) { return o.kind == made.kind && o.id == made.id; });
  });
  return alone;
}

}  // namespace

LazyChunks::LazyChunks(const Program& program, double fewest_flops) : program_(program), fewest_flops_(fewest_flops) {
  for (const TypeProgram& type : program_.types)
    for (const bool backward : {false, true}) {
      std::vector<Work>& works = passes_[backward].works.emplace_back();
      for (const Stage stage : {Stage::kEager, Stage::kLazy})
        for (std::size_t k = 0; k < type.at(backward, stage).size(); ++k)
          add(type, backward, stage, static_cast<std::int32_t>(k), works);
    }
}

void LazyChunks::add(const TypeProgram& type, bool backward, Stage stage, std::int32_t instruction,
                     std::vector<Work>& works) const {
  const Instruction& i = type.at(backward, stage)[instruction];
  const auto* const entropy = i.as<LinearCrossEntropy>();
  if (backward ? !i.is<WeightGradient>() : entropy == nullptr) return;
  const bool is_cut = stage == Stage::kLazy && needs_tasks_alone(type, backward, i) &&
                      (!backward || i.out.front().kind == StorageKind::kParameterGradient);
  const std::int32_t grain = entropy != nullptr ? type.tensors[entropy->tile.id].max_rows : program_.target.sum_rows;
  if (backward || is_cut) works.push_back({stage, instruction, i.domain, i.flops_per_row, is_cut ? grain : 0});
}

double LazyChunks::begin(const Plan& plan) {
  plan_ = &plan;
  double all = 0;
  for (Pass& pass : passes_) {
    pass.lazy_steps.assign(program_.types.size(), -1);
    pass.last_tasks.assign(program_.types.size(), -1);
    pass.ready = pass.enough = 0;
  }
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
    Pass& pass = passes_[step.backward];
    if (step.stage == Stage::kLazy) pass.lazy_steps[step.type] = static_cast<std::int32_t>(s);
    for (Work& work : pass.works[step.type]) {
      if (work.stage != step.stage) continue;
      work.rest = plan.range(step, work.domain);
      const double flops = work.flops * work.rest.end;
      all += flops;
      pass.enough += work.grain > 0 ? flops / kMostCuts : 0;
    }
  }
  for (Pass& pass : passes_) pass.enough = std::max(pass.enough, fewest_flops_);
  return all;
}

std::span<const LazyChunk> LazyChunks::after(std::int32_t number) {
  chunks_.clear();
  const Step& step = plan_->steps[number];
  if (step.stage != Stage::kTask) return chunks_;
  Pass& pass = passes_[step.backward];
  pass.last_tasks[step.type] = number;
  for (const Work& work : pass.works[step.type]) {
    const RowRange rows = plan_->range(step, work.domain);
    if (work.grain > 0) pass.ready += work.flops * (rows.end - rows.begin);
  }
  if (pass.ready >= pass.enough) cut(pass, step.backward);
  return chunks_;
}

/// Appends chunks of the rows whose tasks are done. The lazy step itself runs the last rows of each instruction.
void LazyChunks::cut(Pass& pass, bool backward) {
  pass.ready = 0;
  for (std::size_t t = 0; t < pass.works.size(); ++t)
    for (Work& work : pass.works[t]) {
      if (work.grain == 0 || pass.last_tasks[t] < 0) continue;
      const RowRange last = plan_->range(plan_->steps[pass.last_tasks[t]], work.domain);
      const std::int32_t at = (backward ? last.begin + work.grain - 1 : last.end) / work.grain * work.grain;
      if (at <= work.rest.begin || at >= work.rest.end) continue;
      const RowRange rows = backward ? RowRange{at, work.rest.end} : RowRange{work.rest.begin, at};
      chunks_.push_back({pass.lazy_steps[t], work.instruction, rows});
      (backward ? work.rest.end : work.rest.begin) = at;
    }
}

RowRange LazyChunks::rest(const Step& step, std::int32_t instruction) const {
  for (const Work& work : passes_[step.backward].works[step.type])
    if (work.stage == step.stage && work.instruction == instruction) return work.rest;
  return plan_->range(step, program_.types[step.type].at(step.backward, step.stage)[instruction].domain);
}

}  // namespace cavs::inline v0_1
