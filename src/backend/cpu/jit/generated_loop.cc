#include "backend/cpu/jit/generated_loop.h"

#if defined(CAVS_X86_KERNELS)

#include <algorithm>

#include "backend/cpu/jit/code_listing.h"
#include "backend/cpu/jit/loop_generator.h"
#include "support/check.h"

namespace cavs::cpu {
namespace {

/// How the loop over rows finds the rows of an input. See ConstRows.
struct Walk {
  const float* base;
  std::int64_t stride;
  const std::int32_t* index;
};

class XbyakLoop : public GeneratedLoop {
 public:
  XbyakLoop(const ScalarProgram& scalar, std::vector<bool> broadcast, int lanes, int copies)
      : broadcast_(std::move(broadcast)),
        generator_(to_vector_program(scalar), broadcast_, lanes, copies),
        function_(generator_.function()) {}

  void run(std::span<const ConstRows> in, std::span<const Rows> out, std::int32_t row_begin, std::int32_t row_end,
           Scratch& scratch) const override {
    if (row_begin >= row_end || out.empty() || out[0].width == 0) return;
    const std::size_t pointers = (in.size() + out.size()) * sizeof(float*) / sizeof(float);
    const std::size_t walks = in.size() * sizeof(Walk) / sizeof(float);
    const std::int32_t width = out[0].width;
    float* const memory = scratch.floats(pointers + walks + static_cast<std::size_t>(width));
    auto* const rows = reinterpret_cast<float**>(memory);
    auto* const walk = reinterpret_cast<Walk*>(memory + pointers);
    float* const zeros = memory + pointers + walks;
    bool indexed = false;
    for (std::size_t i = 0; i < in.size(); ++i) {
      walk[i] = {in[i].base, in[i].stride, in[i].index};
      indexed = indexed || in[i].index != nullptr;
    }
    if (indexed) std::fill_n(zeros, width, 0.0F);
    const bool flat = is_flat(in, out, row_end - row_begin);
    const LoopArguments arguments{
        rows, rows + in.size(),
        std::int64_t{width} * (flat ? row_end - row_begin : 1) * static_cast<std::int64_t>(sizeof(float))};
    for (std::int32_t r = row_begin; r < (flat ? row_begin + 1 : row_end); ++r) {
      for (std::size_t i = 0; i < in.size(); ++i) {
        const std::int64_t at = walk[i].index != nullptr ? walk[i].index[r] : r;
        rows[i] = at < 0 ? zeros : const_cast<float*>(walk[i].base) + at * walk[i].stride;
      }
      for (std::size_t o = 0; o < out.size(); ++o) rows[in.size() + o] = out[o].base + r * out[o].stride;
      function_(&arguments);
    }
  }

  std::span<const std::uint8_t> code() const override { return {generator_.getCode(), generator_.getSize()}; }

 private:
  /// True if every operand is contiguous or a single number, so that all rows can be computed as one long row.
  bool is_flat(std::span<const ConstRows> in, std::span<const Rows> out, std::int32_t rows) const {
    if (rows == 1) return true;
    const std::int32_t width = out[0].width;
    for (const Rows& y : out)
      if (y.stride != width) return false;
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i].index != nullptr || in[i].stride != (broadcast_[i] ? 0 : width)) return false;
    return true;
  }

  std::vector<bool> broadcast_;
  LoopGenerator generator_;
  LoopFunction function_;
};

}  // namespace

std::unique_ptr<GeneratedLoop> generate_loop(const Isa& isa, const ScalarProgram& program,
                                             const std::vector<bool>& broadcast, const std::string& name) {
  if (isa.native_lanes < 8) return nullptr;
  CAVS_ASSERT(broadcast.size() == static_cast<std::size_t>(program.inputs));
  // Scalar programs are long chains of dependent instructions. With 32 registers, two vectors are computed at a time,
  // so that their chains overlap; if the values of two do not fit, one is.
  for (int copies = isa.native_lanes == 16 ? 2 : 1; copies > 0; --copies) try {
      auto loop = std::make_unique<XbyakLoop>(program, broadcast, isa.native_lanes, copies);
      list_code(name, loop->code());
      return loop;
    } catch (const Xbyak::Error&) {  // no memory for code, too much code, or too many values
    }
  return nullptr;
}

}  // namespace cavs::cpu

#else

namespace cavs::cpu {

std::unique_ptr<GeneratedLoop> generate_loop(const Isa&, const ScalarProgram&, const std::vector<bool>&,
                                             const std::string&) {
  return nullptr;
}

}  // namespace cavs::cpu

#endif
