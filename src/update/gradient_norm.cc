#include "update/gradient_norm.h"

#include <cmath>
#include <limits>

#include "backend/cpu/kernels.h"
#include "support/check.h"
#include "support/split_range.h"
#include "tensor/check_parameters.h"
#include "tensor/parameter_rows.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int64_t kBlockElements = 4096;  // elements per block of a parameter that is not divided into tiles

/// Sums of squares, added in an order that does not depend on the vector width of the processor.
struct Lanes {
  double sums[cpu::kSquareLanes] = {};

  void add(const float* values, std::int64_t count) {
    cpu::add_squares({values, static_cast<std::size_t>(count)}, sums);
  }
  double total() const { return cpu::sum_of(sums); }
};

constexpr std::int32_t kSide = ParameterRows::kRows;  // rows, and columns, of a tile whose squares are summed together

std::int32_t squares_of(std::int32_t length) { return (length + kSide - 1) / kSide; }

/// Returns the sum of the squared elements of the tile at (row, column) of a matrix [height, width]. @param square  Its
/// first element. @param stride  Floats from row to row.
double sum_of_square(const float* square, std::int64_t stride, std::int32_t row, std::int32_t column,
                     std::int32_t height, std::int32_t width) {
  return cpu::square_sum(square, stride, std::min(height - row, kSide), std::min(width - column, kSide));
}

}  // namespace

GradientNorm::GradientNorm(const Parameters& parameters)
    : parameters_(parameters.list()), left_out_(parameters.size()) {
  for (int p = 0; p < parameters.size(); ++p) {
    const ParameterInfo& info = parameters.info(p);
    Blocks blocks;
    blocks.table = info.table;
    if (info.shape.dims.size() == 2 && !info.table) {
      blocks.height = info.shape.dims[0];
      blocks.width = info.shape.dims[1];
      blocks.across = squares_of(blocks.width);
    }
    blocks.unit = info.table ? info.shape.dims[1] : 1;
    blocks.per_block = std::max<std::int64_t>(1, kBlockElements / blocks.unit);
    const std::int64_t units = info.shape.size() / blocks.unit;
    const std::int64_t count = blocks.across > 0 ? std::int64_t{squares_of(blocks.height)} * blocks.across
                                                 : (units + blocks.per_block - 1) / blocks.per_block;
    blocks.sums.assign(count, std::numeric_limits<double>::quiet_NaN());
    blocks_.push_back(std::move(blocks));
  }
}

void GradientNorm::leave_out(std::span<const char> parameters) {
  user_check(parameters.size() == left_out_.size(),
             "a norm of {} gradients is given {} flags of gradients to leave out; expected equal numbers",
             left_out_.size(), parameters.size());
  std::ranges::copy(parameters, left_out_.begin());
}

void GradientNorm::check(const Gradients& gradients) const {
  check_gradients(gradients, parameters_, "the gradients whose norm is computed");
}

std::int64_t GradientNorm::blocks_in_use(int parameter, const Gradients& gradients) const {
  const Blocks& blocks = blocks_[parameter];
  if (!blocks.table) return static_cast<std::int64_t>(blocks.sums.size());
  const auto rows = static_cast<std::int64_t>(gradients.table_rows[parameter].size());
  return (rows + blocks.per_block - 1) / blocks.per_block;
}

void GradientNorm::share(int worker, int workers, const Gradients& gradients) {
  check(gradients);
  for (std::size_t p = 0; p < blocks_.size(); ++p) share(worker, workers, static_cast<int>(p), gradients);
}

void GradientNorm::share(int part, int parts, int parameter, const Gradients& gradients) {
  Blocks& blocks = blocks_[parameter];
  if (left_out_[parameter] != 0 || gradients.is_deferred(parameter)) {  // add() supplies sums of deferred gradients
    const double sum = left_out_[parameter] != 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
    if (part == 0) std::fill(blocks.sums.begin(), blocks.sums.end(), sum);
    return;
  }
  const std::span<const float> values = gradients.values(parameter);
  const std::vector<std::int32_t>& rows = gradients.table_rows[parameter];
  const auto share = split_range<std::int64_t>(0, blocks_in_use(parameter, gradients), part, parts);
  for (std::int64_t block = share.begin; block < share.end; ++block) {
    if (blocks.across > 0) {
      const auto row = static_cast<std::int32_t>(block / blocks.across) * kSide,
                 column = static_cast<std::int32_t>(block % blocks.across) * kSide;
      blocks.sums[block] = sum_of_square(values.data() + std::int64_t{row} * blocks.width + column, blocks.width, row,
                                         column, blocks.height, blocks.width);
      continue;
    }
    const std::int64_t begin = block * blocks.per_block, end = begin + blocks.per_block;
    Lanes lanes;
    if (blocks.table)
      for (std::int64_t r = begin; r < std::min(end, static_cast<std::int64_t>(rows.size())); ++r)
        lanes.add(values.data() + rows[r] * blocks.unit, blocks.unit);
    else
      lanes.add(values.data() + begin * blocks.unit,
                std::min(end * blocks.unit, static_cast<std::int64_t>(values.size())) - begin * blocks.unit);
    blocks.sums[block] = lanes.total();
  }
}

void GradientNorm::add(int parameter, std::int32_t begin, std::int32_t end, const float* rows) {
  user_check(parameter >= 0 && parameter < std::ssize(blocks_) && begin >= 0 && begin <= end &&
                 end <= (*parameters_)[parameter].shape.dims[0],
             "cannot add rows [{}, {}) of parameter {} to the gradient norm of {} parameters; expected existing rows",
             begin, end, parameter, blocks_.size());
  Blocks& blocks = blocks_[parameter];
  CAVS_ASSERT(blocks.across > 0);
  for (std::int32_t row = begin; row < end; row += kSide)
    for (std::int32_t column = 0; column < blocks.width; column += kSide)
      blocks.sums[std::int64_t{row / kSide} * blocks.across + column / kSide] =
          sum_of_square(rows + std::int64_t{row - begin} * blocks.width + column, blocks.width, row, column,
                        blocks.height, blocks.width);
}

void GradientNorm::add_square(int parameter, std::int32_t row, std::int32_t column, const float* square) {
  Blocks& blocks = blocks_[parameter];
  blocks.sums[std::int64_t{row / kSide} * blocks.across + column / kSide] =
      cpu::square_sum(square, kSide, kSide, kSide);
}

double GradientNorm::squares(int parameter, const Gradients& gradients) const {
  double sum = 0;
  const std::int64_t count = blocks_in_use(parameter, gradients);
  for (std::int64_t block = 0; block < count; ++block) sum += blocks_[parameter].sums[block];
  return sum;
}

double GradientNorm::of(int parameter, const Gradients& gradients) const {
  check(gradients);
  user_check(parameter >= 0 && parameter < std::ssize(blocks_),
             "there is no gradient {} to compute the norm of; there are {}", parameter, blocks_.size());
  return std::sqrt(squares(parameter, gradients));
}

double GradientNorm::sum(const Gradients& gradients, bool with_deferred) const {
  check(gradients);
  double sum = 0;
  for (std::size_t p = 0; p < blocks_.size(); ++p)
    if (with_deferred || !gradients.is_deferred(p)) sum += squares(static_cast<int>(p), gradients);
  return std::sqrt(sum);
}

double GradientNorm::total(const Gradients& gradients) const { return sum(gradients, true); }
double GradientNorm::known(const Gradients& gradients) const { return sum(gradients, false); }

float clip_scale(double norm, double max_norm) {
  return max_norm == 0 ? 1.0F : static_cast<float>(std::min(1.0, max_norm / (norm + 1e-6)));
}

}  // namespace cavs::inline v0_1
