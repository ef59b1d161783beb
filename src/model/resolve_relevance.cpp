// The options of relevance vector machines.
#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>

#include "core/classes.hpp"
#include "model/choice.hpp"
#include "model/resolve.hpp"

namespace ardvark {

using namespace internal;

namespace {

// The whole text as a number; 0 if it is not a number, or not positive and finite.
template <typename Number>
Number positive_number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 && value <= std::numeric_limits<Number>::max() ? value : 0;
}

enum class Kind { gaussian, laplacian, cauchy, linear, polynomial, spline };

Kernel with_width(Kind kind, double width) {
  return kind == Kind::gaussian ? Kernel::gaussian(width) : kind == Kind::laplacian ? Kernel::laplacian(width) : Kernel::cauchy(width);
}

// For kernels with a width: it is learnt unless it is given.
void set_width(const ModelOptions& from, Kind kind, RelevanceOptions& options) {
  options.kernel = with_width(kind, 1);
  options.search = KernelSearch::scale;
  if (from.width == "auto") return;
  if (kind != Kind::gaussian && (from.width == "each" || from.width.find(',') != std::string::npos))
    throw InvalidArgument(
        fmt::format("{} is '{}'; a width per input needs {}", from.spelled("width"), from.width, from.spelled("kernel", "gaussian")));
  if (from.width == "each") {
    options.search = KernelSearch::each;
    return;
  }
  std::vector<double> widths;
  for (std::string_view rest = from.width;;) {
    const std::size_t comma = rest.find(',');
    widths.push_back(positive_number<double>(rest.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (*std::min_element(widths.begin(), widths.end()) == 0)
    throw InvalidArgument(
        fmt::format("{} is '{}'; it must be a positive number, one per input, auto or each", from.spelled("width"), from.width));
  options.kernel = kind == Kind::gaussian ? Kernel::gaussian(widths) : with_width(kind, widths.front());
  options.search = KernelSearch::none;
}

void set_kernel(const ModelOptions& from, RelevanceOptions& options) {
  const Kind kind = choose<Kind>(from, "kernel", from.kernel,
                                 {{"gaussian", Kind::gaussian},
                                  {"laplacian", Kind::laplacian},
                                  {"cauchy", Kind::cauchy},
                                  {"linear", Kind::linear},
                                  {"polynomial", Kind::polynomial},
                                  {"spline", Kind::spline}});
  if (kind != Kind::polynomial) refuse(from, {"degree", "offset"}, fmt::format("applies only to {}", from.spelled("kernel", "polynomial")));
  if (from.degree < 1) throw InvalidArgument(fmt::format("{} is {}; it must be at least 1", from.spelled("degree"), from.degree));
  if (!(from.offset >= 0 && std::isfinite(from.offset)))
    throw InvalidArgument(fmt::format("{} is {}; it must be 0 or more, and finite", from.spelled("offset"), from.offset));
  if (kind == Kind::gaussian || kind == Kind::laplacian || kind == Kind::cauchy) return set_width(from, kind, options);
  refuse(from, {"width"}, fmt::format("cannot be used with {}, which has no width", from.spelled("kernel", from.kernel)));
  options.search = kind == Kind::polynomial && !from.has("offset") ? KernelSearch::scale : KernelSearch::none;
  options.kernel = kind == Kind::linear       ? Kernel::linear()
                   : kind == Kind::polynomial ? Kernel::polynomial(from.degree, from.offset)
                                              : Kernel::spline();
}

// exp(-R |x-c|^2/D) of the SLR toolbox.                                                                                         (SLR.7)
Kernel toolbox_kernel(double R, Index num_inputs) { return Kernel::gaussian(std::sqrt(static_cast<double>(num_inputs) / R)); }

void check_toolbox_R(const ModelOptions& from) {
  if (!from.toolbox_R) return;
  if (from.preset.empty())
    throw InvalidArgument(fmt::format("{} applies only to {}", from.spelled("toolbox_R"), from.spelled("preset", "slr_rvm")));
  if (!from.has("kernel") || from.kernel != "gaussian")
    throw InvalidArgument(fmt::format("{} needs {}", from.spelled("toolbox_R"), from.spelled("kernel", "gaussian")));
  refuse(from, {"width"}, fmt::format("and {} cannot be used together: they set the same value", from.spelled("toolbox_R")));
  if (!(*from.toolbox_R > 0 && std::isfinite(*from.toolbox_R)))
    throw InvalidArgument(fmt::format("{} is {}; it must be > 0", from.spelled("toolbox_R"), *from.toolbox_R));
}

// As published: the linear kernel, or exp(-R |x-c|^2/D) with a given R.                                                         (SLR.6)
void set_published_kernel(const ModelOptions& from, Index num_inputs, RelevanceOptions& options) {
  options.search = KernelSearch::none;
  if (choose<bool>(from, "kernel", from.has("kernel") ? from.kernel : "linear", {{"gaussian", false}, {"linear", true}})) {
    refuse(from, {"width"}, fmt::format("cannot be used with {}, which has no width", from.spelled("kernel", "linear")));
    options.kernel = Kernel::linear();
    return;
  }
  const double R = from.toolbox_R ? *from.toolbox_R : positive_number<double>(from.width);
  if (R == 0)
    throw InvalidArgument(fmt::format("{} is '{}'; with {} it is R of exp(-R |x-c|^2/D), a positive number", from.spelled("width"),
                                      from.width, from.spelled("compat")));
  options.kernel = toolbox_kernel(R, num_inputs);
}

void set_centres(const ModelOptions& from, RelevanceOptions& options) {
  if (from.centres == "all") return;
  options.centres = Centres::pivoted_cholesky;
  options.num_centres = positive_number<Index>(from.centres);
  if (options.num_centres == 0)
    throw InvalidArgument(fmt::format("{} is '{}'; it must be a whole number from 1, or all", from.spelled("centres"), from.centres));
}

}  // namespace

Task relevance_task(const ModelOptions& options) {
  if (!options.preset.empty()) return task_of_preset(options.preset);
  if (options.task.empty())
    throw InvalidArgument(fmt::format("{} is not given; for {} it must be regression or classification", options.spelled("task"),
                                      options.spelled("model", "rvm")));
  return choose<Task>(options, "task", options.task, {{"regression", Task::linear}, {"classification", Task::logistic}});
}

Task relevance_task(const ModelOptions& options, VectorView target) {
  if (!options.preset.empty() || !options.task.empty()) return relevance_task(options);
  return !options.class_names.empty() || count_classes(target) == 2 ? Task::logistic : Task::linear;
}

}  // namespace ardvark

namespace ardvark::internal {

RelevanceOptions relevance_options(const ModelOptions& from) {
  const bool is_preset = !from.preset.empty();
  const std::string model = is_preset ? from.spelled("preset", "slr_rvm") : from.spelled("model", "rvm");
  refuse(from, {"prior", "group", "flat"},
         fmt::format("cannot be used with {}: each of its columns has its own precision", from.spelled("model", "rvm")));
  if (!is_preset) refuse(from, {"compat"}, fmt::format("cannot be used with {}", model));
  refuse(from,
         {"solver", "tolerance", "acceleration", "lambda", "toolbox_gamma1", "toolbox_gamma0", "posterior", "coding", "precision_per_class",
          "mixed_precision", "update_rule", "readmit_every", "row_order", "keep_covariance", "start_noise"},
         fmt::format("cannot be used with {}", model));
  if (!is_preset) refuse(from, {"prune_at", "record_every", "intercept", "start_precision"}, fmt::format("cannot be used with {}", model));
  check_toolbox_R(from);
  RelevanceOptions options;
  options.compat = from.compat;
  if (from.prune_at) options.prune_at = *from.prune_at;
  options.record_every = from.record_every;
  options.intercept = from.intercept;
  options.start_precision = from.start_precision;
  if (from.compat) {
    refuse(from, {"degree", "offset", "centres", "weights"}, fmt::format("cannot be used with {} {}", model, from.spelled("compat")));
  } else if (is_preset && !from.has("kernel")) {
    refuse(from, {"width"}, fmt::format("applies only to {}, laplacian or cauchy", from.spelled("kernel", "gaussian")));
    options.kernel = Kernel::linear();
    options.search = KernelSearch::none;
  } else {
    set_kernel(from, options);
  }
  set_centres(from, options);
  options.standardize = from.standardize;
  options.threads = from.threads;
  options.weights = from.weights;
  options.input_names = from.column_names;
  options.class_names = from.class_names;
  options.on_sweep = from.on_sweep;
  if (is_preset) {
    refuse(from, {"algorithm", "likelihood", "a0", "b0", "c0", "d0", "task"},
           fmt::format("cannot be used with {}; a preset fixes it", from.spelled("preset")));
    options.algorithm = RelevanceAlgorithm::pruned;
    options.max_sweeps = from.max_sweeps.value_or(options_for_preset(from.preset).max_sweeps);
    return options;
  }
  options.algorithm = choose<RelevanceAlgorithm>(
      from, "algorithm", from.algorithm,
      {{"variational", RelevanceAlgorithm::variational}, {"plain", RelevanceAlgorithm::plain}, {"type-two", RelevanceAlgorithm::type_two}});
  if (options.algorithm == RelevanceAlgorithm::type_two) {
    const std::string type_two = from.spelled("algorithm", "type-two");
    refuse(from, {"a0", "b0", "c0", "d0"}, fmt::format("cannot be used with {}, which has no hyper-priors", type_two));
    refuse(from, {"likelihood"}, fmt::format("cannot be used with {}, which uses Laplace's approximation", type_two));
  }
  options.likelihood = likelihood_of(from);
  if (from.max_sweeps) options.max_sweeps = *from.max_sweeps;
  return options;
}

// Inputs of one group share a width, for example the dummies of a text column.
void adapt(const ModelOptions& from, Task task, Index num_inputs, RelevanceOptions& options) {
  if (options.compat) return set_published_kernel(from, num_inputs, options);
  if (task == Task::linear) refuse(from, {"likelihood"}, "applies only to classifications");
  set_hyperparameters(from, task, options);
  options.input_groups = from.input_group;
  if (from.toolbox_R) {
    options.search = KernelSearch::none;
    options.kernel = toolbox_kernel(*from.toolbox_R, num_inputs);
    return;
  }
  std::vector<Index> group = from.input_group;
  if (group.empty())
    for (Index j = 0; j < num_inputs; ++j) group.push_back(j);
  if (*std::min_element(group.begin(), group.end()) < 0)
    throw InvalidArgument(fmt::format("{} holds a negative number; groups are numbered from 0", from.spelled("input_group")));
  const Index num_groups = 1 + *std::max_element(group.begin(), group.end());
  std::vector<double> of_groups(static_cast<std::size_t>(num_groups), 1.0), of_inputs;
  if (options.search != KernelSearch::each) {
    if (options.search != KernelSearch::none || options.kernel.num_parameters() < 2) return;
    of_groups = options.kernel.spec().parameters;
    if (static_cast<Index>(of_groups.size()) != num_groups)
      throw InvalidArgument(fmt::format("{} has {} numbers; it must have one, or one for each input column of the table: {}",
                                        from.spelled("width"), of_groups.size(), num_groups));
  }
  for (const Index g : group) of_inputs.push_back(of_groups[static_cast<std::size_t>(g)]);
  options.kernel = Kernel::gaussian(of_inputs);
}

}  // namespace ardvark::internal
