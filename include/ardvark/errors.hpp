// What ardvark throws. Numerical outcomes are not among them: they are returned in Report::status (report.hpp).
#pragma once

#include <stdexcept>
#include <string>

namespace ardvark {

/// The base of every exception this library throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller's mistake, found before any work: the message names the argument, its value and the constraint. (CLI: exit 2)
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// The environment: a file, memory, a back end that is absent; the message says what to do about it. (CLI: exit 3)
class EnvironmentError : public Error {
 public:
  using Error::Error;
};

/// A broken invariant of ours. Please report it.
class InternalError : public Error {
 public:
  using Error::Error;
};

}  // namespace ardvark
