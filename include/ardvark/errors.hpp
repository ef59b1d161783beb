// The exceptions of ardvark. Numerical trouble is not an exception: see Report::status (report.hpp).
#pragma once

#include <stdexcept>
#include <string>

namespace ardvark {

/// The base of every exception that this library throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A wrong argument, found before any work. The message names the argument, its value and the constraint. (CLI: exit 2)
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// A problem of the environment: a file, memory, or a missing library. The message says what to do. (CLI: exit 3)
class EnvironmentError : public Error {
 public:
  using Error::Error;
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
