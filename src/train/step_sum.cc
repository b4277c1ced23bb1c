#include "train/step_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

namespace cavs::inline v0_1 {
namespace {

constexpr std::int32_t kDenseRow[] = {0};  // a dense gradient is a table of one row
constexpr std::size_t kMaxOperands = 64;

std::size_t width_of(const ParameterInfo& info) {
  return static_cast<std::size_t>(info.table ? info.shape.dims[1] : info.shape.size());
}

/// to = ... (parts[2] + (parts[1] + parts[0])). `to` may be one of the parts.
void add_row(std::span<const float* const> parts, std::size_t width, float* to) {
  if (parts.size() == 1 && parts[0] == to) return;
  std::array<float, 1024> sum;  // stays in the cache
  for (std::size_t begin = 0; begin < width; begin += sum.size()) {
    const std::size_t count = std::min(sum.size(), width - begin);
    std::copy_n(parts[0] + begin, count, sum.data());
    for (const float* const part : parts.subspan(1))
      for (std::size_t i = 0; i < count; ++i) sum[i] = part[begin + i] + sum[i];
    std::copy_n(sum.data(), count, to + begin);
  }
}

}  // namespace

/// The gradient of one parameter in one of the sums that are added.
struct StepSum::Operand {
  std::span<const std::int32_t> rows;  // ascending
  const float* values = nullptr;
  bool packed = false;  // the listed rows one after the other, without the others
  std::size_t at = 0;

  std::int32_t row() const { return at < rows.size() ? rows[at] : std::numeric_limits<std::int32_t>::max(); }
};

StepSum::StepSum(const Parameters& parameters, Gradients& total)
    : total_(total), odd_(parameters), rows_(total.size()) {}

void StepSum::begin(std::int64_t minibatches) {
  minibatches_ = minibatches;
  added_ = 0;
  depth_ = 0;
}

/// A binary counter: bit b > 0 of added_ is a partial sum of 2^b minibatches, which waits for the next 2^b. Sums of two
/// and more sums are made in one pass over memory.
void StepSum::add() {
  for (std::vector<std::int32_t>& rows : next().table_rows) std::ranges::sort(rows);
  ++added_;
  if (added_ == minibatches_) {
    if (added_ > 1) combine(depth_, nullptr);
  } else if (added_ % 2 == 0) {
    const auto merged = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(added_))) - 1;
    if (depth_ == partials_.size()) partials_.emplace_back(total_.size());
    combine(merged, &partials_[depth_]);
    std::swap(partials_[depth_ - merged], partials_[depth_]);
    depth_ = depth_ - merged + 1;
  } else {
    static_cast<void>(std::as_const(total_).flat());  // brings it from a GPU, which then needs no second block
  }
}

StepSum::Operand StepSum::operand(const Gradients& gradients, std::size_t p) const {
  const bool table = (*total_.list())[p].table;
  return {table ? std::span<const std::int32_t>(gradients.table_rows[p]) : kDenseRow, gradients.values(p).data(),
          false};
}

/// Adds the latest minibatches that are in no partial sum yet (one or two), and the latest partial sums.
/// @param to  nullptr: `total`
void StepSum::combine(std::size_t partials, Partial* to) {
  for (std::size_t p = 0; p < total_.size(); ++p) combine(partials, to, p);
}

void StepSum::combine(std::size_t partials, Partial* to, std::size_t p) {
  std::array<Operand, kMaxOperands> operands;  // the latest first
  std::size_t count = 0;
  if (added_ % 2 == 0) operands[count++] = operand(odd_, p);
  operands[count++] = operand(total_, p);
  for (std::size_t i = 0; i < partials; ++i) {
    const Partial& partial = partials_[depth_ - 1 - i];
    operands[count++] = {partial.rows[p], partial.values[p].data(), true};
  }
  const std::span<Operand> used = std::span(operands).first(count);

  // Memory runs out here, where nothing has changed yet.
  const ParameterInfo& info = (*total_.list())[p];
  const std::size_t width = width_of(info);
  std::size_t most = 0;
  for (const Operand& o : used) most += o.rows.size();
  most = std::min(most, static_cast<std::size_t>(info.table ? info.shape.dims[0] : 1));
  std::vector<std::int32_t>& rows = (to != nullptr ? to->rows : rows_)[p];
  rows.clear();
  rows.reserve(most);
  if (to != nullptr && to->values[p].size() < most * width) to->values[p].resize(most * width);

  float* const values = to != nullptr ? to->values[p].data() : total_.values(p).data();
  for (;;) {
    const std::int32_t row = std::ranges::min_element(used, {}, &Operand::row)->row();
    if (row == std::numeric_limits<std::int32_t>::max()) break;
    std::array<const float*, kMaxOperands> parts;
    std::size_t present = 0;
    for (Operand& o : used)
      if (o.row() == row) {
        parts[present++] = o.values + (o.packed ? o.at : static_cast<std::size_t>(row)) * width;
        ++o.at;
      }
    add_row(std::span(parts).first(present), width,
            values + (to != nullptr ? rows.size() : static_cast<std::size_t>(row)) * width);
    rows.push_back(row);
  }
  if (to == nullptr && info.table) total_.table_rows[p].swap(rows);
}

}  // namespace cavs::inline v0_1
