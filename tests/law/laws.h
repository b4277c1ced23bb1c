#pragma once

#include <cstdint>
#include <string>

#include "cavs/compile.h"
#include "cavs/graph.h"
#include "cavs/model.h"
#include "cavs/policy.h"
#include "cavs/session.h"
#include "cavs/trainer.h"

/// Laws that hold for every model, every data set and every combination of options. This file and laws.cc use only the
/// public interface, so a printed case (print_case.h) is a complete program.
namespace cavs::law {

/// The samples to evaluate, and their order.
enum class Order : std::uint8_t { kAll, kReversed, kTwice, kSome };

/// All options, and the other choices of a caller.
struct LawOptions {
  CompileOptions compile = {};
  SessionOptions session = {};  // policy "fsm:FILE" reads a file that is written for the case
  ForwardOptions forward = {};
  TrainOptions train = {};  // its session and disabled passes come from the members above
  LearnOptions learn = {.samples = 3, .held_out = 1, .trials = 12};
  int other_threads = 2;  // number of threads that must give the same bits
  Order order = Order::kAll;
  int minibatch = 0;                // number of samples per minibatch; 0 means all
  bool prefetch = false;            // announce the next minibatch
  bool supplies_box = false;        // the caller supplies the rows of port "box"
  bool push_gradients = false;      // the caller supplies gradients of pushes
  bool halve = false;               // the caller halves the gradients before an update
  bool defer = false;               // backward leaves gradients to the update where possible
  bool exact_memory_limit = false;  // the limit is exactly what Session::memory reports
  bool stream = false;              // train on a stream
  bool start = false;               // train with Trainer::start
  bool checkpoint_file = false;     // resume from a file
  int steps = 0, stop = 1;          // number of training steps, and the step after which training stops and resumes
  int ranks = 1;                    // number of ranks that resume, at most the number of minibatches per step
};

/// Counts of events that must occur for a law to be tested at all.
struct Events {
  std::int64_t runs = 0, given = 0, deferred = 0, streamed_rows = 0, fallbacks = 0, clipped = 0, in_mid_epoch = 0;
  std::int64_t ill_conditioned = 0, not_finite = 0, trained = 0, compared_training = 0, on_ranks = 0;
};

/// The first law that the library breaks for this model, data and options. Empty if all of these hold:
///   1. losses, outputs, gradients and the result of training agree with the reference engine
///   2. other numbers of threads, and streaming on or off, give the same bits
///   3. other samples in the minibatch give the same output bits
///   4. passes that only move work change no bits, and passes that affect only ∂F change no output bits
///   5. an update on all threads has the bits of Optimizer::step; on a GPU, close numbers
///   6. training that stops and resumes, on any number of ranks, has the bits of training that never stopped
/// @param data  graphs as in the data set, before a network or graph builder transforms them
/// @throws UserError if the library refuses the combination
std::string broken_law(const Model& model, const GraphSet& data, const LawOptions& options, Events* events = nullptr);

}  // namespace cavs::law
