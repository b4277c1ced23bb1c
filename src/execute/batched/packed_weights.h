#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "backend/cpu/kernels.h"
#include "cavs/parameters.h"
#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Packed copies (packs) of the weights that a program multiplies with. They are renewed when a parameter's version
/// changes. Several sessions may share the object.
class PackedWeights {
 public:
  PackedWeights(const Program& program, cpu::Precision precision);

  /// Place of a parameter in a pack that has the parameter as declared, not transposed.
  struct Place {
    std::int32_t weight = -1;  // number of the pack, or -1 if the parameter has no such pack
    int part = 0;
  };
  const Place& find(int parameter) const { return homes_[parameter]; }

  /// Returns the lock. A session holds it from stale() to mark_fresh(), so that other sessions wait for renewed packs.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  /// Renews the worker's share of the packs that are older than the parameters. Called by all workers. No worker may
  /// use a pack before all have returned, and mark_fresh must be called once before that.
  void refresh(const Parameters& parameters, int worker, int workers);
  /// Renews rows [begin, end) of one parameter (row-major). Workers renew disjoint multiples of kSlice rows.
  void renew_rows(int parameter, std::int32_t begin, std::int32_t end, const float* rows);
  /// True if, in all of its packs, the parameter consists of whole squares of kSlice rows and columns.
  bool has_squares(int parameter) const;
  /// Returns the address of a strip: kSlice columns of a parameter, packed as declared, one row after the other, from
  /// row `row` on. renew_strip() copies changed rows [row_begin, row_end), a multiple of kSlice, to the other packs.
  float* strip(int parameter, int row, int column) {
    const Place& place = homes_[parameter];
    return packs_[place.weight].packed.square(place.part, row, column);
  }
  void renew_strip(int parameter, const float* strip, int row_begin, int row_end, int column);
  /// True if a pack is older than the parameters. Also makes all parameters ready to be read by all workers.
  bool stale(const Parameters& parameters) const;
  void mark_fresh(const Parameters& parameters);
  /// Marks the packs of one parameter as fresh.
  void mark_fresh(const Parameters& parameters, int parameter);

  /// @param weight  index in Program::weights
  const cpu::PackedWeight& operator[](std::int32_t weight) const { return packs_[weight].packed; }

 private:
  struct Pack {
    const Weight& weight;
    cpu::PackedWeight packed;
    std::vector<std::uint64_t> versions;  // [weight.parameters] version that is packed
  };
  static cpu::PackedWeight make_pack(const Program& program, const Weight& weight, cpu::Precision precision);
  void place();  // allocates the packs

  cpu::AlignedFloats memory_;  // all packs in one allocation, so that it gets large pages
  std::vector<Pack> packs_;
  std::vector<Place> homes_;                // [parameters] what find() returns
  std::vector<std::vector<Place>> others_;  // [parameters] places in other packs, also transposed
  std::mutex mutex_;
};

}  // namespace cavs::inline v0_1
