// ardvark: the command-line program.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "commands.hpp"

namespace {

bool is_limited(decltype(RLIMIT_AS) resource) {
  rlimit limit = {};
  return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

// Each thread of OpenBLAS takes 128 MB of address space; if it gets none, OpenBLAS asks again without end. If memory is limited, the
// program therefore starts itself again with one thread for OpenBLAS.
void hold_blas_at_one_thread(char** argv) {
  const char* set = std::getenv("OPENBLAS_NUM_THREADS");
  if ((set != nullptr && std::string_view(set) == "1") || !(is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA))) return;
  if (::setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0) ::execv("/proc/self/exe", argv);  // returns only if it fails
}

const ardvark::cli::ProgramText text = {
    "ardvark", "ardvark: sparse Bayesian linear models and relevance vector machines by variational inference",
    "Example:\n"
    "  ardvark fit examples/data/Pima.tr.csv --target type --model logistic -o pima.ardvark\n"
    "  ardvark show pima.ardvark\n"
    "  ardvark predict pima.ardvark examples/data/Pima.te.csv -o predictions.csv\n"
    "  ardvark report pima.ardvark examples/data/Pima.te.csv -o report.html\n"
    "  ardvark select examples/data/Pima.tr.csv --target type --preset slr_var\n"
    "  ardvark compare examples/data/Pima.tr.csv --target type --model logistic\n"
    "Exit codes: 0 success; 2 wrong arguments, or wrong contents of a table or a model file; 3 a file cannot be read or written, or there "
    "is not enough memory; 4 with --strict, the fit has not converged; with -o, there is no fit to save."};

}  // namespace

int main(int argc, char** argv) {
  using namespace ardvark::cli;
  hold_blas_at_one_thread(argv);
  return run_program(text,
                     {add_fit, add_select, add_compare, add_predict, add_show, add_report, add_stats, add_merge, add_explain, add_presets},
                     {argv + 1, argv + argc});
}
