#pragma once

#include <cstdint>
#include <string>

#include "cavs/compile.h"
#include "cavs/graph.h"
#include "cavs/model.h"
#include "cavs/policy.h"
#include "cavs/session.h"
#include "cavs/trainer.h"

/// The laws that hold for every model, every data set and every combination of options. This file and laws.cc use the
/// public interface alone, so that a printed case (print_case.h) is a program of its own.
namespace cavs::law {

/// The samples that are evaluated, in their order.
enum class Order : std::uint8_t { kAll, kReversed, kTwice, kSome };

/// All options, and what else a caller may choose.
struct LawOptions {
  CompileOptions compile = {};
  SessionOptions session = {};  // policy "fsm:FILE": a file that is written for the case
  ForwardOptions forward = {};
  TrainOptions train = {};  // its session and its disabled passes are those above
  LearnOptions learn = {.samples = 3, .held_out = 1, .trials = 12};
  int other_threads = 2;  // which must give the same bits
  Order order = Order::kAll;
  int minibatch = 0;                // samples in a minibatch; 0: all
  bool prefetch = false;            // announces the next minibatch
  bool give_box = false;            // the run is given the rows of port "box"
  bool push_gradients = false;      // backward is given gradients of pushes
  bool halve = false;               // the caller halves the gradients before an update
  bool defer = false;               // backward defers gradients to the update, where that can be
  bool exact_memory_limit = false;  // what Session::memory tells
  bool stream = false;              // trains on a stream
  bool start = false;               // trains by Trainer::start
  bool checkpoint_file = false;     // resumes from a file
  int steps = 0, stop = 1;          // of training; where it stops and resumes
  int ranks = 1;                    // that resume it, at most as many as minibatches of a step
};

/// Counts events without which a law would be about nothing.
struct Events {
  std::int64_t runs = 0, given = 0, deferred = 0, streamed_rows = 0, fallbacks = 0, clipped = 0, in_mid_epoch = 0;
  std::int64_t ill_conditioned = 0, not_finite = 0, trained = 0, compared_training = 0, on_ranks = 0;
};

/// The first law that the library breaks for this model, these data and these options; empty: it keeps them all.
///   1. losses, outputs and gradients of the reference engine, and training that ends where the reference's does
///   2. the same bits for other threads, and with streaming on or off
///   3. the same output bits with other batch-mates
///   4. the same bits without passes that only move work, and the same output bits without passes of which ∂F alone
///      knows
///   5. the same bits of an update on all threads as of Optimizer::step; on a GPU the same numbers
///   6. the same bits of training that stops and resumes, on any number of ranks, as of training that never stopped
/// @param data  graphs as data have them; a network's are made of them
/// @throws UserError where the library refuses the combination.
std::string broken_law(const Model& model, const GraphSet& data, const LawOptions& options, Events* events = nullptr);

}  // namespace cavs::law
