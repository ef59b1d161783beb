// ardvark: the command-line program.
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <new>
#include <unistd.h>

#include "ardvark/errors.hpp"
#include "cli_version.hpp"
#include "commands.hpp"

namespace ardvark::cli {
namespace {

extern "C" void on_interrupt(int) {
  constexpr char text[] = "\nardvark: interrupted; nothing was written\n";
  const auto written = ::write(2, text, sizeof text - 1);
  static_cast<void>(written);
  ::_exit(interrupted);
}

}  // namespace

UninterruptedWrite::UninterruptedWrite() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

UninterruptedWrite::~UninterruptedWrite() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

std::vector<std::string> split_names(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists)
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      if (end > begin) names.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  return names;
}

ProgressLine::ProgressLine(bool wanted) : on_(wanted && ::isatty(2) == 1) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(int sweep, double bound, double elapsed_seconds) {
  if (!on_ || elapsed_seconds < 1 || elapsed_seconds - last_ < 0.2) return;
  last_ = elapsed_seconds;
  shown_ = true;
  fmt::print(stderr, "\r\033[Ksweep {}, bound {:.4f}, {:.0f} s", sweep, bound, elapsed_seconds);
  std::fflush(stderr);
}

int main(int argc, char** argv) {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  CLI::App app{"ardvark: sparse Bayesian linear models by variational inference"};
  app.set_version_flag("--version", fmt::format("ardvark {}", ARDVARK_VERSION));
  app.require_subcommand(1);
  app.footer(
      "Example:\n"
      "  ardvark fit examples/data/Pima.tr.csv --target type --model logistic -o pima.ardvark\n"
      "  ardvark show pima.ardvark\n"
      "  ardvark predict pima.ardvark examples/data/Pima.te.csv -o predictions.csv\n"
      "Exit codes: 0 done; 2 the arguments or the data are wrong; 3 a file or memory failed; 4 not converged, with --strict.");
  Run run;
  add_fit(app, run);
  add_predict(app, run);
  add_show(app, run);
  try {
    app.parse(argc, argv);
    return run();
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    fmt::print(stderr, "ardvark: {}\n", e.what());
    return invalid_argument;
  } catch (const InvalidArgument& e) {
    fmt::print(stderr, "ardvark: {}\n", e.what());
    return invalid_argument;
  } catch (const EnvironmentError& e) {
    fmt::print(stderr, "ardvark: {}\n", e.what());
    return environment_error;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "ardvark: memory is not enough for this problem\n");
    return environment_error;
  } catch (const std::exception& e) {
    fmt::print(stderr, "ardvark: internal error, please report it: {}\n", e.what());
    return internal_error;
  }
}

}  // namespace ardvark::cli

int main(int argc, char** argv) { return ardvark::cli::main(argc, argv); }
