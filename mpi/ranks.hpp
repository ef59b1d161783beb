// The ranks of an MPI job, and the commands that they run.
#pragma once

#include <mpi.h>

#include <climits>
#include <string>
#include <utility>

#include "ardvark/errors.hpp"
#include "commands.hpp"

namespace ardvark::cli {

/// The ranks of the job. A failure of MPI itself ends the job.
class Ranks {
 public:
  Ranks() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  [[nodiscard]] bool is_first() const { return rank_ == 0; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  /// The text of the first rank, in all ranks.
  [[nodiscard]] std::string of_first(std::string text) const {
    int length = static_cast<int>(text.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    text.resize(static_cast<std::size_t>(length));
    MPI_Bcast(text.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
    return text;
  }
  /// Sends to the first rank, and returns while the bytes are on their way; the next call waits for them.
  void send(std::string bytes) {
    finish_sending();
    if (bytes.size() > INT_MAX)
      throw InvalidArgument(
          "the sums over the rows of a file have more than 2 GB, which MPI does not send: the table has too many columns");
    sending_ = std::move(bytes);
    MPI_Isend(sending_.data(), static_cast<int>(sending_.size()), MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request_);
  }
  [[nodiscard]] static std::string receive(int from) {
    MPI_Status status;
    int length = 0;
    MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &length);
    std::string bytes(static_cast<std::size_t>(length), '\0');
    MPI_Recv(bytes.data(), length, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return bytes;
  }
  void finish_sending() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

  /// The first rank has found the command right: the others begin.
  void begin() {
    static_cast<void>(of_first("begin"));
    began_ = true;
  }
  [[nodiscard]] bool has_begun() const { return began_; }

 private:
  int rank_ = 0, size_ = 1;
  bool began_ = false;
  std::string sending_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

extern Ranks* ranks;  ///< they exist from MPI_Init to MPI_Finalize, which a program may call once

/// Reads a file; a message says which rank and which file.
template <typename Read>
auto read_part(const std::string& file, Read&& read) try {
  return read();
} catch (const EnvironmentError& e) {
  throw EnvironmentError("rank " + std::to_string(ranks->rank()) + ": " + e.what());
} catch (const InvalidArgument& e) {
  throw InvalidArgument("in '" + file + "': " + e.what());
}

void add_mpi_stats(CLI::App& app, Run& run);
void add_mpi_fit(CLI::App& app, Run& run);

}  // namespace ardvark::cli
