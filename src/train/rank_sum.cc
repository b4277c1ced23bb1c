#include "train/rank_sum.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

#include "execute/run_state.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

using Clock = std::chrono::steady_clock;

/// Minimum number of floats in a piece that is exchanged early: 256 KB.
constexpr std::int64_t kPieceNumbers = 1 << 16;

}  // namespace

RankSum::RankSum(Job& job, std::span<const char> frozen, std::span<const std::size_t> early, Gradients& total,
                 StepSum& own)
    : job_(job), own_(own), progress_(total.size()) {
  const std::vector<ParameterInfo>& list = *total.list();
  std::vector<char> is_listed(frozen.begin(), frozen.end());
  is_listed.resize(list.size());
  std::vector<std::size_t> dense;
  const auto add_piece = [&](std::vector<PieceSum::Table> tables) {
    pieces_.emplace_back(job, shares_, total, std::exchange(dense, {}), std::move(tables), own.adds_absent_rows());
  };
  std::int64_t numbers = 0;
  for (const std::size_t p : early) {
    if (is_listed[p] != 0) continue;
    dense.push_back(p);
    numbers += list[p].shape.size();
    if (numbers < kPieceNumbers) continue;
    for (const std::size_t listed : dense) is_listed[listed] = 1;
    numbers = 0;
    add_piece({});
  }
  dense.clear();
  std::vector<PieceSum::Table> tables;
  for (std::size_t p = 0; p < list.size(); ++p) {
    if (is_listed[p] != 0) continue;
    if (list[p].table)
      tables.push_back({p, list[p].shape.dims[0], list[p].shape.dims[1]});
    else
      dense.push_back(p);
  }
  add_piece(std::move(tables));
}

void RankSum::begin(std::int64_t minibatches) {
  shares_ = RankShares(minibatches, job_);
  losses_.clear();
  for (PieceSum& piece : pieces_) piece.begin();
}

void RankSum::add_subtree() {
  for (PieceSum& piece : pieces_) piece.add_subtree();
}

RankSum::Losses RankSum::meet(const std::string& where) {
  const std::vector<std::vector<std::byte>> all = job_.meet(where, std::as_bytes(std::span(losses_)));
  Losses sum;
  for (int r = 0; r < job_.ranks(); ++r) {
    const auto share = static_cast<std::size_t>(share_of(shares_.minibatches, r, job_.ranks()).size());
    user_check(all[r].size() == share * sizeof(Losses), "{} sent the losses of {} bytes in {}; expected {}",
               job_.name(r), all[r].size(), where, share * sizeof(Losses));
    for (std::size_t m = 0; m < share; ++m) {
      Losses of;
      std::memcpy(&of, all[r].data() + m * sizeof of, sizeof of);
      sum.loss += of.loss;
      sum.labels += of.labels;
    }
  }
  return sum;
}

/// Exchanges each early piece when its gradients are complete. If the backward pass has failed, the numbers exchanged
/// are meaningless; the other ranks hear of the failure when they meet.
void RankSum::exchange_early() {
  for (PieceSum& piece : std::span(pieces_).first(pieces_.size() - 1)) {
    for (const std::size_t p : piece.dense()) {
      progress_.wait(p);
      if (last() >= 0) own_.add_gradient(p);
    }
    if (last() >= 0) piece.add_subtree();
    piece.finish();
  }
}

RankSum::Losses RankSum::meet(const std::string& where, const std::function<void(GradientProgress&)>& last_pass) {
  const bool has_early = pieces_.size() > 1;
  Losses losses;
  std::exception_ptr thrown;  // what the exchanging thread threw
  Clock::time_point ended, met;
  job_.guard([&] {
    progress_.begin();
    std::jthread exchange;
    const auto work = [&] {
      try {
        losses = meet(where);
        met = Clock::now();
        exchange_early();
      } catch (...) {
        thrown = std::current_exception();
      }
    };
    if (has_early) exchange = std::jthread(work);
    const auto end = [&] {
      progress_.finish();
      ended = Clock::now();
      if (exchange.joinable()) exchange.join();
    };
    try {
      last_pass(progress_);
    } catch (...) {
      end();
      if (thrown == nullptr) throw;
    }
    end();
    if (thrown != nullptr || last() < 0) return;
    own_.add();
    pieces_.back().add_subtree();
  });
  if (thrown != nullptr) std::rethrow_exception(thrown);
  if (has_early) {
    static_cast<void>(job_.meet(where + ": last gradients"));
  } else {
    losses = meet(where);
    met = Clock::now();
  }
  wait_ms_ = std::max(0.0, std::chrono::duration<double, std::milli>(met - ended).count());
  exchange_ms_ = milliseconds_since(ended) - wait_ms_;
  return losses;
}

void RankSum::finish() {
  const Clock::time_point start = Clock::now();
  pieces_.back().finish();
  exchange_ms_ += milliseconds_since(start);
}

}  // namespace cavs::inline v0_1
