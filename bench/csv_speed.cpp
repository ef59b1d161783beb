// How fast read_csv is: a numeric table of 1,000,000 x 20, numbers of 6 and of 17 digits, one thread, the file in the page cache.
// Usage: csv_speed [rows [columns]]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ardvark/table.hpp"

namespace {

namespace fs = std::filesystem;

struct TemporaryFile {
  fs::path path;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
};

bool write_table(const fs::path& path, const char* format, int rows, int columns) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), &std::fclose);
  if (!file) return false;
  for (int j = 0; j < columns; ++j) std::fprintf(file.get(), "%sx%d", j == 0 ? "" : ",", j + 1);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      std::fputc(j == 0 ? '\n' : ',', file.get());
      std::fprintf(file.get(), format, normal(random));
    }
  std::fputc('\n', file.get());
  return std::ferror(file.get()) == 0;
}

double seconds_to_read(const std::string& path) {
  const auto start = std::chrono::steady_clock::now();
  const ardvark::Table table = ardvark::read_csv(path);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int measure(int rows, int columns) {
  for (const char* format : {"%.6g", "%.17g"}) {
    const TemporaryFile file{fs::temp_directory_path() / ("csv_speed_" + std::to_string(::getpid()) + ".csv")};
    if (!write_table(file.path, format, rows, columns)) {
      std::fprintf(stderr, "cannot write %s\n", file.path.c_str());
      return 3;
    }
    const double megabytes = 1e-6 * static_cast<double>(fs::file_size(file.path));
    std::vector<double> seconds;
    for (int run = 0; run < 5; ++run) seconds.push_back(seconds_to_read(file.path.string()));
    std::sort(seconds.begin(), seconds.end());
    std::printf("%-6s %d x %d, %.0f MB: %.0f MB/s (median of 5; %.3f s, fastest %.3f s)\n", format, rows, columns, megabytes,
                megabytes / seconds[2], seconds[2], seconds[0]);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
  const int columns = argc > 2 ? std::atoi(argv[2]) : 20;
  if (rows < 1 || columns < 1) {
    std::fprintf(stderr, "usage: csv_speed [rows [columns]]\n");
    return 2;
  }
  return measure(rows, columns);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
