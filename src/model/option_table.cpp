// The options: the member that holds each one, its values, its help, and where it applies. Every interface reads this table;
// `scripts/options` writes the texts on it.
#include "model/option_cases.hpp"

namespace ardvark {

namespace internal::option_rows {

using O = ModelOptions;
using enum OptionGroup;

// [name] and [name=value] in a text are replaced by the spelling of the interface.
constexpr ModelOption rows[] = {
    {"model", &O::model, what, "linear, logistic (two classes or more), counts, kernel or rvm",
     "The model for your data: columns are standardised inside, an intercept is added; results are in your units. counts: Poisson "
     "regression with a log link, under every prior but laplace. kernel: curves, "
     "surfaces and classes of any shape by a Gaussian process, whose bands open away from the data. rvm: a relevance vector machine, as "
     "published; away from the data, its curve returns to a constant, and the interval does not widen. The program's command fit also goes "
     "without [model] and [preset]: it takes logistic for a target of text, of true and false or of two different numbers, and else "
     "linear, "
     "and says so.",
     Facts().take(models).shell(fit | select | compare)},
    {"preset", &O::preset, what, "the name of a published program", "Fits this program instead of a model.",
     Facts().refuse(in_pieces).shell(fit | select)},
    {"compat", &O::compat, what, "off by default", "With [preset]: reproduces the program exactly, including its defects.",
     Facts().refuse(kernel | rvm | sparse_x).say(needs_preset).shell(fit | select)},
    {"task", &O::task, machine, "regression or classification",
     "The task of a kernel machine ([model=kernel], [model=rvm]). Without this option, it is classification for a target of text or of two "
     "different numbers, "
     "and else regression.",
     Facts().refuse(slr_rvm).say(only_machines).take(tasks).shell(fit)},
    {"prior", &O::prior, prior, "auto (default), sparse, slab, dense, shared, ard, groups, none or laplace",
     "sparse: a few columns have an effect of their own, and all columns may have a small one; its intervals are right with few and with "
     "many columns. slab: only the few effects. dense: only the small effects. These three apply to regressions, to counts and to two "
     "classes. "
     "shared: one precision for all columns. ard: one for each column. groups: one for each group. none: least squares or maximum "
     "likelihood. laplace: L1 (lasso), the mode, with most coefficients at zero. auto is sparse, except for a softmax of "
     "several "
     "classes, and with an option that cannot be used with sparse (a0, b0, c0, d0, likelihood, posterior, solver, update_rule, prune_at, "
     "start values). Then "
     "it is ard if there are at least five rows per column, and shared otherwise. A note says which prior was taken.",
     Facts().refuse(programs).say(of_coefficients).take(priors).shell(fit | select)},
    {"lambda", &O::lambda, prior, "a number > 0",
     "With [prior=laplace]: the penalty per unit of |w| of a standardised column; glmnet's lambda times the number of rows, or "
     "liblinear's 1/C. In a regression it is in units of the target. Without this option, cross-validation chooses it. Presets l1_slr_lap "
     "and l1_slr_c: 1 by default; with [compat], l1_slr_lap takes the square of lambda here, as published.",
     Facts().refuse(machines).say(only_l1).positive().shell(fit | select)},
    {"lambda_rule", &O::lambda_rule, prior, "min (default) or 1se",
     "With [prior=laplace] and no [lambda]: which lambda is taken. min: that with the smallest loss in cross-validation. 1se: the largest "
     "whose loss is at most one standard error above the smallest, which keeps fewer columns.",
     Facts().refuse(machines).say(only_chosen_lambda).take(lambda_rules).shell(fit | select)},
    {"toolbox_gamma1", &O::toolbox_gamma1, prior, "a number > 0",
     "Presets l1_slr_lap and l1_slr_c: gamma1 of the SLR toolbox, instead of lambda.",
     Facts().refuse(machines).say(only_l1_programs).positive()},
    {"toolbox_gamma0", &O::toolbox_gamma0, prior, "a number >= 0",
     "Preset smlr: gamma0 of the SLR toolbox. Precisions have the prior Gamma(gamma0, gamma0).",
     Facts().refuse(machines).say(only_smlr).at_least(0)},
    {"group", &O::group, prior, "a group number for each column",
     "Under sparse and slab, the columns of a group enter the model together. Under groups, they share a precision.",
     Facts().refuse(programs | laplace).say(of_groups)},
    {"flat", &O::flat, prior, "positions of columns", "Columns without a prior.", Facts().refuse(programs & ~greedy).say(of_coefficients)},
    {"likelihood", &O::likelihood, posterior, "vg (default), jj or laplace",
     "Two classes, and regressions of several classes: the approximation of the logistic likelihood. vg: the best Gaussian posterior. jj: "
     "the bound of Jaakkola and Jordan. "
     "laplace: Laplace's approximation.",
     Facts().refuse(kernel | slr_rvm | programs | laplace | sparse_priors).say(only_logistic).take(likelihoods).shell(fit | select)},
    {"intervals", &O::intervals, posterior, "skewed (default) or gaussian",
     "Two classes and counts, under shared, ard, groups and none: the intervals of coefficients. skewed: their ends are those of each "
     "coefficient's own distribution, which need not be symmetric; with few rows a normal one misses them. gaussian: mean -+ a multiple "
     "of the standard deviation. Means, standard deviations and predictions are the same. Completed tables, other likelihoods than vg, and "
     "rows that are read in pieces always have gaussian.",
     Facts().say(only_skewed).take(shapes).shell(fit)},
    {"posterior", &O::posterior, posterior, "joint (default) or factorised",
     "Regressions. joint: one posterior of weights and noise together, as in VBLinLogit. factorised: one of the weights and one of the "
     "noise, as in the variational RVM.",
     Facts().refuse(machines | programs | laplace | sparse_priors).say(only_linear).take(posteriors)},
    {"family", &O::family, posterior, "auto (default), poisson or negative-binomial",
     "Counts: the distribution about the mean mu. negative-binomial has the variance mu + k mu^2, with k found in the fit. auto fits both "
     "and takes the one with the higher log evidence.",
     Facts().refuse(linear | logistic | machines | programs).say(only_counts).take(families).shell(fit)},
    {"noise", &O::noise, posterior, "normal (default), student or auto",
     "Regressions: the distribution of the errors. student: Student-t with the degrees of freedom found in the fit, so that outliers get "
     "little weight. auto fits both and takes the one with the higher log evidence.",
     Facts().refuse(logistic | counts | machines | programs | laplace | statistics).say(only_linear).take(noises).shell(fit)},
    {"coding", &O::coding, posterior, "automatic (default), softmax, one-against-rest or one-against-one",
     "Three classes or more: one softmax, a logistic regression for each class, or one for each pair of classes. automatic is "
     "one-against-rest under sparse, slab, dense and laplace, and for eight classes or more with few rows; otherwise it is softmax.",
     Facts().refuse(machines | programs).say(only_several).take(codings).shell(fit | select)},
    {"precision_per_class", &O::precision_per_class, posterior, "off by default",
     "Softmax: one precision for each class and column, instead of one for the weights of a column in all classes.",
     Facts().refuse(machines | programs).say(only_several)},
    {"a0", &O::a0, prior, "a number > 0",
     "Hyper-prior: shape of the noise (regressions) or of the precisions (classifications). The default of a linear model depends on the "
     "table, see [b0].",
     Facts().refuse(kernel | slr_rvm | laplace | sparse_priors).say(no_hyperprior).positive().shell(fit | select)},
    {"b0", &O::b0, prior, "a number > 0",
     "Hyper-prior: rate of the noise (regressions) or of the precisions (classifications). Linear models: in variances of the target if it "
     "is standardised, else in squares of its unit. The default is 1e-4 variances with as many columns as rows or more, and 1e-10 with "
     "fewer, so that it limits the noise only where it must. If no column has a prior, [a0] and [b0] are 1e-20: the classical answers.",
     Facts().refuse(kernel | slr_rvm | laplace | sparse_priors).say(no_hyperprior).positive().shell(fit | select)},
    {"c0", &O::c0, prior, "a number > 0", "Hyper-prior: shape of the precisions (regressions).",
     Facts().refuse(kernel | slr_rvm | laplace | sparse_priors).say(no_noise).positive().shell(fit | select)},
    {"d0", &O::d0, prior, "a number > 0", "Hyper-prior: rate of the precisions (regressions).",
     Facts().refuse(kernel | slr_rvm | laplace | sparse_priors).say(no_noise).positive().shell(fit | select)},
    {"intercept", &O::intercept, table, "on by default",
     "The intercept. Without it, columns are scaled by their root mean square and not centred.",
     Facts().refuse(kernel | rvm).shell(fit | select | compare)},
    {"standardize", &O::standardize, table, "on by default",
     "Scaling of the columns to the same size. Without it, columns are used as they are.", Facts().shell(fit | select | compare)},
    {"acceleration", &O::acceleration, sweeps, "on by default",
     "Extrapolation between sweeps, in the fits that have it; the priors sparse, slab and dense, and presets as published, do not.",
     Facts().refuse(machines | laplace | sparse_priors | several_classes).shell(fit | select)},
    {"converge", &O::converge, what, "off by default",
     "With the presets vb_* and vrvm_*: continues to the maximum of the published bound, as a model does, instead of making the "
     "published sweeps.",
     Facts().say(only_vb).shell(fit | select)},
    {"mixed_precision", &O::mixed_precision, sweeps, "on by default",
     "Products in single precision in the early sweeps of large classifications; the last sweeps use double precision.",
     Facts().refuse(machines)},
    {"solver", &O::solver, sweeps, "automatic (default), primal, dual, spectral, qr or iterative",
     "The solver of the linear system. qr keeps the digits that other solvers lose if columns are nearly collinear. iterative makes no "
     "decomposition: linear, prior shared; standard deviations are from draws. It is the default for more than 20,000 rows and columns.",
     Facts().refuse(machines | laplace | sparse_priors).say(no_solver).take(solvers).shell(fit | select)},
    {"max_sweeps", &O::max_sweeps, sweeps, "a whole number >= 1",
     "The largest number of sweeps of a fit: 500 by default; 1000 for presets of the SLR toolbox, which make exactly this number with "
     "[compat]; 10000 actions for rvm_regression and rvm_classification. [model=rvm]: it applies to the last fit; a search makes other "
     "fits. [algorithm=type-two] ignores it. It cannot be used with [model=kernel].",
     Facts().refuse(kernel).say(no_sweeps).at_least(1).shell(fit | select | compare)},
    {"tolerance", &O::tolerance, sweeps, "a number >= 0",
     "A fit ends when this value is reached. Models: the remaining gain in the bound, in nats per row (default 1e-8). Under sparse, slab "
     "and dense: the last change of the bound, in nats (default 1e-3; classes 2e-3). Presets: the relative change of the bound (default "
     "1e-5); those of the SLR toolbox: as for models; rvm_regression and rvm_classification: the gain of an action. [prior=laplace] and "
     "l1_slr_c: the violation of the conditions of the maximum, in units of lambda, between 0 and 1 (default 1e-9). It cannot be used with "
     "kernel machines.",
     Facts().refuse(machines).say(no_sweeps).at_least(0).shell(fit | select)},
    {"update_rule", &O::update_rule, sweeps, "vb (default) or mackay", "How precisions are updated.",
     Facts().refuse(machines | programs | sparse_priors).take(update_rules)},
    {"prune_at", &O::prune_at, sweeps, "a number >= 0, default 0: none leaves; SLR toolbox 1e8",
     "A column leaves the computation at this precision.", Facts().refuse(kernel | rvm | sparse_priors).within(0, infinity)},
    {"readmit_every", &O::readmit_every, sweeps, "a whole number >= 0",
     "Number of sweeps after which columns that left are tested again; 0, the default, is never.",
     Facts().refuse(machines | programs | sparse_priors).at_least(0)},
    {"threads", &O::threads, sweeps, "a whole number >= 0",
     "Number of threads, which does not change the result; 0, the default, takes the number from the environment. In a selection: number "
     "of fits at a time.",
     Facts().at_least(0).shell(fit | select | compare).not_kept()},
    {"record_every", &O::record_every, sweeps, "a whole number >= 0",
     "Number of sweeps between two columns of precision_history; 0: nothing is recorded.",
     Facts().refuse(kernel | rvm | sparse_priors).at_least(0).not_kept()},
    {"keep_covariance", &O::keep_covariance, sweeps, "automatic (default), always or never",
     "Whether the fit keeps what it needs to compute the covariance.", Facts().refuse(machines).take(keeps).not_kept()},
    {"diagnose", &O::diagnose, posterior, "off by default",
     "Also computes k-hat, which measures with 4000 draws how far the posterior is from the exact one. Up to 0.7 is good; above, a warning "
     "says what is wrong. It applies to counts, to Student-t noise, to two classes, to several classes with one regression each (coding), "
     "and to the classes of [model=rvm].",
     Facts().refuse(kernel | in_pieces | sparse_x).say(only_one_fit).shell(fit)},
    {"fdr", &O::fdr, posterior, "a number between 0 and 1",
     "Also selects columns at this false discovery rate: of the sets that are named, this share is expected to hold no column with an "
     "effect. Columns that the data cannot tell apart are one set. It takes one more computation, after which the model answers for any "
     "rate. It applies to regressions, to counts and to two classes, under sparse and slab.",
     Facts()
         .refuse(machines | programs | laplace | shared | ard | groups | none | dense | in_pieces | several_classes)
         .say(only_inclusions)
         .within(0, 1, true)
         .shell(fit | show)},
    {"guarantee", &O::guarantee, posterior, "posterior (default) or knockoffs",
     "With [fdr]: why the rate holds. posterior: on average over the prior; it names sets of columns. knockoffs: whatever the effects are, "
     "if the columns are normal and their covariance is known; it is estimated. It names single columns, takes up to 1000 of them, and "
     "finds fewer effects. [seed] belongs to it.",
     Facts()
         .refuse(machines | programs | laplace | shared | ard | groups | none | dense | in_pieces | several_classes)
         .say(only_inclusions)
         .take(guarantees)
         .shell(fit)},
    {"weights", &O::weights, table, "a number >= 0 for each row", "Observation weights: a row with weight 2 counts as two equal rows.",
     Facts().refuse(in_pieces).not_kept()},
    {"exposure", &O::exposure, table, "the name of a column",
     "Counts: the column that says how long, or over how much, each row was counted, a number above 0. Rates are per unit of it, and a new "
     "row needs it, too.",
     Facts().refuse(linear | logistic | machines | programs).say(only_counts).shell(fit | compare)},
    {"offset_column", &O::offset_column, table, "the name of a column",
     "Counts: the column that is added to the linear predictor as it is, such as the logarithm of an exposure. It has no coefficient, and "
     "a "
     "new row needs it, too. Give it or [exposure].",
     Facts().refuse(linear | logistic | machines | programs).say(only_counts).shell(fit | compare)},
    {"row_offset", &O::row_offset, table, "a number for each row",
     "Counts: what is added to the linear predictor of each row, instead of a column of the table. The model knows that there was one: "
     "predictions need it for each new row.",
     Facts().refuse(linear | logistic | machines | programs | in_pieces).say(only_counts).not_kept()},
    {"start_precision", &O::start_precision, sweeps, "numbers > 0",
     "Starting values of the precisions: one for each column, and with an intercept optionally one more at the end; a single number if "
     "all columns share a precision. Several classes: all values of the first class, then of the next. Preset slr_rvm: one for each row.",
     Facts().refuse(kernel | rvm | sparse_priors)},
    {"start_noise", &O::start_noise, sweeps, "a number >= 0, default 0: 100 / variance of the target",
     "With [posterior=factorised]: the starting value of the noise precision.",
     Facts().refuse(machines | laplace | sparse_priors).at_least(0)},
    {"column_names", &O::column_names, table, "a text for each column", "Names for messages and summaries.", Facts().not_kept()},
    {"class_names", &O::class_names, table, "a text for each class",
     "Names of the classes; labels are then positions in this list, from 0.", Facts().not_kept()},
    {"target", &O::target, table, "a text", "Name of the target.", Facts().not_kept()},
    {"reference", &O::reference, table, "COLUMN=LEVEL",
     "Text columns: the level of this column that the others are compared with. Without this option, it is the level with the most rows. "
     "[model=rvm] compares no levels.",
     Facts().say(only_columns)},
    {"missing", &O::missing, table, "refuse (default), drop or impute",
     "Rows in which a value is missing. refuse: an error, which names row and column. drop: they are left out. impute: the gaps are filled "
     "several times, each column from the others and the target, and the posterior is the average; the model also predicts rows with gaps. "
     "impute applies to linear regressions and to two classes; under drop and impute, rows without a target are left out.",
     Facts().take(missing_words)},
    {"imputations", &O::imputations, table, "a whole number >= 5, default 20", "With [missing=impute]: how often the gaps are filled.",
     Facts().at_least(5).shell(fit)},
    {"kernel", &O::kernel, machine, "auto (default), gaussian, laplacian, cauchy, matern32, matern52, linear, polynomial or spline",
     "Kernel of the machine. auto: gaussian; with [model=kernel], gaussian and cauchy, averaged by their evidence. linear, polynomial and "
     "spline apply only to [model=rvm]. Preset slr_rvm: linear by default.",
     Facts().say(only_machines).take(kernels).shell(fit)},
    {"width", &O::width, machine, "auto (default), shared, each, a number > 0, or a number for each input",
     "Width of the kernel, in standard deviations of the inputs. shared: one width, found by the log evidence. each: one width for each "
     "input. auto: shared; with [model=kernel], shared and each, averaged by their evidence. The columns of one text column share a width. "
     "Preset slr_rvm with [compat]: R of "
     "the published kernel exp(-R |x-c|^2 / number of inputs).",
     Facts().say(only_machines).shell(fit)},
    {"toolbox_R", &O::toolbox_R, machine, "a number > 0", "Preset slr_rvm: R of the SLR toolbox, instead of width.",
     Facts().refuse(kernel).say(only_slr_rvm).positive()},
    {"degree", &O::degree, machine, "a whole number >= 1, default 2", "Degree of the polynomial kernel.",
     Facts().refuse(kernel).say(only_machines).at_least(1).shell(fit)},
    {"offset", &O::offset, machine, "a number >= 0",
     "Offset of the polynomial kernel; the default is the one with the highest log evidence.",
     Facts().refuse(kernel).say(only_machines).at_least(0).shell(fit)},
    {"algorithm", &O::algorithm, machine, "variational (default), plain or type-two",
     "plain: variational, with all columns at once, which is slow. type-two: type-II maximum likelihood.",
     Facts().refuse(kernel | slr_rvm).say(only_machines).take(algorithms).shell(fit | compare)},
    {"centres", &O::centres, machine, "auto (default), all or a number",
     "The rows that may become relevance vectors; auto is all. A number: this many rows, each the one that the rows before it explain "
     "worst. [model=kernel]: the rows in whose features the process is computed; auto is all up to 2000 rows, else 300.",
     Facts().say(only_machines).take(centres_words).shell(fit | compare)},
    {"bands", &O::bands, machine, "published (default) or open",
     "[model=rvm]: the intervals of predictions away from the data. published: they do not widen. open: they widen by the spread of the "
     "fitted values where no training row is near; the curve is the same, and probabilities return towards the middle. open applies "
     "to kernels that fall with the distance.",
     Facts().refuse(kernel | slr_rvm).say(only_machines).take(bands_words).shell(fit)},
    {"vectors", &O::vectors, machine, "auto (default), all, or a whole number >= 1",
     "[model=kernel]: the rows that the stored model keeps. auto: few whose predictions are within [divergence]. all: every row that "
     "adds anything. A number: at most so many; with several classes, for each of them.",
     Facts().refuse(many_rows).say(only_kernel).take(centres_words).shell(fit)},
    {"divergence", &O::divergence, machine, "a number > 0, default 0.01",
     "[model=kernel] with vectors auto: how far the predictions of the kept rows may be from those of all rows, in nats a row.",
     Facts().say(only_kernel).positive().shell(fit)},
    {"averaging", &O::averaging, machine, "on by default",
     "[model=kernel]: the average over hyper-parameters that the evidence leaves open. Without it, only the best ones are used, in half "
     "the "
     "time; with few rows, intervals are then too narrow.",
     Facts().say(only_kernel).shell(fit)},
    {"linear_part", &O::linear_part, machine, "off by default",
     "[model=kernel]: the function is that of the kernel and, besides, a straight line in each input, which goes on outside the data. How "
     "much of it is a line comes from the evidence.",
     Facts().say(only_kernel).shell(fit)},
    {"input_group", &O::input_group, machine, "a group number for each input", "Inputs of one group share a width.",
     Facts().say(only_machines)},
    {"precision", &O::precision, others, "a number > 0", "Sequential regression: precision of the prior.", Facts().positive()},
    {"block_rows", &O::block_rows, others, "a whole number >= 1",
     "Sequential regression: rows per matrix product; the result does not depend on it.", Facts().at_least(1)},
    {"row_order", &O::row_order, others, "as-given (default) or by-content",
     "Sequential regression and preset vb_logit_fit_iter: the order in which rows are absorbed. The result depends on it. as-given: the "
     "order of the table, as published. by-content: a random order that depends only on the content of the rows, with equal rows "
     "together.",
     Facts().refuse(machines).say(only_sequential).take(row_orders).shell(fit)},
    {"folds", &O::folds, others, "a whole number >= 2, default 10",
     "Selection, and [prior=laplace] without [lambda]: the number of parts into which the rows are divided, class by class. Each part is "
     "predicted by a fit to the others.",
     Facts().refuse(machines).at_least(2).shell(fit | select)},
    {"repeats", &O::repeats, others, "a whole number >= 1, default 10", "Selection: how often the rows are divided anew.",
     Facts().refuse(machines).at_least(1).shell(select)},
    {"seed", &O::seed, others, "a whole number >= 0, default 1",
     "Selection, and [prior=laplace] without [lambda]: the seed of the random division. [missing=impute]: the seed of the draws. "
     "[guarantee=knockoffs]: that of the knockoffs. C and "
     "Octave: the seed of draws from the "
     "predictions of a kernel machine; C: of draws of weights. The same "
     "seed gives the same result with any "
     "number of threads.",
     Facts().refuse(machines).within(0, 0x1p53).shell(fit | select)},
    {"rule", &O::rule, others,
     "automatic (default), exact, plug-in, mackay, published, published-batch, published-incremental, average or mixture",
     "Predictions: how a probability or a density is computed from the posterior.", Facts().take(rules).not_kept()},
    {"level", &O::level, others, "a number between 0 and 1, default 0.95", "Level of the intervals.",
     Facts().within(0, 1, true).shell(fit).not_kept()},
    {"verbose", &O::verbose, others, "off by default",
     "Summaries: also how the result was computed: steps, solver, hypotheses that were averaged, effective parameters.",
     Facts().shell(fit | show).not_kept()},
    {"odds", &O::odds, others, "off by default",
     "Summaries of two classes and of counts: odds ratios, or rate ratios, with their intervals, instead of coefficients. They are the "
     "factors by which the odds of the second class, or the expected count, change per unit of the column.",
     Facts().shell(fit | show).not_kept()},
    {"standardized", &O::standardized, others, "off by default",
     "Summaries of regressions and of two classes: coefficients per standard deviation of the column, and of the target of a regression, "
     "so "
     "that columns can be compared.",
     Facts().shell(fit | show).not_kept()},
    {"interval", &O::interval, others, "new (default) or mean",
     "Predictions of a regression. new: sd and interval of a new observation, with its noise. mean: those of the mean, without noise.",
     Facts().take(intervals).not_kept()},
};

}  // namespace internal::option_rows

std::span<const ModelOption> model_options() { return internal::option_rows::rows; }

FitCases ModelOption::refused() const {
  FitCases all = facts.not_in;
  for (const OptionRefusal& refusal : facts.because) all |= refusal.cases;
  return all;
}

const char* title_of(OptionGroup group) {
  switch (group) {
    case OptionGroup::what: return "What is fitted";
    case OptionGroup::prior: return "The prior";
    case OptionGroup::posterior: return "The posterior";
    case OptionGroup::table: return "The table";
    case OptionGroup::sweeps: return "The computation";
    case OptionGroup::machine: return "Kernel machines";
    case OptionGroup::others: return "Other calls";
  }
  throw InternalError("no such group of options");
}

}  // namespace ardvark
