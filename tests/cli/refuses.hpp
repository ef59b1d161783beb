// What the program refuses: the exit code, one line that helps, and nothing left behind.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "program.hpp"
#include "support/paths.hpp"
#include "tables.hpp"

namespace ardvark::testing {

using Pieces = std::initializer_list<const char*>;

inline constexpr const char* good = "x,z,y,k,w\n1,0,2,a,1\n2,1,3,b,1\n4,1,9,a,2\n5,7,4,b,0\n3,3,3,b,1\n";

class Refuses : public ::testing::Test {
 protected:
  Refuses() { put(good, "good.csv"); }
  void put(const std::string& text, const std::string& name = "bad.csv") const { write_bytes(folder_ / name, text); }

  void fit(const Arguments& arguments, Pieces pieces, int exit_code = 2) const {
    expect_refused(Arguments{"fit"} + arguments + Arguments{"-o", "out.ardvark"}, folder_, exit_code, pieces);
  }
  void linear(const Arguments& more, Pieces pieces) const {
    fit(Arguments{"good.csv", "--target", "y", "--model", "linear"} + more, pieces);
  }
  void logistic(const Arguments& more, Pieces pieces) const {
    fit(Arguments{"good.csv", "--target", "k", "--model", "logistic"} + more, pieces);
  }
  void linear_table(const std::string& text, Pieces pieces) const {
    put(text);
    fit({"bad.csv", "--target", "y", "--model", "linear"}, pieces);
  }
  void logistic_table(const std::string& text, Pieces pieces) const {
    put(text);
    fit({"bad.csv", "--target", "y", "--model", "logistic"}, pieces);
  }
  void make_model() const {
    output_of({"fit", "good.csv", "--target", "y", "--model", "linear", "--prior", "shared", "--ignore", "w", "-q", "-o", "m.ardvark"},
              folder_.path());
  }
  // With this message and no other word.
  void exactly(const Arguments& arguments, const std::string& message, int exit_code = 2) const {
    expect_refused(arguments, folder_, exit_code, {("ardvark: " + message + "\n").c_str()});
  }
  void predict(const Arguments& arguments, Pieces pieces, int exit_code = 2) const {
    expect_refused(Arguments{"predict"} + arguments + Arguments{"-o", "out.csv"}, folder_, exit_code, pieces);
  }
  void model(const std::string& bytes, Pieces pieces) const {
    put(bytes, "bad.ardvark");
    predict({"bad.ardvark", "good.csv"}, pieces);
    expect_refused({"show", "bad.ardvark"}, folder_, 2, pieces);
  }

  TemporaryFolder folder_;
};

}  // namespace ardvark::testing
