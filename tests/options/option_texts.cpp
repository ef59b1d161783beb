// What pages and headers say of the options, written from their table.
//   option_texts ROOT          says which texts differ from the table, and fails if any does
//   option_texts ROOT --write  writes them
// A text stands between two lines that hold "options: begin" and "options: end"; those lines stay.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ardvark/model.hpp"
#include "model/option_help.hpp"

namespace {

using namespace ardvark;
using namespace ardvark::internal;

// Lines of at most `width` characters; all begin with `first`, but those after the first one with `next`.
std::string wrapped(const std::string& text, const std::string& first, const std::string& next, std::size_t width) {
  std::istringstream words(text);
  std::string out, line = first, word;
  bool empty = true;
  while (words >> word) {
    if (!empty && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = next;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  return out + line + "\n";
}

std::string in_words(const std::string& name, const std::string& value) { return value.empty() ? name : fmt::format("{} {}", name, value); }
std::string in_octave(const std::string& name, const std::string& value) {
  return value.empty() ? fmt::format("'{}'", name) : fmt::format("'{}', '{}'", name, value);
}
std::string in_markdown(const std::string& name, const std::string& value) {
  return value.empty() ? fmt::format("`{}`", name) : fmt::format("`{}` *{}*", name, value);
}

std::string for_c() {
  std::string out;
  for (const OptionGroup group : option_groups) {
    out += fmt::format(" *   {}\n", title_of(group));
    for (const ModelOption& o : model_options())
      if (o.group == group)
        out += wrapped(with_options_spelled(fmt::format("{}. {}", o.values, help_of(o)), in_words), fmt::format(" *     {:<19} ", o.name),
                       " *" + std::string(25, ' '), 140);
  }
  return out;
}

std::string for_octave() {
  // Of other functions, or set by the shape of y.
  const std::set<std::string_view> elsewhere = {"folds", "repeats", "seed", "precision", "block_rows", "rule", "class_names"};
  std::string out;
  for (const OptionGroup group : option_groups) {
    if (group != OptionGroup::others) out += fmt::format("%   {}\n", title_of(group));
    for (const ModelOption& o : model_options())
      if (o.group == group && !elsewhere.contains(o.name))
        out += wrapped(with_options_spelled(fmt::format("{}. {}", o.values, help_of(o)), in_octave),
                       fmt::format("%     {:<21} ", fmt::format("'{}'", o.name)), "%" + std::string(27, ' '), 140);
  }
  return out;
}

std::string in_r(const std::string& name, const std::string& value) {
  return value.empty() ? fmt::format("\\code{{{}}}", name) : fmt::format("\\code{{{} = \"{}\"}}", name, value);
}

// In Rd, % begins a comment, and \, { and } are its own.
std::string in_rd(const std::string& text) {
  std::string out;
  for (const char c : text) out += (c == '%' || c == '\\' || c == '{' || c == '}' ? "\\" : "") + std::string(1, c);
  return out;
}

std::string said_in_r(const ModelOption& o) { return with_options_spelled(in_rd(fmt::format("{}. {}", o.values, help_of(o))), in_r) + "}"; }

std::string item_in_r(const ModelOption& o) {
  return wrapped(said_in_r(o), fmt::format("      \\item{{\\code{{{}}}}}{{", o.name), "        ", 140);
}

std::string for_r() {
  // Arguments of their own, by their names there; and what the arguments of R decide.
  const std::map<std::string_view, const char*> own = {{"prior", "prior"}, {"weights", "weights"}, {"flat", "flat"}, {"group", "groups"}};
  const std::set<std::string_view> elsewhere = {"model",        "preset",  "compat",    "converge",     "toolbox_gamma0", "toolbox_gamma1",
                                                "toolbox_R",    "noise",   "family",    "intercept",    "exposure",       "offset_column",
                                                "row_offset",   "missing", "reference", "column_names", "class_names",    "target",
                                                "precision",    "rule",    "level",     "verbose",      "odds",           "block_rows",
                                                "standardized", "repeats", "interval",  "row_order"};
  std::string out;
  for (const ModelOption& o : model_options())
    if (const auto found = own.find(o.name); found != own.end())
      out += wrapped(said_in_r(o), fmt::format("  \\item{{{}}}{{", found->second), "    ", 140);
  out += "  \\item{\\dots}{options of the library:\n    \\describe{\n";
  for (const OptionGroup group : option_groups)
    for (const ModelOption& o : model_options())
      if (o.group == group && group != OptionGroup::machine && !own.contains(o.name) && !elsewhere.contains(o.name)) out += item_in_r(o);
  return out + "    }\n  }\n";
}

// The machines: kernel and weights are arguments; type and scaled are task and standardize.
std::string for_r_machines() {
  const std::set<std::string_view> of_a_fit = {"a0", "b0", "c0", "d0", "likelihood", "diagnose", "max_sweeps", "threads"};
  std::string out;
  for (const ModelOption& o : model_options())
    if (std::string_view(o.name) == "kernel") out += wrapped(said_in_r(o), "  \\item{kernel}{", "    ", 140);
  out += "  \\item{\\dots}{options of the library:\n    \\describe{\n";
  for (const OptionGroup group : option_groups)
    for (const ModelOption& o : model_options()) {
      const std::string_view name = o.name;
      const bool is_machine = group == OptionGroup::machine && name != "task" && name != "kernel" && name != "toolbox_R";
      if (o.group == group && (is_machine || of_a_fit.contains(name))) out += item_in_r(o);
    }
  return out + "    }\n  }\n";
}

std::string in_a_cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string for_pages() {
  std::string out;
  for (const OptionGroup group : option_groups) {
    out += fmt::format("\n## {}\n\n| option | what it may be | what it does |\n|---|---|---|\n", title_of(group));
    for (const ModelOption& o : model_options())
      if (o.group == group)
        out += fmt::format("| `{}` | {} | {} |\n", o.name, o.values, in_a_cell(with_options_spelled(help_of(o), in_markdown)));
  }
  return out + "\n";
}

std::string read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Whether the text of a file was the same.
bool settle(const std::string& root, const std::string& name, const std::string& text, bool write) {
  const std::string path = root + "/" + name, whole = read(path);
  const auto first = whole.find("options: begin"), last = whole.find("options: end");
  if (first == std::string::npos || last == std::string::npos)
    throw std::runtime_error(name + " has no lines 'options: begin' and 'options: end'");
  const auto begin = whole.find('\n', first) + 1, end = whole.rfind('\n', last) + 1;
  if (whole.substr(begin, end - begin) == text) return true;
  if (!write) {
    fmt::print("{}: what it says of the options is not what their table says; scripts/options writes it\n", name);
    return false;
  }
  std::ofstream(path) << whole.substr(0, begin) << text << whole.substr(end);
  fmt::print("{}: written\n", name);
  return true;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) throw std::runtime_error("say where the repository is");
  const bool write = argc > 2 && std::string_view(argv[2]) == "--write";
  bool same = true;
  for (const auto& [name, text] : std::initializer_list<std::pair<const char*, std::string>>{{"include/ardvark/ardvark.h", for_c()},
                                                                                             {"octave/inst/ardvark_fit.m", for_octave()},
                                                                                             {"r/man/ardvark.Rd", for_r()},
                                                                                             {"r/man/rvm.Rd", for_r_machines()},
                                                                                             {"docs/options.md", for_pages()}})
    same = settle(argv[1], name, text, write) && same;
  if (same) fmt::print("the options are said alike\n");
  return same ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "option_texts: {}\n", error.what());
  return 2;
}
