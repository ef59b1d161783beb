// Files of Parquet, which DuckDB writes, for tests of what reads them.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "ardvark/errors.hpp"
#include "io/duckdb.hpp"
#include "support/paths.hpp"

namespace ardvark::testing {

/// DuckDB, in .venv of this checkout unless the environment names another one; none: it is not there, and `why` says so.
inline internal::io::DuckDb* duckdb_or_none(std::string& why) {
  static std::optional<internal::io::DuckDb> duckdb;
  static std::string reason;
  ::setenv("VIRTUAL_ENV", data_path("../../.venv").c_str(), 0);  // for the program, too
  if (!duckdb && reason.empty()) try {
      duckdb.emplace("a test");
    } catch (const EnvironmentError& e) {
      reason = e.what();
    }
  why = reason;
  return duckdb ? &*duckdb : nullptr;
}

/// Writes the answer of a question, such as "SELECT range AS x FROM range(10)".
inline void write_parquet(const internal::io::DuckDb& duckdb, const std::string& path, const std::string& question,
                          const std::string& options = "") {
  static_cast<void>(duckdb.ask("COPY (" + question + ") TO '" + path + "' (FORMAT parquet" + options + ")", 1, path)->next());
}

}  // namespace ardvark::testing
