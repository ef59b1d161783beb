// Checks properties on random problems, and reduces a problem that fails to a small one.
//
//   ardvark_random --seed 1 --count 500                     problems 1 to 500, every property
//   ardvark_random --seed 1 --count 500 --property saved    only this property; --list names all of them
//   ardvark_random --seed 1 --count 500 --extreme           options and numbers of any size: results are numbers, and files are read
//   ardvark_random --seed 17                                 one problem
//   ardvark_random --seed 1 --count 500 --digest            a number for each answer; two versions with the same answers print the same
//   ardvark_random --exemptions                              the cases in which a property is known to fail: table of docs/reliability.md
//   ardvark_random --problem build/check/failures/saved-17.json --property saved
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "runner.hpp"

namespace {

using namespace ardvark::testing;

int usage() {
  fmt::print(stderr,
             "usage: ardvark_random [--seed S] [--count N] [--property NAME,...] [--failures FOLDER] [--problem FILE] [--export FOLDER] "
             "[--shell-every N] [--extreme] [--brief] [--show] [--digest] [--strict] [--list] [--exemptions]\n");
  return 2;
}

}  // namespace

int main(int count, char** words) {
  RunOptions options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= count) std::exit(usage());
      return words[++i];
    };
    if (word == "--seed")
      options.seed = std::stoull(value());
    else if (word == "--count")
      options.count = std::stoull(value());
    else if (word == "--property")
      options.wanted = value();
    else if (word == "--failures")
      options.failures = value();
    else if (word == "--problem")
      options.file = value();
    else if (word == "--export")
      options.folder = value();
    else if (word == "--shell-every")
      options.shell_every = std::stoull(value());
    else if (word == "--brief")
      options.brief = true;
    else if (word == "--extreme")
      options.extreme = true;
    else if (word == "--strict")
      options.strict = true;
    else if (word == "--show")
      options.show = true;
    else if (word == "--digest")
      options.digest = true;
    else if (word == "--list") {
      for (const Property& property : properties()) fmt::print("{:<12} {}\n", property.name, property.sentence);
      return 0;
    } else if (word == "--exemptions") {
      fmt::print("{}", table_of_exemptions());
      return 0;
    } else
      return usage();
  }
  return run_properties(options).num_failures == 0 ? 0 : 1;
}
