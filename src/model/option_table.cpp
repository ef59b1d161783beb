// The options: where each lies, what it may be and what it does. Every interface takes its help from here (`scripts/options`).
#include "ardvark/model.hpp"

namespace ardvark {

using namespace internal;

namespace {

using O = ModelOptions;
using enum OptionGroup;

// [name] and [name=value] in a text are spelled as the reader's interface does.
constexpr ModelOption rows[] = {
    {"model", &O::model, what, "linear, logistic (two classes or more) or rvm",
     "What to fit to your data: columns are standardised inside, an intercept is added, results come in your units. rvm is a relevance "
     "vector machine: sparse, on kernels, for numbers or classes."},
    {"preset", &O::preset, what, "the name of a published program", "Fits this program instead of a model."},
    {"compat", &O::compat, what, "off by default", "With [preset]: reproduces that program exactly, its defects included."},
    {"task", &O::task, machine, "regression or classification",
     "What the machine explains. A target of text is classified; a target of numbers needs this option."},
    {"prior", &O::prior, prior, "auto (default), sparse, slab, dense, shared, ard, groups, none; with classes also laplace",
     "sparse: few effects of their own over many small ones; honest also where columns are many. slab: the few alone. dense: the many "
     "alone. These three serve regressions and two classes. shared: one precision for all columns. ard: one for each. groups: one for "
     "each group. none: least squares or maximum likelihood. laplace: L1, the mode, with most columns at zero. auto is sparse; for a "
     "softmax of several classes, and beside an option that has no meaning with sparse (a0, b0, c0, d0, likelihood, posterior, solver, "
     "update_rule, prune_at, start values), "
     "it is ard where rows are at least five times the columns, and else shared. A note says which was taken."},
    {"lambda", &O::lambda, prior, "a number > 0",
     "With [prior=laplace]: nats per unit of |w| of a standardised column, which is glmnet's lambda times the rows, or liblinear's 1/C. "
     "Without it the message says from which lambda on every weight is zero. Presets l1_slr_lap and l1_slr_c: 1 by default; with "
     "[compat] l1_slr_lap takes the square of lambda here, as published."},
    {"toolbox_gamma1", &O::toolbox_gamma1, prior, "a number > 0",
     "Presets l1_slr_lap and l1_slr_c: gamma1 of the SLR toolbox, in place of lambda."},
    {"toolbox_gamma0", &O::toolbox_gamma0, prior, "a number >= 0",
     "Preset smlr: gamma0 of the SLR toolbox. Precisions have the prior Gamma(gamma0, gamma0)."},
    {"group", &O::group, prior, "a group number for each column",
     "Columns of one group come in together under sparse and slab, and share a precision under groups."},
    {"flat", &O::flat, prior, "positions of columns", "Columns without a prior."},
    {"likelihood", &O::likelihood, posterior, "vg (default), jj or laplace",
     "Two classes: what stands for the logistic likelihood. vg: the best Gaussian posterior. jj: the bound of Jaakkola and Jordan. "
     "laplace: Laplace's approximation."},
    {"posterior", &O::posterior, posterior, "joint (default) or factorised",
     "Regressions: weights and noise together, as VBLinLogit has them, or each by itself, as the variational RVM has them."},
    {"coding", &O::coding, posterior, "automatic (default), softmax, one-against-rest or one-against-one",
     "Three classes or more: one softmax, a logistic regression for each class, or one for each pair of classes. automatic takes "
     "one-against-rest under sparse, slab, dense and laplace, and of eight classes or more with few rows, else the softmax."},
    {"precision_per_class", &O::precision_per_class, posterior, "off by default",
     "Softmax: a precision for each class and column, and not one for the column's weights of all classes."},
    {"a0", &O::a0, prior, "a number > 0", "Hyper-prior: shape of the noise (regressions) or of the precisions (classifications)."},
    {"b0", &O::b0, prior, "a number > 0", "Hyper-prior: rate of the noise (regressions) or of the precisions (classifications)."},
    {"c0", &O::c0, prior, "a number > 0", "Hyper-prior: shape of the precisions (regressions)."},
    {"d0", &O::d0, prior, "a number > 0", "Hyper-prior: rate of the precisions (regressions)."},
    {"intercept", &O::intercept, table, "on by default",
     "An intercept. Without it, columns are scaled by their root mean square and not centred."},
    {"standardize", &O::standardize, table, "on by default",
     "Scaling of the columns to one size. Without it, columns are used as they are."},
    {"acceleration", &O::acceleration, sweeps, "on by default",
     "Extrapolation between sweeps, where a fit makes it; the priors sparse, slab and dense, and presets as published, do not."},
    {"converge", &O::converge, what, "off by default",
     "With the presets vb_* and vrvm_*: goes on to the maximum of the published bound, as a model does, and not by the published "
     "sweeps."},
    {"mixed_precision", &O::mixed_precision, sweeps, "on by default",
     "Large classifications: early sweeps multiply in single precision; the last ones do not."},
    {"solver", &O::solver, sweeps, "automatic (default), primal, dual, spectral or qr",
     "How the linear system is solved. qr keeps the digits that nearly collinear columns cost the others."},
    {"max_sweeps", &O::max_sweeps, sweeps, "a whole number >= 1",
     "At most this many sweeps of a fit: 500 by default; 1000 for presets of the SLR toolbox, which make exactly so many with [compat]; "
     "actions "
     "of rvm_regression and rvm_classification: 10000. Kernel machines: of the last fit; a search makes others, and [algorithm=type-two] "
     "does "
     "not read it."},
    {"tolerance", &O::tolerance, sweeps, "a number >= 0",
     "When a fit ends. Models: the gain that is left, in nats a row (default 1e-8). Under sparse, slab and dense: the last change of the "
     "bound in nats (default 1e-3; classes 2e-3). Presets: the relative change of the bound (default 1e-5), those of the SLR toolbox as "
     "models, rvm_regression and rvm_classification the gain of an action. [prior=laplace] and l1_slr_c: how far the conditions of the "
     "maximum "
     "are violated, in units of lambda, between 0 and 1 (default 1e-9). Kernel machines do not take it."},
    {"update_rule", &O::update_rule, sweeps, "vb (default) or mackay", "How precisions are updated."},
    {"prune_at", &O::prune_at, sweeps, "a number >= 0, default 0: none leaves; SLR toolbox 1e8",
     "The precision at which a column leaves the computation."},
    {"readmit_every", &O::readmit_every, sweeps, "a whole number >= 0",
     "Sweeps between two looks at columns that left; 0, the default, is never."},
    {"threads", &O::threads, sweeps, "a whole number >= 0",
     "Threads, which do not change the result; 0, the default, is as the environment says. In a selection: fits at a time."},
    {"record_every", &O::record_every, sweeps, "a whole number >= 0", "Sweeps between two columns of precision_history; 0: none is kept."},
    {"keep_covariance", &O::keep_covariance, sweeps, "automatic (default), always or never",
     "Whether the fit keeps what its covariance is made from."},
    {"diagnose", &O::diagnose, posterior, "off by default",
     "Classifications: also k-hat, which says from 4000 draws how far the posterior is from the exact one. Up to 0.7 is good; above, a "
     "warning says what is amiss. For two classes, for several that have a regression each (coding), and for [model=rvm]."},
    {"weights", &O::weights, table, "a number >= 0 for each row", "Observation weights: a weight is the same as the row so many times."},
    {"start_precision", &O::start_precision, sweeps, "numbers > 0",
     "Precisions to begin with: one for each column, with an intercept one more, last; one number where all columns share one. Several "
     "classes: those of class after class. Preset slr_rvm: one for each row."},
    {"start_noise", &O::start_noise, sweeps, "a number >= 0, default 0: 100 / variance of the target",
     "With [posterior=factorised]: the noise precision to begin with."},
    {"column_names", &O::column_names, table, "a text for each column", "Names for messages and summaries."},
    {"class_names", &O::class_names, table, "a text for each class",
     "Names of the classes; labels are then positions in this list, from 0."},
    {"target", &O::target, table, "a text", "Name of what is explained."},
    {"kernel", &O::kernel, machine, "gaussian (default), laplacian, cauchy, linear, polynomial or spline",
     "Kernel of the machine. Preset slr_rvm: linear by default."},
    {"width", &O::width, machine, "auto (default), each, a number > 0, or a number for each input",
     "Width of the kernel, in standard deviations of the inputs. auto: the width of the highest evidence that a search finds. each: a "
     "width for each input, learnt (gaussian). The columns of one text column share a width. Preset slr_rvm with [compat]: R of the "
     "published kernel exp(-R |x-c|^2 / number of inputs)."},
    {"toolbox_R", &O::toolbox_R, machine, "a number > 0", "Preset slr_rvm: R of the SLR toolbox, in place of width."},
    {"degree", &O::degree, machine, "a whole number >= 1, default 2", "Degree of the polynomial kernel."},
    {"offset", &O::offset, machine, "a number >= 0", "Offset of the polynomial kernel; by default the one of the highest evidence."},
    {"algorithm", &O::algorithm, machine, "variational (default), plain or type-two",
     "plain: variational with all columns at once, which is slow. type-two: maximum likelihood of type II."},
    {"centres", &O::centres, machine, "all (default) or a number",
     "Rows that may become relevance vectors. A number: so many rows, each the one that those before it explain worst."},
    {"input_group", &O::input_group, machine, "a group number for each input", "Inputs of one group share a width."},
    {"precision", &O::precision, others, "a number > 0", "Sequential regression: precision of the prior."},
    {"block_rows", &O::block_rows, others, "a whole number >= 1",
     "Sequential regression: rows to a matrix product; the result does not depend on it."},
    {"row_order", &O::row_order, others, "as-given (default) or by-content",
     "Sequential regression and preset vb_logit_fit_iter: the order in which rows are absorbed, on which the result depends. as-given: "
     "as "
     "published. by-content: drawn from what is in the rows, equal rows together."},
    {"folds", &O::folds, others, "a whole number >= 2, default 10",
     "Selection: parts that the rows are dealt to, class by class; each is predicted by a fit of the others."},
    {"repeats", &O::repeats, others, "a whole number >= 1, default 10", "Selection: times that the rows are dealt anew."},
    {"seed", &O::seed, others, "a whole number >= 0, default 1",
     "Selection: of the deal. The same seed gives the same counts, at any number of threads."},
    {"rule", &O::rule, others,
     "automatic (default), exact, plug-in, mackay, published, published-batch, published-incremental, average or mixture",
     "Predictions: how a probability, or a density, follows from the posterior."},
    {"level", &O::level, others, "a number between 0 and 1, default 0.95", "Level of the intervals."},
    {"interval", &O::interval, others, "new (default) or mean",
     "Predictions of a regression: whether sd and interval are of a new observation, with its noise, or of the mean, without."},
};

}  // namespace

std::span<const ModelOption> model_options() { return rows; }

}  // namespace ardvark
