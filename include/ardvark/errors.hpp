// The exceptions of ardvark. Numerical trouble is not an exception: see Report::status (report.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace ardvark {

/// The base of every exception that this library throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What an InvalidArgument is about. What is not known, or does not apply, is empty.
struct ErrorFields {
  std::string argument = {};  ///< the argument or option, as its user writes it: "X", "prior", "--prior"; the message begins with it
  std::string value = {};     ///< the value that is wrong, as a text without quotes
  std::int64_t row = 0;       ///< from 1, of the table or the file; 0: none
  std::string row_name = {};  ///< of the row in the message, if it is more than "row 3": "row 3 (line 4) of 'a.csv'"
  std::string column = {};    ///< its name
  std::string why = {};       ///< the constraint that does not hold: "all values must be finite"
  std::string remedy = {};    ///< what can be done; the message ends with it
};

/// A wrong argument, found before any work. The message names the argument, its value and the constraint; so do the fields, for programs.
/// (CLI: exit 2)
class InvalidArgument : public Error {
 public:
  /// About no argument in particular.
  explicit InvalidArgument(const std::string& message) : InvalidArgument(ErrorFields(), message) {}
  /// "ARGUMENT at row 3, column 'COLUMN' is VALUE; WHY; REMEDY", without what is empty.
  explicit InvalidArgument(ErrorFields fields);
  /// "ARGUMENT at row 3SENTENCE; REMEDY". A sentence that ends with a colon goes on with the remedy.
  InvalidArgument(ErrorFields fields, std::string sentence);
  /// "ARGUMENTBEFORErow 3SENTENCE; REMEDY".
  InvalidArgument(ErrorFields fields, const std::string& before, std::string sentence);

  [[nodiscard]] const ErrorFields& fields() const noexcept { return parts_->fields; }
  /// Where the message names the row; both are 0 if there is none.
  [[nodiscard]] std::size_t row_begin() const noexcept { return parts_->row_begin; }
  [[nodiscard]] std::size_t row_end() const noexcept { return parts_->row_end; }
  /// The same error with other fields. \param change  of ErrorFields&: gives another name to the argument or the row, or a remedy
  template <typename Change>
  [[nodiscard]] InvalidArgument changed(Change&& change) const {
    Parts parts = *parts_;
    change(parts.fields);
    return InvalidArgument(std::move(parts));
  }

 private:
  struct Parts {
    ErrorFields fields;
    std::string before = {}, sentence = {};
    std::size_t row_begin = 0, row_end = 0;
  };
  explicit InvalidArgument(Parts parts);

  std::shared_ptr<const Parts> parts_;  // a copy of an exception must not throw
};

/// A problem of the environment: a file, memory, or a missing library. The message says what to do. (CLI: exit 3)
class EnvironmentError : public Error {
 public:
  using Error::Error;
};

/// There is not enough memory; std::bad_alloc says the same.
class OutOfMemory : public EnvironmentError {
 public:
  using EnvironmentError::EnvironmentError;
};

/// A callback ended the call before there was a result. (progress.hpp)
class Stopped : public Error {
 public:
  Stopped() : Error("the callback ended the call, so there is no result") {}
};

/// An error in ardvark. Please report it.
class InternalError : public Error {
 public:
  using Error::Error;
};

}  // namespace ardvark
