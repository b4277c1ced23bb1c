#include "update/step_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int32_t kDenseRow[] = {0};  // rows of a dense gradient, which is added like a table of one row
constexpr std::size_t kMaxOperands = 64;   // more than log2 of any number of minibatches

/// Computes to = ... (parts[2] + (parts[1] + parts[0])), [width] each. `to` may be parts[0] or parts[1].
void add_row(std::span<const float* const> parts, std::size_t width, float* to) {
  if (parts.size() == 1) {
    if (parts[0] != to) std::copy_n(parts[0], width, to);
    return;
  }
  constexpr std::size_t kBlock = 1024;  // fits the cache
  for (std::size_t begin = 0; begin < width; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, width);
    for (std::size_t i = begin; i < end; ++i) to[i] = parts[1][i] + parts[0][i];
    for (const float* const part : parts.subspan(2))
      for (std::size_t i = begin; i < end; ++i) to[i] = part[i] + to[i];
  }
}

/// Sorts row numbers. @param bits  Memory with one bit per row of the table. All are 0 before and after.
void sort(std::vector<std::int32_t>& rows, std::vector<std::uint64_t>& bits) {
  for (const std::int32_t row : rows) bits[row / 64] |= std::uint64_t{1} << (row % 64);
  rows.clear();
  for (std::size_t w = 0; w < bits.size(); ++w)
    for (std::uint64_t word = std::exchange(bits[w], 0); word != 0; word &= word - 1)
      rows.push_back(static_cast<std::int32_t>(64 * w) + std::countr_zero(word));
}

}  // namespace

/// The gradient of one parameter in one summand, during a merge of the summands' rows.
struct HostStepSum::Operand {
  std::span<const std::int32_t> rows;  // ascending
  const float* values = nullptr;
  bool packed = false;  // true if `values` has only the listed rows, contiguously; else all rows
  std::size_t at = 0;   // position in `rows` of the next row to add

  std::int32_t row() const { return at < rows.size() ? rows[at] : std::numeric_limits<std::int32_t>::max(); }
};

HostStepSum::HostStepSum(const Parameters& parameters, Gradients& total)
    : total_(total), odd_(parameters), is_added_(total.size()), rows_(total.size()) {
  for (const ParameterInfo& info : *total.list()) bits_.emplace_back(info.table ? info.shape.dims[0] / 64 + 1 : 0);
}

void HostStepSum::begin(std::int64_t minibatches) {
  minibatches_ = minibatches;
  added_ = 0;
  depth_ = 0;
  std::ranges::fill(is_added_, 0);
}

/// Works like a binary counter: for each bit b > 0 that is 1 in added_, there is a partial sum of 2^b minibatches,
/// which waits for the sum of the next 2^b. All partial sums that become complete are added in one pass over memory.
void HostStepSum::add() {
  for (std::size_t p = 0; p < bits_.size(); ++p) sort(next().table_rows[p], bits_[p]);
  ++added_;
  if (added_ == minibatches_) {
    for (std::size_t p = 0; p < is_added_.size(); ++p)
      if (std::exchange(is_added_[p], 0) == 0) add_last(p);
  } else if (added_ % 2 == 0) {
    const auto merged = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(added_))) - 1;
    if (depth_ == partials_.size()) partials_.emplace_back(total_.size());
    for (std::size_t p = 0; p < total_.size(); ++p) combine(added_, merged, &partials_[depth_], p);
    std::swap(partials_[depth_ - merged], partials_[depth_]);
    depth_ = depth_ - merged + 1;
  } else {
    static_cast<void>(std::as_const(total_).flat());  // copies it to the host, as a GPU has room for one block only
  }
}

void HostStepSum::add_last(std::size_t parameter) {
  if (minibatches_ > 1) combine(minibatches_, depth_, nullptr, parameter);
}

void HostStepSum::add_gradient(std::size_t parameter) {
  CAVS_ASSERT(added_ + 1 == minibatches_ && !(*total_.list())[parameter].table);
  add_last(parameter);
  is_added_[parameter] = 1;
}

/// Adds the latest one or two minibatches, which are in no partial sum yet, and the latest `partials` partial sums.
/// @param added  Number of minibatches so far, including the latest.
/// @param to     Where to write the sum; nullptr means `total_`.
void HostStepSum::combine(std::int64_t added, std::size_t partials, Partial* to, std::size_t p) {
  const ParameterInfo& info = (*total_.list())[p];
  std::array<Operand, kMaxOperands> operands;  // latest first
  std::size_t count = 0;
  const auto add = [&](const Gradients& of) {
    operands[count].values = of.values(p).data();
    operands[count++].rows = info.table ? std::span<const std::int32_t>(of.table_rows[p]) : kDenseRow;
  };
  if (added % 2 == 0) add(odd_);
  add(total_);
  for (std::size_t i = 0; i < partials; ++i) {
    const Partial& partial = partials_[depth_ - 1 - i];
    operands[count++] = {partial.rows[p], partial.values[p].data(), true};
  }
  const std::span<Operand> used = std::span(operands).first(count);

  // Allocates everything here, before anything changes.
  const auto width = static_cast<std::size_t>(info.table ? info.shape.dims[1] : info.shape.size());
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
