#include "cli/interrupt.h"

#include <csignal>
#include <utility>
#include <vector>

namespace cavs::cli {
namespace {

volatile std::sig_atomic_t stop_signal = 0, save_requests = 0;

struct Handled {
  int signal;
  struct sigaction before;
};
std::vector<Handled> handled;

void ask_to_stop(int signal) { stop_signal = signal; }
void ask_to_save(int /*signal*/) { save_requests = 1; }

void watch(int signal, void (*handler)(int), unsigned flags) {
  struct sigaction action = {}, before = {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(flags | SA_RESTART);
  sigaction(signal, &action, &before);
  handled.push_back({signal, before});
}

bool is_ignored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void watch_for_save_requests() {
  watch(SIGUSR1, ask_to_save, 0);
  watch(SIGXCPU, ask_to_stop, 0);  // the system sends it each second, so the handler stays installed
}

bool asked_to_save() { return save_requests != 0 && std::exchange(save_requests, 0) != 0; }

void watch_for_interrupt() {
  watch(SIGINT, ask_to_stop, SA_RESETHAND);
  watch(SIGTERM, ask_to_stop, SA_RESETHAND);
  if (!is_ignored(SIGHUP)) watch(SIGHUP, ask_to_stop, SA_RESETHAND);
}

bool interrupted() { return stop_signal != 0; }

void stop_watching() {
  for (; !handled.empty(); handled.pop_back()) sigaction(handled.back().signal, &handled.back().before, nullptr);
  stop_signal = 0;
  save_requests = 0;
}

const char* interrupt_name() {
  switch (stop_signal) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    case SIGXCPU:
      return "SIGXCPU (the limit of processor time)";
    default:
      return "";
  }
}

}  // namespace cavs::cli
