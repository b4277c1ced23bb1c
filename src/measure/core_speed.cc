#include "measure/core_speed.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "backend/cpu/kernels.h"
#include "execute/team.h"
#include "measure/peak.h"

namespace cavs {
namespace {

constexpr int kRounds = 10;
using Clock = std::chrono::steady_clock;

double microseconds_of(const std::function<void()>& f) {
  const auto start = Clock::now();
  f();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// The best round counts: other work on the machine can only slow one down.
double best_of_rounds(const std::function<double()>& round) {
  double best = round();
  for (int i = 1; i < kRounds; ++i) best = std::min(best, round());
  return best;
}

CoreSpeed::Pass measure_pass(Team& team, std::int64_t bytes) {
  constexpr int kDepth = 256;
  constexpr std::int64_t kTraffic = std::int64_t{16} << 20;  // of each core in a round
  const int columns = static_cast<int>(bytes / kDepth / 4);
  const auto passes = static_cast<int>(std::max<std::int64_t>(kTraffic / bytes, 1));
  const std::vector<float> values(static_cast<std::size_t>(kDepth) * columns, 0.5F);
  std::vector<std::unique_ptr<cpu::PackedWeight>> weights(static_cast<std::size_t>(team.size()));
  std::vector<double> us(weights.size());
  const auto make = [&](int worker) {
    auto& weight = weights[static_cast<std::size_t>(worker)];
    weight = std::make_unique<cpu::PackedWeight>(kDepth, columns);
    weight->pack(0, values.data(), false, 0, kDepth);
  };
  team.run(std::ref(make));
  const auto work = [&](int worker) {
    const cpu::PackedWeight& weight = *weights[static_cast<std::size_t>(worker)];
    const std::vector<float> x(kDepth, 0.5F);
    std::vector<float> y(static_cast<std::size_t>(columns));
    cpu::Scratch scratch;
    const auto pass = [&] {
      cpu::matmul({x.data(), kDepth, nullptr, kDepth}, 0, 1, weight, {y.data(), columns, columns}, 0, weight.units(),
                  scratch);
    };
    pass();  // into the cache
    team.barrier(worker);
    us[static_cast<std::size_t>(worker)] = microseconds_of([&] {
      for (int i = 0; i < passes; ++i) pass();
    });
  };
  const double best = best_of_rounds([&] {
    team.run(std::ref(work));
    return *std::ranges::max_element(us);
  });
  return {bytes, static_cast<double>(bytes) * passes / best / 1e3};
}

double measure_rendezvous(Team& team) {
  constexpr int kMeetings = 500;
  const auto work = [&](int worker) {
    for (int i = 0; i < kMeetings; ++i) team.barrier(worker);
  };
  return best_of_rounds([&] { return microseconds_of([&] { team.run(std::ref(work)); }); }) / kMeetings;
}

}  // namespace

double CoreSpeed::gb_s(double bytes) const {
  const auto above = std::ranges::find_if(passes, [&](const Pass& p) { return static_cast<double>(p.bytes) >= bytes; });
  if (above == passes.begin()) return passes.front().gb_s;
  if (above == passes.end()) return passes.back().gb_s;
  const Pass &low = *(above - 1), &high = *above;
  const double part = std::log(bytes / static_cast<double>(low.bytes)) /
                      std::log(static_cast<double>(high.bytes) / static_cast<double>(low.bytes));
  return low.gb_s + part * (high.gb_s - low.gb_s);
}

CoreSpeed measure_cores(int cores) {
  Team team(cores);
  CoreSpeed speed;
  speed.cores = cores;
  Peak peak(cores);
  for (int i = 0; i < kRounds; ++i) peak.burst(team);
  speed.gflops = peak.gflops() / cores;
  for (const std::int64_t kib : {64, 256, 512, 1024, 1536, 2048, 4096})
    speed.passes.push_back(measure_pass(team, kib << 10));
  if (cores > 1) speed.rendezvous_us = measure_rendezvous(team);
  return speed;
}

}  // namespace cavs
