#include <algorithm>
#include <cstring>

#include "backend/cpu/isa.h"

namespace cavs::cpu {
namespace {

/// An input of elementwise(). After TileRun::flatten() joins all rows, it is one row of rows * width columns.
struct View {
  const float* base;
  std::int64_t stride;
  const std::int32_t* index;
  bool scalar;                 // the input has one number per row, broadcast over the columns
  std::int64_t repeated_rows;  // copies of the row that its staging tile already has, for a row broadcast over rows

  const float* row(std::int64_t r) const {
    const std::int64_t i = index ? index[r] : r;
    return i < 0 ? nullptr : base + i * stride;
  }
};

/// The elements of one run of the program, at most kTile: several whole rows, or a part of one row.
struct Tile {
  std::int64_t row, column;
  int rows, columns;
  int size() const { return rows * columns; }
};

/// One call of elementwise(), with the inputs, registers and results of its tiles, all in the worker's scratch memory.
class TileRun {
 public:
  TileRun(const Isa& isa, const ScalarProgram& program, std::span<const ConstRows> in, std::span<const Rows> out,
          std::int32_t row_begin, std::int32_t row_end, Scratch& scratch)
      : isa_(isa), program_(program), out_(out), row_(row_begin), rows_(row_end - row_begin), width_(out[0].width) {
    const std::size_t inputs = in.size(), registers = static_cast<std::size_t>(program.registers);
    storage_ = scratch.floats((registers + inputs) * kTile + kMaxLanes + floats_of<View>(inputs) +
                              floats_of<Operand>(inputs + registers));
    staging_ = storage_ + registers * kTile;
    zeros_ = staging_ + inputs * kTile;
    std::fill_n(zeros_, kMaxLanes, 0.0F);
    views_ = reinterpret_cast<View*>(zeros_ + kMaxLanes);
    operands_ = reinterpret_cast<Operand*>(zeros_ + kMaxLanes + floats_of<View>(inputs));
    registers_ = operands_ + inputs;
    std::fill_n(registers_, registers, Operand{zeros_, 0});
    for (std::size_t i = 0; i < inputs; ++i)
      views_[i] = {in[i].base, in[i].stride, in[i].index, in[i].width == 1 && width_ != 1, 0};
    inputs_ = static_cast<int>(inputs);
    flatten();
  }

  void run() {
    const int rows = width_ >= kTile / 2 ? 1 : static_cast<int>(kTile / width_);
    const std::int64_t pieces = (width_ + kTile - 1) / kTile;
    const std::int64_t columns = flat_      ? kTile
                                 : rows > 1 ? width_
                                            : ((width_ + pieces - 1) / pieces + kMaxLanes - 1) / kMaxLanes * kMaxLanes;
    for (std::int64_t r = row_; r < row_ + rows_; r += rows)
      for (std::int64_t c = 0; c < width_; c += columns)
        run_tile({r, c, static_cast<int>(std::min<std::int64_t>(rows, row_ + rows_ - r)),
                  static_cast<int>(std::min(columns, width_ - c))});
  }

 private:
  /// Returns the size, in floats, of `count` objects of type T, rounded up to a cache line.
  template <typename T>
  static std::size_t floats_of(std::size_t count) {
    return (count * sizeof(T) + 63) / 64 * 16;
  }

  bool contiguous(const View& v) const { return !v.scalar && !v.index && (v.stride == width_ || rows_ == 1); }

  /// If every operand is contiguous or a single number, makes all rows one long row, in which tiles may begin anywhere.
  void flatten() {
    for (const Rows& y : out_)
      if (y.stride != width_ && rows_ > 1) return;
    for (int i = 0; i < inputs_; ++i)
      if (!contiguous(views_[i]) && (views_[i].index || !views_[i].scalar || views_[i].stride != 0)) return;
    for (int i = 0; i < inputs_; ++i) views_[i].base += row_ * views_[i].stride;
    flat_offset_ = row_;
    flat_ = true;
    width_ *= rows_;
    row_ = 0;
    rows_ = 1;
  }

  Operand splat(float* stage, float x) const {
    std::fill_n(stage, kMaxLanes, x);
    return {stage, 0};
  }

  Operand contiguous_tile(const float* p, float* stage, int size) const {
    if (size % isa_.lanes == 0) return {p, 1};
    std::memcpy(stage, p, sizeof(float) * static_cast<std::size_t>(size));
    std::fill_n(stage + size, kMaxLanes - size % kMaxLanes, 0.0F);
    return {stage, 1};
  }

  Operand one_row(const View& v, float* stage, const Tile& t) const {
    const float* const p = v.row(t.row);
    if (p == nullptr) return {zeros_, 0};
    return v.scalar ? splat(stage, *p) : contiguous_tile(p + t.column, stage, t.columns);
  }

  Operand whole_rows(View& v, float* stage, const Tile& t) const {
    if (contiguous(v)) return contiguous_tile(v.row(t.row), stage, t.size());
    const bool one_for_all = v.stride == 0 && !v.index;
    if (one_for_all && v.scalar) return splat(stage, *v.base);
    if (one_for_all && v.repeated_rows >= t.rows) return {stage, 1};
    const auto width = static_cast<std::size_t>(t.columns);
    float* s = stage;
    for (int r = 0; r < t.rows; ++r, s += width) {
      const float* const p = v.row(t.row + r);
      if (p == nullptr || v.scalar)
        std::fill_n(s, width, p == nullptr ? 0.0F : *p);
      else
        std::memcpy(s, p, sizeof(float) * width);
    }
    std::fill(s, stage + (t.size() + kMaxLanes - 1) / kMaxLanes * kMaxLanes, 0.0F);
    if (one_for_all) v.repeated_rows = t.rows;
    return {stage, 1};
  }

  /// If register `reg` refers to the memory of an input, copies those numbers into the register's own tile.
  void own(std::int16_t reg, const Tile& t) const {
    Operand& value = registers_[reg];
    if (value.step == 0 || (value.p >= storage_ && value.p < zeros_)) return;
    float* const tile = storage_ + static_cast<std::size_t>(reg) * kTile;
    std::memcpy(tile, value.p, sizeof(float) * static_cast<std::size_t>(t.size()));
    value.p = tile;
  }

  void write(const Rows& y, const Operand& value, const Tile& t) const {
    const bool one_run = flat_ || t.rows == 1 || y.stride == t.columns;
    float* const to = flat_ ? y.base + flat_offset_ * y.stride + t.column : y.base + t.row * y.stride + t.column;
    const int runs = one_run ? 1 : t.rows;
    const std::size_t length = static_cast<std::size_t>(t.size() / runs);
    for (int r = 0; r < runs; ++r) {
      if (value.step == 0)
        std::fill_n(to + r * y.stride, length, *value.p);
      else
        std::memmove(to + r * y.stride, value.p + r * length, sizeof(float) * length);
    }
  }

  void run_tile(const Tile& t) {
    for (int i = 0; i < inputs_; ++i) {
      float* const stage = staging_ + static_cast<std::size_t>(i) * kTile;
      operands_[i] = t.rows == 1 ? one_row(views_[i], stage, t) : whole_rows(views_[i], stage, t);
    }
    const int padded = (t.size() + isa_.lanes - 1) / isa_.lanes * isa_.lanes;
    isa_.run_tile(program_.code.data(), static_cast<int>(program_.code.size()), operands_, registers_, storage_,
                  padded);
    // Outputs may overwrite inputs, and a register that is an output may refer to an input. Such registers get a copy
    // before the first output is written.
    if (out_.size() > 1)
      for (const std::int16_t r : program_.outputs) own(r, t);
    for (std::size_t o = 0; o < out_.size(); ++o) write(out_[o], registers_[program_.outputs[o]], t);
  }

  const Isa& isa_;
  const ScalarProgram& program_;
  std::span<const Rows> out_;
  std::int64_t row_, rows_, width_;
  std::int64_t flat_offset_ = 0;
  bool flat_ = false;
  int inputs_ = 0;
  float *storage_ = nullptr, *staging_ = nullptr, *zeros_ = nullptr;
  View* views_ = nullptr;
  Operand *operands_ = nullptr, *registers_ = nullptr;
};

}  // namespace

void elementwise(const Isa& isa, const ScalarProgram& program, std::span<const ConstRows> in, std::span<const Rows> out,
                 std::int32_t row_begin, std::int32_t row_end, Scratch& scratch) {
  if (row_begin < row_end && !out.empty() && out[0].width > 0)
    TileRun(isa, program, in, out, row_begin, row_end, scratch).run();
}

void elementwise(const ScalarProgram& program, std::span<const ConstRows> in, std::span<const Rows> out,
                 std::int32_t row_begin, std::int32_t row_end, Scratch& scratch) {
  elementwise(isa(), program, in, out, row_begin, row_end, scratch);
}

}  // namespace cavs::cpu
