// For the option table: groups of cases, the words of options, and reasons.
#pragma once

#include <limits>

#include "ardvark/model.hpp"

// In a namespace of its own: the names of cases are short.
namespace ardvark::internal::option_rows {

using namespace fit_case;
using namespace in_command;

/// Where an option applies, written as a sentence.
struct Facts : OptionFacts {
 private:  // defined before it is used: some compilers want it so in a constant
  template <typename Value>
  [[nodiscard]] constexpr Facts with(Value OptionFacts::*member, const std::type_identity_t<Value>& value) const {
    Facts changed = *this;
    changed.*member = value;
    return changed;
  }

 public:
  [[nodiscard]] constexpr Facts refuse(FitCases cases) const { return with(&Facts::not_in, cases); }
  [[nodiscard]] constexpr Facts say(std::span<const OptionRefusal> reasons) const { return with(&Facts::because, reasons); }
  [[nodiscard]] constexpr Facts take(std::span<const OptionWord> all) const { return with(&Facts::words, all); }
  [[nodiscard]] constexpr Facts within(double least, double most, bool is_open = false) const {
    return with(&Facts::range, OptionRange{least, most, is_open});
  }
  [[nodiscard]] constexpr Facts at_least(double least) const { return within(least, OptionRange().most); }
  [[nodiscard]] constexpr Facts positive() const { return within(0, OptionRange().most, true); }
  [[nodiscard]] constexpr Facts shell(unsigned which) const { return with(&Facts::commands, which); }
  [[nodiscard]] constexpr Facts not_kept() const { return with(&Facts::is_kept, false); }
};

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr FitCases of_toolbox = toolbox | smlr | l1_slr_lap;  // by sweeps
constexpr FitCases programs = vb | sequential | greedy | of_toolbox | l1_slr_c, machines = kernel | rvm | slr_rvm;
constexpr FitCases sparse_priors = sparse | slab | dense, in_pieces = statistics | passes;
constexpr FitCases with_columns = linear | logistic | counts;

constexpr OptionWord models[] = {{"linear", 0, linear},
                                 {"logistic", statistics, logistic},
                                 {"counts", statistics, counts},
                                 {"kernel", statistics | sparse_x, kernel},
                                 {"rvm", in_pieces | sparse_x, rvm}};
constexpr OptionWord tasks[] = {{"regression"}, {"classification"}};
constexpr OptionWord priors[] = {{"auto", 0, automatic}, {"sparse", 0, sparse}, {"slab", 0, slab},
                                 {"dense", 0, dense},    {"shared", 0, shared}, {"ard", 0, ard},
                                 {"groups", 0, groups},  {"none", 0, none},     {"laplace", counts, laplace}};
constexpr OptionWord lambda_rules[] = {{"min"}, {"1se"}};
constexpr OptionWord likelihoods[] = {{"vg"}, {"jj"}, {"laplace"}};
constexpr OptionWord shapes[] = {{"skewed"}, {"gaussian"}};
constexpr OptionWord posteriors[] = {{"joint"}, {"factorised"}};
constexpr OptionWord families[] = {{"auto"}, {"poisson"}, {"negative-binomial"}};
constexpr OptionWord noises[] = {{"normal"}, {"student"}, {"auto"}};
constexpr OptionWord codings[] = {{"automatic"}, {"softmax"}, {"one-against-rest"}, {"one-against-one", many_rows}};
constexpr OptionWord solvers[] = {
    {"automatic"}, {"primal"}, {"dual", many_rows}, {"spectral", many_rows}, {"qr", many_rows | sparse_x}, {"iterative", many_rows}};
constexpr OptionWord update_rules[] = {{"vb"}, {"mackay"}};
constexpr OptionWord keeps[] = {{"automatic"}, {"always"}, {"never"}};
constexpr OptionWord guarantees[] = {{"posterior"}, {"knockoffs"}};
constexpr OptionWord missing_words[] = {{"refuse"}, {"drop", in_pieces | sparse_x}, {"impute", in_pieces | sparse_x}};
constexpr OptionWord kernels[] = {{"auto"},     {"gaussian"},       {"laplacian"},          {"cauchy"},        {"matern32"},
                                  {"matern52"}, {"linear", kernel}, {"polynomial", kernel}, {"spline", kernel}};
constexpr OptionWord algorithms[] = {{"variational"}, {"plain"}, {"type-two"}};
constexpr OptionWord centres_words[] = {{"auto"}, {"all", many_rows}};
constexpr OptionWord bands_words[] = {{"published"}, {"open"}};
constexpr OptionWord row_orders[] = {{"as-given"}, {"by-content"}};
constexpr OptionWord rules[] = {
    {"automatic"}, {"exact"},  {"plug-in"}, {"mackay"}, {"published"}, {"published-batch"}, {"published-incremental"},
    {"average"},   {"mixture"}};
constexpr OptionWord intervals[] = {{"new"}, {"mean"}};

constexpr char of_machine[] = "applies only to kernel machines: it needs [model=kernel], [model=rvm] or [preset=slr_rvm]";
constexpr char of_other_program[] =
    "applies only to [model=rvm] or [preset=slr_rvm]; this preset takes the table's columns as they are, without a kernel";
constexpr char has_lambda_only[] = "cannot be used with {}: its prior has only [lambda]";
constexpr char has_no_hyperpriors[] = "cannot be used with {}, which has no hyper-priors";
constexpr char is_greedy[] = "cannot be used with {}, which has no hyper-priors and changes one column at a time";
constexpr char reads_rows_once[] = "cannot be used with {}, which passes over the rows once";
constexpr char of_logistic[] = "applies only to logistic fits";
constexpr OptionRefusal needs_preset[] = {{with_columns, "reproduces a published program; it needs [preset]"}};
constexpr OptionRefusal only_machines[] = {{with_columns, of_machine}, {programs, of_other_program}};
constexpr OptionRefusal only_kernel[] = {{with_columns | programs | rvm | slr_rvm, "applies only to [model=kernel]"}};
constexpr OptionRefusal only_slr_rvm[] = {
    {with_columns, of_machine}, {programs, of_other_program}, {rvm, "applies only to [preset=slr_rvm]"}};
constexpr OptionRefusal of_coefficients[] = {{kernel, "cannot be used with [model=kernel]: it has no coefficients"},
                                             {rvm | slr_rvm, "cannot be used with [model=rvm]: each of its columns has its own precision"}};
constexpr OptionRefusal of_groups[] = {of_coefficients[0],
                                       of_coefficients[1],
                                       {dense, "cannot be used with [prior=dense]: all its effects have the same size"},
                                       {shared, "cannot be used with [prior=shared]; it needs [prior=groups], ard, sparse, slab or auto"},
                                       {none, "cannot be used with [prior=none]; it needs [prior=groups], ard, sparse, slab or auto"}};
constexpr const char* no_laplace = "applies only to linear and logistic models, under [prior=laplace]";
constexpr OptionRefusal only_l1[] = {{counts, no_laplace},
                                     {automatic | shared | ard | groups | none | sparse_priors | vb | sequential | greedy | toolbox | smlr,
                                      "applies only to the Laplace prior: [prior=laplace], [preset=l1_slr_lap] and l1_slr_c"}};
constexpr OptionRefusal only_chosen_lambda[] = {
    {counts, no_laplace},
    {automatic | shared | ard | groups | none | sparse_priors | programs, "applies only to [prior=laplace] without [lambda]"}};
constexpr OptionRefusal only_l1_programs[] = {
    {with_columns | vb | sequential | greedy | toolbox | smlr, "applies only to [preset=l1_slr_lap] and l1_slr_c"}};
constexpr OptionRefusal only_smlr[] = {
    {with_columns | (programs & ~smlr), "applies only to [preset=smlr]; the toolbox's other programs do not read it"}};
constexpr OptionRefusal only_logistic[] = {{linear | counts, of_logistic}};
constexpr OptionRefusal only_linear[] = {{logistic | counts, "applies only to linear fits"}};
constexpr OptionRefusal only_counts[] = {{linear | logistic | machines | programs, "applies only to [model=counts]"}};
constexpr OptionRefusal only_skewed[] = {
    {linear | machines | programs | several_classes, "applies only to [model=logistic] of two classes and to counts"},
    {sparse_priors | laplace, "applies only to [prior=shared], ard, groups and none"},
    {selection, "applies only to one fit; a selection makes many"}};
constexpr OptionRefusal only_several[] = {{linear | counts, of_logistic}, {two_classes, "applies only to three classes or more"}};
constexpr OptionRefusal no_hyperprior[] = {
    {l1_slr_c, has_lambda_only}, {greedy, is_greedy}, {of_toolbox, has_no_hyperpriors}, {sequential, reads_rows_once}};
constexpr OptionRefusal no_noise[] = {
    {l1_slr_c | of_toolbox, has_no_hyperpriors},
    {greedy, is_greedy},
    {logistic | counts, "applies only to linear models; the precisions of the others have [a0] and [b0]"}};
constexpr OptionRefusal no_solver[] = {{l1_slr_c, has_lambda_only}, {greedy, is_greedy}, {sequential, reads_rows_once}};
constexpr OptionRefusal no_sweeps[] = {{sequential, reads_rows_once}};
constexpr OptionRefusal only_vb[] = {
    {with_columns | kernel | rvm, "applies only to presets; a model always continues to the maximum of its bound"},
    {(programs & ~vb) | compat, "applies only to the presets vb_* and vrvm_* without [compat]"}};
constexpr OptionRefusal only_one_fit[] = {{selection, "applies only to one fit; a selection makes many"}};
constexpr OptionRefusal only_inclusions[] = {
    {machines | programs | laplace | shared | ard | groups | none | dense,
     "reads which columns have an effect; it needs [model=linear], logistic or counts, and [prior=sparse] or slab"},
    {several_classes, "applies only to regressions and to two classes"},
    {selection, "applies only to one fit; a selection makes many"}};
constexpr OptionRefusal only_columns[] = {
    {machines, "applies only to linear, logistic and counts models; a kernel compares every level with every other"}};
constexpr OptionRefusal only_sequential[] = {
    {with_columns | (programs & ~sequential), "applies only to vb_logit_fit_iter: no other fit depends on the order of the rows"}};

}  // namespace ardvark::internal::option_rows
