// ardvark show
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "ardvark/plot.hpp"
#include "ardvark/statistics.hpp"
#include "fit.hpp"
#include "io/safetensors.hpp"
#include "target_sums.hpp"
#include "targets.hpp"

namespace ardvark::cli {
namespace {

// Of a file that cannot be read, load_model() says what is wrong.
bool holds_statistics(const std::string& path) {
  try {
    const internal::io::SafetensorsReader file(path);
    const auto format = file.metadata().find("format");
    return format != file.metadata().end() && format->second == "ardvark-statistics";
  } catch (const InvalidArgument&) {
    return false;
  }
}

int show_statistics(const std::string& path, bool json) {
  const LinearStatistics statistics = load_statistics(path);
  fmt::print("{}", json ? to_json(statistics) + "\n" : summary(statistics));
  return ok;
}

int show_target_statistics(const std::string& path, bool json) {
  const TargetStatistics statistics = load_target_statistics(path);
  fmt::print("{}", json ? to_json(statistics) + "\n" : summary(statistics));
  return ok;
}

// Characters in a line: of the terminal that is written to, or as the environment says.
int width_of_terminal() {
  constexpr int usual = 80, least = 20, most = 1000;
  winsize size = {};
  if (::isatty(1) == 1 && ::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return std::max<int>(size.ws_col, least);
  const char* const columns = std::getenv("COLUMNS");
  const int given = columns == nullptr ? 0 : std::atoi(columns);
  return given >= least && given <= most ? given : usual;
}

}  // namespace

void add_show(CLI::App& app, Run& run) {
  struct Arguments : ModelOptions {
    std::string path;
    bool json = false, all_columns = false, covariance = false, plot = false;
    std::optional<int> width;
  };
  CLI::App& c = *app.add_subcommand("show", "Print what a file of a model or of statistics holds");
  auto args = std::make_shared<Arguments>();
  args->spelling = Spelling::command_line;
  c.add_option("model", args->path, "Model file written by fit -o, or statistics written by stats or merge")->required();
  c.add_option("--level", args->level, "Level of the intervals (default 0.95)")->check(is_number);
  add_options_of_command(c, *args, in_command::show);
  c.add_flag("--json", args->json, "Print the JSON object of fit --json");
  c.add_flag("--all-columns", args->all_columns, about_all_columns);
  c.add_flag("--covariance", args->covariance,
             "With --json: the full posterior covariance, intercept last; with several classes, one class after the other");
  c.add_flag("--plot", args->plot, "Draw coefficients with their intervals, or the curves of a kernel machine, instead of the table");
  c.add_option("--columns", args->width, "With --plot: characters in a line, 20 or more (default: those of the terminal, else 80)")
      ->check(is_whole_number);
  c.footer("Example:\n  ardvark fit examples/data/Pima.tr.csv --target type --model logistic -o pima.ardvark\n  ardvark show pima.ardvark");
  c.callback([args, &run, &c] {
    run = [args, &c] {
      if (!(args->level > 0 && args->level < 1)) throw wrong("--level", args->level, "it must lie between 0 and 1");
      require_json(args->all_columns, args->json);
      if (args->plot && args->json) throw refused("--plot", "cannot be used with --json");
      if (args->width && !args->plot) throw refused("--columns", "applies only to --plot");
      if (args->width && *args->width < 20) throw wrong("--columns", *args->width, "it must be at least 20");
      if (args->plot && (holds_statistics(args->path) || holds_target_statistics(args->path) || holds_targets(args->path)))
        throw refused("--plot", fmt::format("draws one model, which '{}' is not", args->path));
      const auto refuse_others = [&](const char* file, std::initializer_list<const char*> known) {
        for (const CLI::Option* option : c.get_options([](const CLI::Option* o) { return o->count() > 0 && o->nonpositional(); }))
          if (std::ranges::none_of(known, [&](const char* name) { return option->check_name(name); }))
            throw refused(option->get_name(), fmt::format("has no meaning for a file of {}", file));
      };
      if (holds_statistics(args->path)) {
        refuse_others("statistics", {"--json"});
        return show_statistics(args->path, args->json);
      }
      if (holds_target_statistics(args->path)) {
        refuse_others("statistics", {"--json"});
        return show_target_statistics(args->path, args->json);
      }
      if (holds_targets(args->path)) {
        refuse_others("many targets", {"--json", "--fdr"});
        return show_targets(args->path, args->json, args->fdr.value_or(usual_fdr_of_targets));
      }
      SavedModel model = load_model(args->path);
      if (args->fdr) model = at_fdr(std::move(model), *args->fdr, Spelling::command_line);
      if (args->plot) {
        fmt::print("{}", drawing(model, args->width.value_or(width_of_terminal()), args->level));
        return static_cast<int>(ok);
      }
      if (args->covariance && !args->json) throw refused("--covariance", "needs --json; the table has no place for a matrix");
      if ((model.relevance() || model.process()) && args->covariance)
        throw refused("--covariance", "applies only to linear and logistic models");
      if (args->odds) static_cast<void>(summary(model, static_cast<const ModelOptions&>(*args)));  // refuses it where there are none
      fmt::print("{}", args->json ? to_json(model, args->level, args->covariance, args->all_columns) + "\n"
                                  : naming_json(summary(model, static_cast<const ModelOptions&>(*args))));
      return static_cast<int>(ok);
    };
  });
}

}  // namespace ardvark::cli
