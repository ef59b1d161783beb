// What a model of another kind than a likelihood asks of rows that are not in memory, and how it is sent.      docs/math/passes.md (PASS.7)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ardvark/row_pass.hpp"
#include "rows/waiting_rows.hpp"

namespace ardvark::internal {

class RowWork;

/// Writes the members of a work by name. Vectors and matrices are not copied: they must exist until
/// the bytes do.
class WorkWriter {
 public:
  virtual ~WorkWriter() = default;
  virtual void flag(const char* name, bool value) = 0;
  virtual void whole_number(const char* name, Index value) = 0;
  virtual void whole_numbers(const char* name, const std::vector<Index>& values) = 0;
  virtual void text(const char* name, const std::string& value) = 0;
  virtual void bits(const char* name, std::uint64_t value) = 0;
  virtual void numbers(const char* name, const std::vector<double>& values) = 0;  ///< a few: they are copied
  virtual void vector(const char* name, const Vector& v) = 0;
  virtual void matrix(const char* name, const Matrix& M) = 0;
  virtual void part(std::size_t number, const RowWork& work) = 0;  ///< a work that belongs to this one
};

/// Reads what a WorkWriter has written. \throws InvalidArgument  nothing of this name and type
class WorkReader {
 public:
  virtual ~WorkReader() = default;
  [[nodiscard]] virtual bool flag(const char* name) const = 0;
  [[nodiscard]] virtual Index whole_number(const char* name) const = 0;
  [[nodiscard]] virtual std::vector<Index> whole_numbers(const char* name) const = 0;
  [[nodiscard]] virtual std::string text(const char* name) const = 0;
  [[nodiscard]] virtual std::uint64_t bits(const char* name) const = 0;
  [[nodiscard]] virtual Vector vector(const char* name) const = 0;  ///< also numbers
  [[nodiscard]] virtual Matrix matrix(const char* name) const = 0;
  [[nodiscard]] virtual Index count(const char* name) const = 0;  ///< a whole number that is the number of parts
  /// \param of  the name of the work
  [[nodiscard]] virtual std::unique_ptr<WorkReader> part(std::size_t number, const char* of) const = 0;
  /// The question that the work belongs to: columns, labels and units.
  [[nodiscard]] virtual const RowQuestion::State& question() const = 0;
};

/// Of what was read. \throws InvalidArgument  it does not hold
inline void require_consistent(bool holds) {
  if (!holds) throw InvalidArgument("the bytes given are damaged: their numbers contradict each other");
}

/// Numbers that are added up. Another kind needs, beside its class, a static function `read` and a row in io/row_works.cpp.
class RowWork {
 public:
  virtual ~RowWork() = default;
  /// [numbers] of the rows of a block; those of all blocks are added.
  [[nodiscard]] virtual Vector sums_of(const RowBlock& block) const = 0;
  /// The name, unique to this kind, under which a work is written and read.
  [[nodiscard]] virtual const char* name() const = 0;
  virtual void write(WorkWriter& to) const = 0;
};

}  // namespace ardvark::internal
