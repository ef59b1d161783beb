// The options of relevance vector machines.
#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>

#include "core/classes.hpp"
#include "core/refusals.hpp"
#include "kernel/kernel_function.hpp"
#include "model/choice.hpp"
#include "model/resolve.hpp"
#include "predict/relevance.hpp"
#include "target/target.hpp"

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

// The numbers of option width: one, or one for each input.
std::vector<double> widths_of(const ModelOptions& from) {
  std::vector<double> widths;
  for (std::string_view rest = from.width;;) {
    const std::size_t comma = rest.find(',');
    widths.push_back(positive_number<double>(rest.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (*std::min_element(widths.begin(), widths.end()) == 0)
    throw wrong(from.spelled("width"), from.width, "it must be a positive number, one per input, auto, shared or each");
  return widths;
}

// For kernels with a width: it is learnt unless it is given.
void set_width(const ModelOptions& from, const std::string& kind, RelevanceOptions& options) {
  options.kernel = of_distance_kernel(kind, {1});
  options.search = KernelSearch::scale;
  if (from.width == "auto" || from.width == "shared") return;
  if (from.width == "each") {
    options.search = KernelSearch::each;
    return;
  }
  options.kernel = of_distance_kernel(kind, widths_of(from));
  options.search = KernelSearch::none;
}

void set_kernel(const ModelOptions& from, RelevanceOptions& options) {
  const std::string &word = choose_word(from, "kernel", from.kernel), kind = word == "auto" ? "gaussian" : word;
  if (kind != "polynomial") refuse(from, {"degree", "offset"}, fmt::format("applies only to {}", from.spelled("kernel", "polynomial")));
  if (is_distance_kernel(kind)) return set_width(from, kind, options);
  refuse(from, {"width"}, fmt::format("cannot be used with {}, which has no width", from.spelled("kernel", from.kernel)));
  options.search = kind == "polynomial" && !from.has("offset") ? KernelSearch::scale : KernelSearch::none;
  options.kernel = kind == "linear"       ? Kernel::linear()
                   : kind == "polynomial" ? Kernel::polynomial(from.degree, from.offset)
                                          : Kernel::spline();
}

// exp(-R |x-c|^2/D) of the SLR toolbox.                                                                                         (SLR.7)
Kernel toolbox_kernel(double R, Index num_inputs) { return Kernel::gaussian(std::sqrt(static_cast<double>(num_inputs) / R)); }

void check_toolbox_R(const ModelOptions& from) {
  if (!from.toolbox_R) return;
  if (!from.has("kernel") || from.kernel != "gaussian")
    throw refused(from.spelled("toolbox_R"), fmt::format("needs {}", from.spelled("kernel", "gaussian")));
  refuse(from, {"width"}, fmt::format("and {} cannot be used together: they set the same value", from.spelled("toolbox_R")));
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
    throw wrong(from.spelled("width"), from.width,
                fmt::format("with {} it is R of exp(-R |x-c|^2/D), a positive number", from.spelled("compat")));
  options.kernel = toolbox_kernel(R, num_inputs);
}

Index centres_of(const ModelOptions& from) {
  const auto count = positive_number<Index>(from.centres);
  if (count == 0) throw wrong(from.spelled("centres"), from.centres, "it must be a whole number from 1, auto or all");
  return count;
}

void set_centres(const ModelOptions& from, RelevanceOptions& options) {
  if (from.centres == "auto" || from.centres == "all") return;
  options.centres = Centres::pivoted_cholesky;
  options.num_centres = centres_of(from);
}

}  // namespace

Task relevance_task(const ModelOptions& options) {
  if (!options.preset.empty()) return task_of_preset(options.preset);
  if (options.task.empty())
    throw refused(options.spelled("task"),
                  fmt::format("is not given; for {} it must be regression or classification", options.spelled("model", "rvm")));
  return choose<Task>(options, "task", options.task, {{"regression", Task::linear}, {"classification", Task::logistic}});
}

Task relevance_task(const ModelOptions& options, VectorView target) {
  if (!options.preset.empty() || !options.task.empty()) return relevance_task(options);
  const Index num_values = count_classes(target);
  const bool may_be_two = num_values == 1 && may_be_rounded(target[0]);  // which the fit of classes then refuses
  return !options.class_names.empty() || num_values == 2 || may_be_two ? Task::logistic : Task::linear;
}

}  // namespace ardvark

namespace ardvark::internal {

RelevanceOptions relevance_options(const ModelOptions& from) {
  const bool is_preset = !from.preset.empty();
  check_toolbox_R(from);
  RelevanceOptions options;
  options.compat = from.compat;
  if (from.prune_at) options.prune_at = *from.prune_at;
  options.record_every = from.record_every;
  options.intercept = from.intercept;
  options.start_precision = from.start_precision;
  if (from.compat) {
    refuse(from, {"degree", "offset", "centres", "weights"},
           fmt::format("cannot be used with {} {}", from.spelled("preset", "slr_rvm"), from.spelled("compat")));
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
  options.bands = choose<Bands>(from, "bands", from.bands, {{"published", Bands::published}, {"open", Bands::open}});
  if (options.bands == Bands::open && !falls_with_distance(options.kernel))
    throw refused(from, "bands", "open",
                  fmt::format("needs a kernel that falls with the distance; {} does not", from.spelled("kernel", from.kernel)));
  options.likelihood = likelihood_of(from);
  if (from.max_sweeps) options.max_sweeps = *from.max_sweeps;
  return options;
}

namespace {

// Of every input, from one width for all, or from one for each group. Inputs of one group share a width, for example the dummies of a text
// column.
std::vector<double> widths_of_inputs(const ModelOptions& from, const std::vector<double>& of_groups, Index num_inputs) {
  std::vector<Index> group = from.input_group;
  if (group.empty())
    for (Index j = 0; j < num_inputs; ++j) group.push_back(j);
  if (*std::min_element(group.begin(), group.end()) < 0)
    throw refused(from.spelled("input_group"), "holds a negative number; groups are numbered from 0");
  const Index num_groups = 1 + *std::max_element(group.begin(), group.end());
  if (of_groups.size() > 1 && static_cast<Index>(of_groups.size()) != num_groups)
    throw refused(from.spelled("width"), fmt::format("has {} numbers; it must have one, or one for each input column of the table: {}",
                                                     of_groups.size(), num_groups));
  std::vector<double> of_inputs;
  for (const Index g : group) of_inputs.push_back(of_groups[of_groups.size() > 1 ? static_cast<std::size_t>(g) : 0]);
  return of_inputs;
}

}  // namespace

void adapt(const ModelOptions& from, Task task, Index num_inputs, RelevanceOptions& options) {
  if (options.compat) return set_published_kernel(from, num_inputs, options);
  if (has_noise(task)) refuse(from, {"likelihood"}, "applies only to classifications");
  set_hyperparameters(from, task, options);
  options.input_groups = from.input_group;
  if (from.toolbox_R) {
    options.search = KernelSearch::none;
    options.kernel = toolbox_kernel(*from.toolbox_R, num_inputs);
    return;
  }
  std::vector<double> widths = {1};
  if (options.search != KernelSearch::each) {
    if (options.search != KernelSearch::none || options.kernel.num_parameters() < 2) return;
    widths = options.kernel.spec().parameters;
  }
  const std::vector<double> of_inputs = widths_of_inputs(from, widths, num_inputs);
  options.kernel = of_distance_kernel(options.kernel.spec().kind, of_inputs);
}

KernelOptions kernel_options(const ModelOptions& from) {
  KernelOptions options;
  options.kernel = choose_word(from, "kernel", from.kernel);
  using enum WidthSearch;
  options.search = from.width == "auto" ? automatic : from.width == "shared" ? shared : from.width == "each" ? each : given;
  if (options.search == given) options.widths = widths_of(from);
  options.average = from.averaging;
  options.linear_part = from.linear_part;
  options.all_vectors = from.vectors == "all";
  if (from.vectors != "auto" && from.vectors != "all") {
    options.num_vectors = positive_number<Index>(from.vectors);
    if (options.num_vectors == 0) throw wrong(from.spelled("vectors"), from.vectors, "it must be auto, all, or a whole number from 1");
  }
  options.divergence = from.divergence;
  options.all_centres = from.centres == "all";
  if (from.centres != "auto" && from.centres != "all") options.centres = centres_of(from);
  options.standardize = from.standardize;
  options.threads = from.threads;
  options.weights = from.weights;
  options.input_names = from.column_names;
  options.class_names = from.class_names;
  return options;
}

void adapt(const ModelOptions& from, Index num_inputs, KernelOptions& options) {
  options.input_groups = from.input_group;
  if (options.widths.size() < 2) return;
  options.widths = widths_of_inputs(from, options.widths, num_inputs);
}

}  // namespace ardvark::internal
