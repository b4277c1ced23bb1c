#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "bindings.h"
#include "cavs/checkpoint.h"
#include "cavs/session.h"
#include "cavs/trained_model.h"

namespace cavs::python {

/// A model of a checkpoint, and the checkpoint, so that it is saved with all that it had.
struct PyTrained {
  /// What evaluates pushes; kept from one prediction to the next.
  struct Forward {
    std::shared_ptr<const Program> program;
    std::unique_ptr<Session> session;
    int threads = 0;
  };
  Checkpoint checkpoint = {};
  TrainedModel trained;
  Forward forward = {};
  PyParameters parameters = {};

  std::atomic<bool>& busy() const { return *parameters.busy; }
};

/// @throws UserError as trained_model().
std::unique_ptr<PyTrained> make_trained(Checkpoint checkpoint);

}  // namespace cavs::python
