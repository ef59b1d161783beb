// ardvark-mpi: commands that the ranks of an MPI job run together.
#include "ranks.hpp"

namespace ardvark::cli {
namespace {

const ProgramText about = {"ardvark-mpi", "ardvark-mpi: a table in many files, read by the ranks of an MPI job",
                           "Examples:\n  mpirun -n 4 ardvark-mpi stats 'part-*.csv' --target y -o all.stats\n"
                           "  mpirun -n 4 ardvark-mpi fit 'part-*.csv' --target y --model logistic -o model.ardvark\n"
                           "Exit codes: 0 success; 2 wrong arguments, or wrong contents of a table; 3 a file cannot be read or written, or "
                           "there is not enough memory. After an error, or if a rank is killed, mpirun ends the job."};

}  // namespace

Ranks* ranks = nullptr;

}  // namespace ardvark::cli

int main(int argc, char** argv) {
  using namespace ardvark::cli;
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::vector<AddCommand> commands = {add_mpi_stats, add_mpi_fit};
  // While it is built, it prints these; a machine that builds need not be able to start MPI.
  if (!words.empty() && (words.front() == "--completion" || words.front() == "--man")) return run_program(about, commands, words);
  Ranks all;
  ranks = &all;
  if (!all.is_first() && all.of_first("") != "begin") return MPI_Finalize();
  const int code = run_program(about, commands, words);
  if (all.is_first() && !all.has_begun())
    static_cast<void>(all.of_first("end"));  // it printed a help, or an error
  else if (code != ok)
    MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return code;
}
