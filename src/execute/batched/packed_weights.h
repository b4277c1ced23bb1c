#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "backend/cpu/kernels.h"
#include "cavs/parameters.h"
#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Packed copies of the weights that a program multiplies with, renewed when a parameter's version moves. Sessions may
/// share them.
class PackedWeights {
 public:
  PackedWeights(const Program& program, cpu::Precision precision);

  /// Where a parameter stands as it is declared.
  struct Place {
    std::int32_t weight = -1;  // -1: nowhere
    int part = 0;
  };
  const Place& find(int parameter) const { return homes_[parameter]; }

  /// Held by a session from stale() to mark_fresh(), so that others wait for what it renews.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  /// Worker's share of renewing what is older than the parameters. All workers call it; none may use a pack before all
  /// have returned, and mark_fresh must be called once in between.
  void refresh(const Parameters& parameters, int worker, int workers);
  /// The same for rows [begin, end) of one parameter, row-major: workers renew disjoint multiples of kSlice rows.
  void renew_rows(int parameter, std::int32_t begin, std::int32_t end, const float* rows);
  /// Whether a parameter lies in squares in all of its packs.
  bool has_squares(int parameter) const;
  /// Where kSlice columns of a parameter lie as it is declared, from a row on: one row after the other. After rows
  /// [row_begin, row_end) of them, a multiple of kSlice, were changed, renew_strip() brings these to the other packs.
  float* strip(int parameter, int row, int column) {
    const Place& place = homes_[parameter];
    return packs_[place.weight].packed.square(place.part, row, column);
  }
  void renew_strip(int parameter, const float* strip, int row_begin, int row_end, int column);
  /// Whether anything is older than the parameters; then these are ready to be read by all workers.
  bool stale(const Parameters& parameters) const;
  void mark_fresh(const Parameters& parameters);
  /// The same for one parameter.
  void mark_fresh(const Parameters& parameters, int parameter);

  /// @param weight  into Program::weights
  const cpu::PackedWeight& operator[](std::int32_t weight) const { return packs_[weight].packed; }

 private:
  struct Pack {
    const Weight& weight;
    cpu::PackedWeight packed;
    std::vector<std::uint64_t> versions;  // of the parameters that are packed
  };
  static cpu::PackedWeight make_pack(const Program& program, const Weight& weight, cpu::Precision precision);
  void place();  // gives the packs their memory

  cpu::AlignedFloats memory_;  // of all packs in one piece, so that it has large pages
  std::vector<Pack> packs_;
  std::vector<Place> homes_;                // [parameters] see find()
  std::vector<std::vector<Place>> others_;  // [parameters] where it stands as well
  std::mutex mutex_;
};

}  // namespace cavs::inline v0_1
