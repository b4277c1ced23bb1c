#include "train/gradient_sum.h"

namespace cavs {
namespace {

void add_to(std::span<float> total, std::span<const float> more) {
  for (std::size_t i = 0; i < total.size(); ++i) total[i] += more[i];
}

}  // namespace

GradientSum::GradientSum(const Parameters& parameters, Gradients& total) : total_(total), more_(parameters) {
  for (const ParameterInfo& info : *parameters.list()) listed_.emplace_back(info.table ? info.shape.dims[0] : 0);
}

void GradientSum::add(Run& run) {
  run.backward(more_);
  for (std::size_t p = 0; p < listed_.size(); ++p)
    if ((*more_.list())[p].table)
      add_table(p);
    else
      add_to(total_.values(p), more_.values(p));
}

/// Rows that are not listed are zeros.
void GradientSum::add_table(std::size_t p) {
  const auto width = static_cast<std::size_t>((*more_.list())[p].shape.dims[1]);
  std::vector<char>& listed = listed_[p];
  auto& rows = total_.table_rows[p];
  rows.reserve(rows.size() + more_.table_rows[p].size());  // memory runs out here, where nothing has changed yet
  for (const std::int32_t row : rows) listed[row] = 1;
  for (const std::int32_t row : more_.table_rows[p]) {
    add_to(total_.values(p).subspan(row * width, width), more_.values(p).subspan(row * width, width));
    if (listed[row] == 0) rows.push_back(row);
  }
  for (const std::int32_t row : rows) listed[row] = 0;
}

}  // namespace cavs
