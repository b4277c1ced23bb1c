#pragma once

#include <functional>
#include <memory>

#include "execute/batched/instruction_runner.h"
#include "execute/engine.h"

namespace cavs {

/// Which steps of a plan: F, ∂F, or F and then ∂F.
enum class Directions : std::uint8_t { kForward, kBackward, kBoth };

/// Takes the workers of a team through the steps of a plan.
class StepDriver {
 public:
  virtual ~StepDriver() = default;

  /// As soon as a plan is made: see EngineRun::prepare.
  virtual bool prepare(Execution&, const Plan&, bool first) { return static_cast<void>(first), false; }
  /// Around F, by one thread.
  virtual void open(Execution&) {}
  virtual void close(Execution&) {}
  /// Called by every worker.
  virtual void run(Worker& worker, Directions directions) = 0;
  /// Called by every worker after ∂F, when all gradients are there. @param is_possible  see take_part
  virtual void update(Worker& worker, UpdateShare& update, const std::function<bool()>& is_possible) = 0;
  virtual bool streams() const = 0;
  /// Which weights stay with which workers from one product to the next; nullptr: none.
  virtual const WeightPlacement* placement() const { return nullptr; }
};

/// What a driver is made for; all of it outlives the driver.
struct DriverContext {
  const Program& program;
  const PackedWeights& weights;
  cpu::Precision precision;
  InstructionRunner& instructions;
  const Workers& workers;
  Team& team;
  bool check_scripts;  // SessionOptions
};
using MakeDriver = std::function<std::unique_ptr<StepDriver>(const DriverContext&)>;

}  // namespace cavs
