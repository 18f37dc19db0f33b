// Ctrl-C in loops that take long: kernels call poll() between pieces of work.
#pragma once
#include <nanobind/nanobind.h>

#include <chrono>

namespace trueval {

class Signals {
public:
    // Lets Python handle signals, at most some times a second, and leaves the kernel where a handler
    // raised. The caller has released the GIL. Threads but the main one never see a signal.
    void operator()() {
        auto now = std::chrono::steady_clock::now();
        if (now < next_) return;
        next_ = now + std::chrono::milliseconds(50);
        nanobind::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    }

private:
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

}  // namespace trueval
