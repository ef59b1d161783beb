#include "io/fit_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/special.hpp"
#include "posterior/state.hpp"
#include "target/target.hpp"

namespace ardvark::internal::io {
namespace {

// Scalars are stored as an array of doubles, because JSON has no infinity.
constexpr Index num_fit_scalars = 16;

Vector scalars(const Fit& fit) {
  const FitState& s = *fit.state;
  const Intercept intercept = fit.intercept.value_or(Intercept{});
  Vector v(num_fit_scalars);
  v << (std::isnan(fit.log_det_V) ? 0 : fit.log_det_V), fit.bound, fit.noise.shape, fit.noise.rate, fit.num_rows, fit.effective_parameters,
      fit.r_squared, fit.accuracy, fit.log_loss, fit.class_weight[0], fit.class_weight[1], intercept.mean, intercept.variance, s.y_center,
      s.y_scale, s.quadratic;
  return v;
}

void set_scalars(const Vector& v, const std::string& path, Fit& fit, FitState& s) {
  const bool is_mixture = s.factor.kind == CovarianceFactor::Kind::mixture || is_sparse(fit.prior) || fit.completed_tables > 0;
  fit.log_det_V = is_mixture ? std::numeric_limits<double>::quiet_NaN() : v[0];
  fit.bound = fit.report.bound = v[1];
  fit.noise = {v[2], v[3]};
  fit.num_rows = v[4];
  fit.effective_parameters = v[5];
  fit.r_squared = v[6];
  fit.accuracy = checked_share(v[7], "its accuracy", path);
  fit.log_loss = v[8];
  fit.class_weight[0] = v[9];
  fit.class_weight[1] = v[10];
  if (s.standardization.intercept) fit.intercept = Intercept{v[11], v[12]};
  s.y_center = v[13];
  s.y_scale = v[14];
  s.quadratic = v[15];
}

}  // namespace

Status status_from(const Json& name, const std::string& path) {
  return from_name(name,
                   {Status::failed, Status::converged, Status::max_sweeps, Status::stopped_by_user, Status::not_positive_definite,
                    Status::separated, Status::bound_fell, Status::false_stop},
                   path);
}

Json describe(const std::vector<PruningEvent>& pruning) {
  Json events = Json::array();
  for (const PruningEvent& event : pruning)
    events.push_back({{"sweep", event.sweep}, {"pruned", event.pruned}, {"readmitted", event.readmitted}});
  return events;
}

Json describe(const Report& report) {
  Json out = {{"status", to_string(report.status)},
              {"message", report.message},
              {"sweeps", report.sweeps},
              {"solver", to_string(report.solver)},
              {"solver_reason", report.solver_reason},
              {"preset", report.preset},
              {"compat", report.compat},
              {"notes", report.notes},
              {"warnings", report.warnings},
              {"seconds", report.seconds},
              {"pruning", describe(report.pruning)}};
  if (report.sampled)
    out["sampled"] = {{"draws", report.sampled->draws},
                      {"errors", Json::array({report.sampled->sd_error, report.sampled->bound_error, report.sampled->precision_error})}};
  return out;
}

Json describe(const LambdaChoice& choice) {
  const auto list = [](const Vector& v) { return std::vector<double>(v.begin(), v.end()); };
  return {{"lambda", list(choice.lambda)},
          {"loss", list(choice.loss)},
          {"loss_error", list(choice.loss_error)},
          {"num_nonzero", choice.num_nonzero},
          {"chosen", Json::array({choice.smallest_loss, choice.one_standard_error})},
          {"takes_one_standard_error", choice.rule == LambdaRule::one_standard_error},
          {"folds", choice.folds}};
}

LambdaChoice read_choice(const Json& description, const std::string& path) {
  LambdaChoice choice;
  choice.num_nonzero = description.at("num_nonzero").whole_numbers();
  const std::size_t count = choice.num_nonzero.size();
  const auto vector_of = [&](const char* name) {
    const std::vector<double> numbers = description.at(name).numbers();
    const Vector v = VectorView(numbers).eigen();
    if (numbers.size() != count || !(v.array() >= 0).all() || !v.allFinite()) fail_damaged(path, name);
    return v;
  };
  choice.lambda = vector_of("lambda"), choice.loss = vector_of("loss"), choice.loss_error = vector_of("loss_error");
  const std::vector<double> chosen = description.at("chosen").numbers();
  if (chosen.size() != 2 || count == 0) fail_damaged(path, "chosen");
  choice.smallest_loss = chosen[0], choice.one_standard_error = chosen[1];
  choice.rule = description.at("takes_one_standard_error").flag() ? LambdaRule::one_standard_error : LambdaRule::smallest_loss;
  choice.folds = static_cast<int>(description.at("folds").whole_number());
  return choice;
}

namespace {

bool has_parameter(Family one) { return one == Family::student || one == Family::negative_binomial; }

// The weights of the rows are not kept: they belong to the rows of the fit.
Json describe(const FamilyResult& found) {
  Json out = {{"name", to_string(found.family)}};
  if (has_parameter(found.family))
    out["parameter"] =
        std::vector<double>{found.family == Family::student ? found.degrees_of_freedom : found.dispersion, found.log_mean, found.log_sd};
  if (found.other) {
    out["other"] = to_string(*found.other);
    out["preferred_by"] = found.preferred_by;
  }
  return out;
}

FamilyResult read_family(Task task, const Json* description, const std::string& path) {
  FamilyResult out;
  out.family = is_count(task) ? Family::poisson : Family::normal;
  if (description == nullptr) return out;
  const std::initializer_list<Family> names = {Family::normal, Family::student, Family::poisson, Family::negative_binomial};
  out.family = from_name(description->at("name"), names, path);
  const bool of_counts = out.family == Family::poisson || out.family == Family::negative_binomial;
  if (of_counts != is_count(task) || has_classes(task)) fail_model(path, "its family is invalid");
  if (has_parameter(out.family)) {
    const std::vector<double> numbers = description->at("parameter").numbers();
    if (numbers.size() != 3 || !(numbers[0] > 0 && std::isfinite(numbers[0])) || !std::isfinite(numbers[1]) || !(numbers[2] >= 0))
      fail_model(path, "the parameter of its family is invalid");
    (out.family == Family::student ? out.degrees_of_freedom : out.dispersion) = numbers[0];
    out.log_mean = numbers[1], out.log_sd = numbers[2];
  }
  if (description->contains("other")) {
    out.other = from_name(description->at("other"), names, path);
    out.preferred_by = description->at("preferred_by").number();
  }
  return out;
}

}  // namespace

Json describe(const Fit& fit) {
  const FitState& state = *fit.state;
  Json description = {{"task", to_string(fit.task)},
                      {"prior", to_string(fit.prior)},
                      {"posterior", to_string(fit.posterior)},
                      {"target", fit.target},
                      {"classes", fit.classes},
                      {"group", by_runs(fit.group)},
                      {"relevant", by_runs(fit.relevant)},
                      {"left_out", by_runs(fit.left_out)},
                      {"intercept", state.standardization.intercept},
                      {"covariance", static_cast<int>(state.factor.kind)},
                      {"flat_columns", state.factor.flat_columns},
                      {"covariance_columns", by_runs(state.factor.columns)},
                      {"lambda", fit.lambda},
                      {"likelihood", to_string(fit.likelihood)},
                      {"report", describe(fit.report)}};
  if (fit.lambda_choice) description["lambda_choice"] = describe(*fit.lambda_choice);
  if (fit.completed_tables > 0) description["completed_tables"] = fit.completed_tables;
  if (std::isfinite(fit.student_degrees)) description[student_degrees] = fit.student_degrees;
  if (has_parameter(fit.family.family) || fit.family.other) description[family_key] = describe(fit.family);
  if (is_count(fit.task)) description[deviance] = std::vector<double>{fit.deviance, fit.deviance_explained};
  if (fit.exposure) description[exposure] = *fit.exposure;
  if (fit.offset_column) description[offset_column] = *fit.offset_column;
  if (fit.has_row_offset) description[has_row_offset] = true;
  if (fit.sparse) description["sparse"] = describe(*fit.sparse);
  if (state.factor.U.rows() > 0) description[added_covariance] = true;
  if (state.factor.kind == CovarianceFactor::Kind::mixture) description["mixture"] = describe(state.factor.mixture);
  return description;
}

namespace {

// The coefficients at each lambda: most are zero.
void add_path(SafetensorsWriter& file, const std::string& prefix, const LambdaChoice& choice) {
  if (choice.mean.size() == 0) return;
  Vector count(choice.mean.cols());
  std::vector<double> column, value;
  for (Index l = 0; l < count.size(); ++l) {
    for (Index j = 0; j < choice.mean.rows(); ++j)
      if (choice.mean(j, l) != 0) column.push_back(static_cast<double>(j)), value.push_back(choice.mean(j, l));
    count[l] = (choice.mean.col(l).array() != 0).cast<double>().sum();
  }
  file.add_vector(prefix + "path.count", std::move(count));
  file.add_vector(prefix + "path.column", Vector(VectorView(column).eigen()));
  file.add_vector(prefix + "path.value", Vector(VectorView(value).eigen()));
  file.add_vector(prefix + "path.intercept", choice.intercept);
}

}  // namespace

// tilts: of marginals with one part about the mean of the fit. tilted_parts: coefficient, weight, center, scale and tilt of each other
// part.
constexpr Index part_columns = 4 + TiltedNormal::degree;

void add_marginals(SafetensorsWriter& file, const std::string& prefix, const std::vector<TiltedParts>& marginals) {
  const auto row_of = [](const TiltedNormal::Tilt& tilt) {
    return Eigen::Map<const Eigen::RowVectorXd>(tilt.data(), TiltedNormal::degree);
  };
  Matrix tilts = Matrix::Zero(static_cast<Index>(marginals.size()), TiltedNormal::degree);
  Index num_parts = 0;
  const auto has_tilt_alone = [](const TiltedParts& one) { return one.size() == 1 && one[0].center == 0 && one[0].scale == 1; };
  for (const TiltedParts& one : marginals) num_parts += has_tilt_alone(one) ? 0 : static_cast<Index>(one.size());
  Matrix parts(num_parts, part_columns);
  Index i = 0;
  for (std::size_t j = 0; j < marginals.size(); ++j) {
    if (has_tilt_alone(marginals[j])) {
      tilts.row(static_cast<Index>(j)) = row_of(marginals[j].front().tilt);
      continue;
    }
    for (const TiltedPart& part : marginals[j])
      parts.row(i++) << static_cast<double>(j), part.weight, part.center, part.scale, row_of(part.tilt);
  }
  file.add_matrix(prefix + "tilts", std::move(tilts));
  if (num_parts > 0) file.add_matrix(prefix + "tilted_parts", std::move(parts));
}

void add_arrays(SafetensorsWriter& file, const std::string& prefix, const Fit& fit) {
  const FitState& state = *fit.state;
  if (fit.lambda_choice) add_path(file, prefix, *fit.lambda_choice);
  if (fit.precision_history.size() > 0) file.add_matrix(prefix + "precision_history", fit.precision_history);
  file.add_vector(prefix + "scalars", scalars(fit));
  file.add_vector(prefix + "bound_history", fit.report.bound_history);
  add_by_entries(file, prefix + "mean", fit.mean);
  add_by_entries(file, prefix + "variance", fit.variance);
  add_by_entries(file, prefix + "V_diagonal", fit.V_diagonal);
  add_by_entries(file, prefix + "precision", fit.precision);
  add_by_entries(file, prefix + "relevance", fit.relevance);
  file.add_vector(prefix + "center", state.standardization.center);
  file.add_vector(prefix + "scale", state.standardization.scale);
  add_by_entries(file, prefix + "w", state.w);
  if (fit.sparse) {
    add_by_entries(file, prefix + "inclusion", fit.sparse->inclusion);
    add_by_entries(file, prefix + "direction", fit.sparse->direction);
  }
  if (!state.marginals.empty()) add_marginals(file, prefix, state.marginals);
  const CovarianceFactor& factor = state.factor;
  if (factor.kind == CovarianceFactor::Kind::mixture) {
    add_arrays(file, prefix, factor.mixture);
  } else if (factor.kind == CovarianceFactor::Kind::triangular) {
    file.add_matrix(prefix + "L_inverse", factor.L_inverse);
  } else if (factor.kind == CovarianceFactor::Kind::reduced) {
    file.add_vector(prefix + "d", factor.d);
    file.add_matrix(prefix + "T", factor.T);
    file.add_matrix(prefix + "B", factor.B);
    file.add_matrix(prefix + "R", factor.R);
    if (factor.U.rows() > 0) file.add_matrix(prefix + "U", factor.U);
  }
}

Report read_report(const Json& description, const std::string& path) {
  Report report;
  report.status = status_from(description.at("status"), path);
  report.message = description.at("message").text();
  report.sweeps = checked_count(description.at("sweeps"), path);
  report.solver = from_name(description.at("solver"),
                            {SolverKind::automatic, SolverKind::primal, SolverKind::dual, SolverKind::spectral, SolverKind::sequential,
                             SolverKind::greedy, SolverKind::coordinate, SolverKind::qr, SolverKind::iterative},
                            path);
  report.solver_reason = description.at("solver_reason").text();
  report.preset = description.at("preset").text();
  report.compat = description.at("compat").flag();
  report.notes = description.at("notes").texts();
  report.warnings = description.at("warnings").texts();
  report.seconds = description.at("seconds").number();
  if (description.contains("sampled")) {  // solver iterative
    const Json& sampled = description.at("sampled");
    const std::vector<double> errors = sampled.at("errors").numbers();
    const Index draws = sampled.at("draws").whole_number();
    if (errors.size() != 3 || draws < 1 || !std::ranges::all_of(errors, [](double e) { return e >= 0 && std::isfinite(e); }))
      fail_model(path, "what it says of its draws is invalid");
    report.sampled = {draws, errors[0], errors[1], errors[2]};
  }
  if (description.contains("pruning"))  // older files have none
    for (const Json& event : description.at("pruning").list())
      report.pruning.push_back(
          {checked_count(event.at("sweep"), path), event.at("pruned").whole_numbers(), event.at("readmitted").whole_numbers()});
  return report;
}

namespace {

struct FitReader : RecordReader {
  const Json& description;
};

// Texts and lists; the names of the columns are known before.
void read_description(const FitReader& in, Fit& fit, FitState& state) {
  const Json& description = in.description;
  const std::string& path = in.path();
  CovarianceFactor& factor = state.factor;
  fit.task = from_name(description.at("task"), {Task::linear, Task::logistic, Task::counts}, path);
  fit.prior = from_name(description.at("prior"), all_priors, path);
  if (description.contains("posterior"))  // older files have none
    fit.posterior = from_name(description.at("posterior"), {LinearPosterior::joint, LinearPosterior::factorised}, path);
  if (description.contains("likelihood"))
    fit.likelihood = from_name(description.at("likelihood"),
                               {LogisticLikelihood::gaussian, LogisticLikelihood::bound, LogisticLikelihood::laplace}, path);
  if (description.contains("lambda")) fit.lambda = description.at("lambda").number();
  if (description.contains("lambda_choice")) fit.lambda_choice = read_choice(description.at("lambda_choice"), path);
  if (description.contains("completed_tables")) fit.completed_tables = description.at("completed_tables").whole_number();
  if (description.contains(student_degrees)) fit.student_degrees = description.at(student_degrees).number();
  if (!(fit.student_degrees > 0)) in.fail("the degrees of freedom");
  fit.family = read_family(fit.task, description.contains(family_key) ? &description.at(family_key) : nullptr, path);
  if (is_count(fit.task)) {
    const std::vector<double> numbers = description.at(deviance).numbers();
    if (numbers.size() != 2) in.fail("the deviance");
    fit.deviance = numbers[0], fit.deviance_explained = numbers[1];
  }
  fit.target = description.at("target").text();
  fit.classes = description.at("classes").texts();
  const auto p = static_cast<Index>(fit.column_names.size());
  fit.group = whole_numbers_of(description.at("group"), p);
  fit.relevant = flags_of(description.at("relevant"), p);
  fit.left_out = flags_of(description.at("left_out"), p);
  state.standardization.intercept = description.at("intercept").flag();
  factor.kind = static_cast<CovarianceFactor::Kind>(description.at("covariance").whole_number());
  factor.flat_columns = description.at("flat_columns").whole_numbers();
  if (description.contains("covariance_columns"))  // older files have none
    factor.columns = whole_numbers_of(description.at("covariance_columns"), p + 1);
  fit.report = read_report(description.at("report"), path);

  for (const auto& [name, column] : {std::pair{exposure, &fit.exposure}, {offset_column, &fit.offset_column}}) {
    if (!description.contains(name)) continue;
    const Index j = description.at(name).whole_number();
    if (j < 0 || j >= static_cast<Index>(fit.column_names.size()) || !is_count(fit.task)) in.fail("the exposure, or the offset");
    *column = j;
  }
  if (description.contains(has_row_offset)) fit.has_row_offset = description.at(has_row_offset).flag();
  if ((fit.has_row_offset && !is_count(fit.task)) || fit.has_row_offset + fit.exposure.has_value() + fit.offset_column.has_value() > 1)
    in.fail("the exposure, or the offset");
  if (has_classes(fit.task) && fit.classes.size() != 2) in.fail("the list of classes");
  if (fit.group.size() != fit.column_names.size() || fit.relevant.size() != fit.column_names.size() ||
      fit.left_out.size() != fit.column_names.size())
    in.fail("a list of columns");
  const Index q = p + (state.standardization.intercept ? 1 : 0);
  for (const PruningEvent& event : fit.report.pruning)
    for (const std::vector<Index>& columns : {event.pruned, event.readmitted})
      for (Index j : columns)
        if (j < 0 || j > p) in.fail("a list of pruned columns");
  for (std::size_t i = 0; i < factor.columns.size(); ++i)
    if (factor.columns[i] < 0 || factor.columns[i] >= q || (i > 0 && factor.columns[i] <= factor.columns[i - 1]))
      in.fail("the list of columns with a covariance");
}

// Older files have none, and fits in which all marginals are normal.
void read_marginals(const FitReader& in, Index count, FitState& state) {
  if (!in.file.has(in.prefix + "tilts")) return;
  const auto tilt_of = [](const auto& row) {
    TiltedNormal::Tilt tilt;
    for (std::size_t k = 0; k < tilt.size(); ++k) tilt[k] = row[static_cast<Index>(k)];
    return tilt;
  };
  const Matrix tilts = in.finite_matrix("tilts");
  if (tilts.rows() != count || tilts.cols() != TiltedNormal::degree) in.fail("tilts");
  state.marginals.resize(static_cast<std::size_t>(count));
  for (Index j = 0; j < count; ++j)
    if (const TiltedNormal::Tilt tilt = tilt_of(tilts.row(j)); tilt != TiltedNormal::Tilt{})
      state.marginals[static_cast<std::size_t>(j)].push_back({.tilt = tilt});
  if (in.file.has(in.prefix + "tilted_parts")) {
    const Matrix parts = in.finite_matrix("tilted_parts");
    if (parts.cols() != part_columns) in.fail("tilted_parts");
    for (Index i = 0; i < parts.rows(); ++i) {
      const double column = parts(i, 0);
      if (!(column >= 0 && column < static_cast<double>(count) && column == std::floor(column))) in.fail("tilted_parts");
      state.marginals[static_cast<std::size_t>(column)].push_back(
          {parts(i, 1), parts(i, 2), parts(i, 3), tilt_of(parts.row(i).tail(TiltedNormal::degree))});
    }
  }
  for (const TiltedParts& one : state.marginals) {
    double sum = 0;
    for (const TiltedPart& part : one) sum += part.weight;
    if (!one.empty() && (std::abs(sum - 1) > 1e-9 || !TiltedMixture(one).falls())) in.fail("tilts");
  }
}

void read_numbers(const FitReader& in, Fit& fit, FitState& state) {
  const std::string &path = in.path(), &prefix = in.prefix;
  const Index p = static_cast<Index>(fit.column_names.size()), q = p + (state.standardization.intercept ? 1 : 0);
  const Vector numbers = in.vector("scalars", num_fit_scalars);
  if (numbers.hasNaN()) fail_damaged(path, prefix + "scalars");
  set_scalars(numbers, path, fit, state);
  const double used = fit.bound + state.y_center + state.y_scale + (fit.intercept ? fit.intercept->mean : 0.0);
  if (!std::isfinite(used)) fail_damaged(path, prefix + "scalars");
  if (has_noise(fit.task) &&
      !(fit.noise.shape >= least_noise_shape && std::isfinite(fit.noise.shape) && fit.noise.rate > 0 && std::isfinite(fit.noise.rate)))
    throw InvalidArgument(fmt::format("'{}' is damaged: its noise posterior is Gamma({}, {})", path, fit.noise.shape, fit.noise.rate));
  const Vector history = in.file.vector(prefix + "bound_history");
  fit.report.bound_history.assign(history.begin(), history.end());
  fit.mean = in.finite_vector("mean", p);
  fit.variance = in.vector("variance", p);  // infinite if the shape of the noise is at most 1
  if (!(fit.variance.array() >= 0).all()) fail_damaged(path, prefix + "variance");
  fit.V_diagonal = in.finite_vector("V_diagonal", p);
  fit.relevance = in.finite_vector("relevance", p);
  fit.precision = vector_of_entries(in.file, prefix + "precision", p + 1);  // infinite: a greedy preset left the column out
  if (!(fit.precision.array() >= 0).all()) fail_damaged(path, prefix + "precision");
  state.standardization.center = in.finite_vector("center", p, true);
  state.standardization.scale = in.finite_vector("scale", p, true);
  state.w = fit.standardized_mean = in.finite_vector("w", q);
  read_marginals(in, q, state);
}

void read_path(const FitReader& in, LambdaChoice& choice, Index p) {
  if (!in.file.has(in.prefix + "path.count")) return;  // older files have none
  const Index lambdas = choice.lambda.size();
  const Vector count = in.vector("path.count", lambdas), value = in.file.vector(in.prefix + "path.value"),
               column = in.vector("path.column", value.size());
  choice.intercept = in.finite_vector("path.intercept", lambdas, true);
  choice.mean = Matrix::Zero(p, lambdas);
  Index at = 0;
  for (Index l = 0; l < lambdas; ++l) {
    if (!(count[l] >= 0 && count[l] <= static_cast<double>(value.size() - at))) in.fail("path.count");
    for (const Index end = at + static_cast<Index>(count[l]); at < end; ++at) {
      if (!(column[at] >= 0 && column[at] < static_cast<double>(p)) || !std::isfinite(value[at]))
        fail_damaged(in.path(), in.prefix + "path");
      choice.mean(static_cast<Index>(column[at]), l) = value[at];
    }
  }
}

void read_sparse_part(const FitReader& in, Fit& fit) {
  const std::string& path = in.path();
  const Json& description = in.description.at("sparse");
  const Index p = static_cast<Index>(fit.column_names.size());
  for (double& share : fit.relevance) share = checked_share(share, "an inclusion", path);
  const bool has_direction = description.contains("undecided");
  fit.sparse = read_sparse(description, in.finite_vector("inclusion", p), path);
  fit.sparse->direction = has_direction ? in.finite_vector("direction", p) : Vector::Constant(p, 0.5);
  for (Index j = 0; j < p; ++j) {
    double& direction = fit.sparse->direction[j];
    if (!has_direction && fit.variance[j] > 0) direction = normal_cdf(std::abs(fit.mean[j]) / std::sqrt(fit.variance[j]));
    if (!(direction >= 0.5)) fail_damaged(path, in.prefix + "direction");
    direction = checked_share(direction, "a probability of direction", path);
  }
}

// \param q  columns of the design
void read_factor(const FitReader& in, Index q, CovarianceFactor& factor) {
  const Index inside = factor.columns.empty() ? q : static_cast<Index>(factor.columns.size());  // columns that the factor is for
  if (factor.kind == CovarianceFactor::Kind::triangular) {
    factor.L_inverse = in.finite_matrix("L_inverse");
    if (factor.L_inverse.rows() != inside || factor.L_inverse.cols() != inside) in.fail("L_inverse");
  } else if (factor.kind == CovarianceFactor::Kind::reduced) {
    factor.d = in.finite_vector("d", inside);
    factor.T = in.finite_matrix("T");
    factor.B = in.finite_matrix("B");
    factor.R = in.finite_matrix("R");
    factor.U = in.file.has(in.prefix + "U") ? in.finite_matrix("U") : Matrix(0, inside);  // older files have none
    if (factor.U.cols() != inside) in.fail("U");
    const auto f = static_cast<Index>(factor.flat_columns.size());
    if (factor.T.cols() != inside || factor.B.cols() != inside || factor.B.rows() != f || factor.R.rows() != f || factor.R.cols() != f)
      in.fail("T, B or R");
    for (Index j : factor.flat_columns)
      if (j < 0 || j >= inside) in.fail("the list of flat columns");
    if (has_repeats(factor.flat_columns)) fail_model(in.path(), "its list of flat columns names a column twice");
  } else if (factor.kind == CovarianceFactor::Kind::mixture) {
    factor.mixture = read_mixture(in.file, in.prefix, in.description.at("mixture"), q);
  } else if (factor.kind != CovarianceFactor::Kind::none) {
    in.fail("the covariance");
  }
}

}  // namespace

Fit read_fit(const SafetensorsReader& file, const std::string& prefix, const Json& description, std::vector<std::string> column_names) {
  const FitReader in{{file, prefix}, description};
  Fit fit;
  fit.column_names = std::move(column_names);
  const auto state = std::make_shared<FitState>();
  read_description(in, fit, *state);
  read_numbers(in, fit, *state);
  if (fit.lambda_choice) read_path(in, *fit.lambda_choice, fit.mean.size());
  if (file.has(prefix + "precision_history")) fit.precision_history = file.matrix(prefix + "precision_history");
  if (is_sparse(fit.prior)) read_sparse_part(in, fit);
  read_factor(in, state->w.size(), state->factor);
  fit.state = state;
  return fit;
}

double checked_share(double value, const char* what, const std::string& path) {
  if (!(value >= -1e-9 && value <= 1 + 1e-9))
    throw InvalidArgument(fmt::format("'{}' is damaged: {} is {}; it must lie between 0 and 1", path, what, value));
  return std::clamp(value, 0.0, 1.0);
}

int checked_count(const Json& number, const std::string& path) {
  const Index count = number.whole_number();
  if (count < 0 || count > std::numeric_limits<int>::max())
    throw InvalidArgument(fmt::format("'{}' is damaged: its number of sweeps is {}", path, count));
  return static_cast<int>(count);
}

bool has_repeats(std::vector<Index> indices) {
  std::sort(indices.begin(), indices.end());
  return std::adjacent_find(indices.begin(), indices.end()) != indices.end();
}

void fail_damaged(const std::string& path, const std::string& name) {
  throw InvalidArgument(fmt::format("'{}' is damaged: its array '{}' holds an invalid number", path, name));
}

void fail_model(const std::string& path, const std::string& why) {
  throw InvalidArgument(fmt::format("'{}' is not an ardvark model file: {}", path, why));
}

}  // namespace ardvark::internal::io
