#include "measure/peak.h"

#include <algorithm>
#include <numeric>

#include "execute/session_access.h"
#include "measure/rounds.h"

namespace cavs {

void Peak::burst(Session& session) {
  constexpr std::int64_t kSteps = 200'000;
  detail::SessionAccess::share(session, [&](int worker, int) {
    const cpu::TileScope tiles(precision_);
    double flops = 0;
    const double ms = WorkClock(1).milliseconds_of([&] { flops = cpu::multiply_adds(kSteps, precision_); });
    double& best = gflops_[static_cast<std::size_t>(worker)];
    best = std::max(best, flops / ms / 1e6);
  });
}

double Peak::gflops() const { return std::accumulate(gflops_.begin(), gflops_.end(), 0.0); }

}  // namespace cavs
