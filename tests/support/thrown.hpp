// Checks the exception of an action and its message.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "ardvark/errors.hpp"

namespace ardvark::testing {

/// The action throws InvalidArgument, and the message contains each of the pieces: the argument and its value.
template <typename Action>
void expect_invalid(Action&& action, std::initializer_list<const char*> pieces) {
  try {
    action();
  } catch (const InvalidArgument& e) {
    for (const char* piece : pieces)
      EXPECT_NE(std::string(e.what()).find(piece), std::string::npos) << "'" << piece << "' is not in: " << e.what();
    return;
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another exception: " << e.what();
    return;
  }
  ADD_FAILURE() << "no exception; expected one that names " << *pieces.begin();
}

}  // namespace ardvark::testing
