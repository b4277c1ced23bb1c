#include "bindings.h"
#include "cavs/error.h"
#include "cavs/files.h"
#include "cavs/version.h"

NB_MODULE(_core, m) {
  using namespace cavs::python;
  m.doc() = "Dynamic neural networks from one declared vertex function.";
  m.attr("version") = CAVS_VERSION;
  nb::exception<cavs::UserError>(m, "Error", PyExc_ValueError).attr("__doc__") =
      "An error that the caller can fix: the message says what was found, what was expected, and where.";
  nb::exception<cavs::InternalError>(m, "InternalError", PyExc_RuntimeError).attr("__doc__") =
      "A bug in the library; please report it.";
  cavs::on_save_warning([](const std::string& warning) {
    const nb::gil_scoped_acquire lock;
    warn(warning);
  });
  bind_symbols(m);
  bind_scalars(m);
  bind_operators(m);
  bind_signs(m);
  bind_model(m);
  bind_layers(m);
  bind_graphs(m);
  bind_data(m);
  bind_zoo(m);
  bind_optimizer(m);
  bind_parameters(m);
  bind_session(m);
  bind_inspect(m);
  bind_training(m);
  bind_trained(m);
  bind_torch(m);
}
