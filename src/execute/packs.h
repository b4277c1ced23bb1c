#pragma once

#include <memory>
#include <vector>

#include "backend/cpu/kernels.h"
#include "cavs/parameters.h"
#include "compile/program.h"

namespace cavs {

/// Packed copies of the weights that a program multiplies with, renewed when the parameter's version moves.
class Packs {
 public:
  explicit Packs(const Program& program);

  /// Worker's share of renewing what is older than the parameters. All workers call it; none may use a pack before all
  /// have returned, and mark_fresh must be called once in between.
  void refresh(const Parameters& parameters, int worker, int workers);
  bool stale(const Parameters& parameters) const;
  void mark_fresh(const Parameters& parameters);

  const cpu::PackedWeight& forward(std::int32_t parameter) const { return *packs_[parameter].forward; }
  const cpu::PackedWeight& transposed(std::int32_t parameter) const { return *packs_[parameter].transposed; }

 private:
  struct Pack {
    std::unique_ptr<cpu::PackedWeight> forward, transposed;
    std::uint64_t version = ~std::uint64_t{0};
  };
  std::vector<Pack> packs_;
};

}  // namespace cavs
