# Kernel machines and relevance vector machines: the numbers of the program, kernels of kernlab, methods, bad input.

set.seed(3)
d <- data.frame(x = seq(-3, 3, length.out = 60), z = rnorm(60), g = rep(c("u", "v", "w"), 20))
d$y <- sin(2 * d$x) + 0.3 * d$z + (d$g == "w") + 0.1 * rnorm(60)
d$event <- ifelse(d$x + rnorm(60) > 0, "yes", "no")
d$kind <- c("a", "b", "c")[1 + (d$x > -1) + (d$x + d$z > 1)]
new <- data.frame(x = c(-2.5, 0.1, 1), z = c(0.2, -0.3, 1), g = c("w", "u", "v"))

expect_close <- function(ours, theirs, tolerance = 1e-12) {
  testthat::expect_equal(length(ours), length(theirs))
  testthat::expect_lte(max(abs(as.vector(ours) - as.vector(theirs))), tolerance * max(1, abs(theirs)))
}

same_as_shell <- function(table, target, kind, fit, new, ...) {
  file <- tempfile(fileext = ".ardvark")
  said <- shell_fit(table, target, kind, "-o", file, ...)
  for (name in c("log_evidence", "bound", "noise_sd", "width", "mean", "sd", "variance_share", "odds_power")) {
    if (!is.null(said[[name]])) expect_close(fit$results[[name]], said[[name]])
  }
  expect_equal(as.integer(fit$results$relevance_rows), said$relevance_rows)
  predicted <- shell("predict", file, table_file(new), "--json")
  if (is.null(fit$classes)) return(expect_close(predict(fit, new), predicted$mean))
  ours <- predict(fit, new)
  expect_close(if (is.matrix(ours)) t(ours) else ours, predicted$probability)  # several classes: a row for each
}

test_that("the numbers are those of the program", {
  skip_if(Sys.getenv("ARDVARK_PROGRAM") == "", "ARDVARK_PROGRAM does not name the program ardvark")
  same_as_shell(d[c("x", "z", "y")], "y", "kernel", kernel_machine(y ~ x + z, d), new)
  same_as_shell(d[c("x", "z", "y")], "y", "rvm", rvm(y ~ x + z, d), new)
  same_as_shell(d[c("x", "g", "y")], "y", "rvm", rvm(y ~ x + g, d), new)  # each level is an input
  same_as_shell(d[c("x", "g", "y")], "y", "rvm", rvm(y ~ x + g, d, width = "each"), new, "--width", "each")  # and they share a width
  same_as_shell(d[c("x", "g", "y")], "y", "kernel", kernel_machine(y ~ x + factor(g), d), new)
  same_as_shell(d[c("x", "z", "event")], "event", "kernel", kernel_machine(event ~ x + z, d), new)
  same_as_shell(d[c("x", "z", "event")], "event", "rvm", rvm(event ~ x + z, d, centres = 20), new, "--centres", "20")
  same_as_shell(d[c("x", "z", "kind")], "kind", "kernel", kernel_machine(kind ~ x + z, d), new)
  same_as_shell(d[c("x", "z", "kind")], "kind", "rvm", rvm(kind ~ x + z, d), new)
  weighted <- shell_fit(transform(d[c("x", "y")], w = rep(1:3, 20)), "y", "kernel", "--weights", "w")
  expect_close(logLik(kernel_machine(y ~ x, d, weights = rep(1:3, 20))), weighted$log_evidence)
})

test_that("sigma, degree and offset mean what they mean to kernlab", {
  skip_if_not_installed("kernlab")
  x <- cbind(a = d$x, b = 5 * d$z)
  # the function is a sum of kernels of kernlab, of inputs as given or scaled by R's scale()
  sum_of_kernels <- function(fit, kernel, by, at) {
    vectors <- as.matrix(relevance_vectors(fit)[c("a", "b")])
    weight <- relevance_vectors(fit)$weight
    unname(coef(fit)[1] + drop(kernlab::kernelMatrix(kernel, by(at), by(vectors)) %*% weight))
  }
  as_given <- identity
  scaled <- function(at) sweep(sweep(at, 2, colMeans(x)), 2, apply(x, 2, sd), "/")
  at <- cbind(a = c(-1, 0.5, 2), b = c(3, -1, 0))
  check <- function(kernel, word, kpar, scaled_inputs) {
    fit <- suppressWarnings(rvm(x, d$y, kernel = word, kpar = kpar, scaled = scaled_inputs))
    theirs <- sum_of_kernels(fit, kernel, if (scaled_inputs) scaled else as_given, at)
    expect_gt(nrow(relevance_vectors(fit)), 0)
    expect_close(predict(fit, at), theirs, 1e-10)
  }
  for (scaled_inputs in c(FALSE, TRUE)) {
    check(kernlab::rbfdot(sigma = 0.4), "rbfdot", list(sigma = 0.4), scaled_inputs)
    check(kernlab::laplacedot(sigma = 0.4), "laplacedot", list(sigma = 0.4), scaled_inputs)
  }
  check(kernlab::polydot(degree = 3, scale = 1, offset = 2), "polydot", list(degree = 3, offset = 2), FALSE)
  check(kernlab::vanilladot(), "vanilladot", list(), FALSE)
  check(kernlab::splinedot(), "splinedot", list(), FALSE)
  of_object <- rvm(x, d$y, kernel = kernlab::rbfdot(sigma = 0.4))
  expect_identical(predict(of_object, at), predict(rvm(x, d$y, kpar = list(sigma = 0.4)), at))
  expect_false(of_object$results$width == rvm(x, d$y, kpar = list(sigma = 0.4), scaled = TRUE)$results$width)
  expect_equal(suppressWarnings(rvm(y ~ x, d, kernel = "polynomial", degree = 3, offset = 2))$results$kernel_spec$parameters, c(3, 2))
  # (scale x'c + offset)^degree is scale^degree times (x'c + offset/scale)^degree
  expect_equal(rvm(x, d$y, kernel = "polydot", kpar = list(degree = 2, scale = 4, offset = 8))$results$kernel_spec$parameters, c(2, 2))
})

test_that("kernlab, attached or loaded, takes no method away", {
  skip_if_not_installed("kernlab")
  loadNamespace("kernlab")
  fit <- rvm(y ~ x, d)
  expect_identical(predict(fit, new), kernlab::predict(fit, new))
  expect_length(kernlab::fitted(fit), 60)
  theirs <- kernlab::rvm(as.matrix(d["x"]), d$y, kernel = "rbfdot", kpar = list(sigma = 1))
  ours <- rvm(as.matrix(d["x"]), d$y, kernel = "rbfdot", kpar = list(sigma = 1))
  # one model, two approximations of its posterior; only ours has an intercept
  expect_gt(cor(predict(ours), kernlab::predict(theirs, as.matrix(d["x"]))), 0.97)
  shifted <- rvm(as.matrix(d["x"]), d$y + 1000, kernel = "rbfdot", kpar = list(sigma = 1))
  expect_equal(predict(shifted) - 1000, predict(ours), tolerance = 1e-6)
})

test_that("a fit has the methods of R", {
  fit <- rvm(y ~ x + z, d)
  expect_equal(nobs(fit), 60)
  expect_equal(formula(fit), y ~ x + z, ignore_attr = TRUE)
  expect_equal(unname(fitted(fit)), unname(predict(fit, d)), tolerance = 1e-12)
  expect_equal(residuals(fit), d$y - fitted(fit))
  expect_equal(deviance(fit), sum(residuals(fit)^2))
  expect_equal(sqrt(diag(vcov(fit)))[-1], fit$results$sd, ignore_attr = TRUE, tolerance = 1e-8)
  expect_equal(names(coef(fit))[1], "(Intercept)")
  expect_equal(relevance_vectors(fit)$weight, unname(coef(fit)[-1]))
  expect_equal(relevance_vectors(fit)$z, d$z[relevance_vectors(fit)$index])
  expect_equal(unname(model.matrix(fit)), unname(as.matrix(d[c("x", "z")])))
  expect_equal(as.numeric(logLik(fit)), fit$results$log_evidence)
  expect_error(AIC(fit), "compare fits", class = "ardvark_error")
  expect_output(print(fit), "Relevance vector machine, regression: 60 rows, 2 inputs")
  expect_output(print(summary(fit)), "log evidence")
  other <- update(fit, . ~ x, width = 1)
  expect_equal(predict(other, new), predict(rvm(y ~ x, d, width = 1), new))
  expect_equal(predict(update(fit, scaled = FALSE), new), predict(rvm(y ~ x + z, d, scaled = FALSE), new))
  by_matrix <- rvm(as.matrix(d[c("x", "z")]), d$y)
  expect_identical(unname(predict(by_matrix, as.matrix(new[c("x", "z")]))), unname(predict(fit, new)))
  expect_identical(unname(predict(by_matrix)), unname(fitted(fit)))
  expect_identical(unname(predict(rvm(d$x, d$y), 0.5)), unname(predict(rvm(y ~ x, d), data.frame(x = 0.5))))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(fit), fit)
  expect_silent(plot(fit, input = "z", main = "title"))
  expect_silent(plot(kernel_machine(y ~ x + g, d)))
  expect_silent(plot(rvm(event ~ x, d)))
  expect_silent(plot(kernel_machine(kind ~ x + z, d)))
})

test_that("predictions of numbers have intervals, and draws vary as these say", {
  fit <- kernel_machine(y ~ x, d)
  mean <- predict(fit, new, interval = "confidence", se.fit = TRUE, level = 0.9)
  one <- predict(fit, new, interval = "prediction", se.fit = TRUE, level = 0.9)
  expect_true(all(one$fit[, "upr"] - one$fit[, "lwr"] > mean$fit[, "upr"] - mean$fit[, "lwr"]))
  expect_equal(one$se.fit, mean$se.fit)
  drawn <- predict(fit, new, type = "draws", ndraws = 4000, seed = 2)
  expect_equal(dim(drawn), c(4000, 3))
  expect_lt(max(abs(colMeans(drawn) - mean$fit[, "fit"]) / (mean$se.fit / sqrt(4000))), 4.5)
  expect_lt(max(abs(apply(drawn, 2, sd) / mean$se.fit - 1)), 0.1)
  within <- colMeans(t(drawn) > mean$fit[, "lwr"] & t(drawn) < mean$fit[, "upr"])
  expect_equal(mean(within), 0.9, tolerance = 0.02)
  expect_identical(drawn, predict(fit, new, type = "draws", ndraws = 4000, seed = 2))
  expect_warning(predict(rvm(y ~ x, d), data.frame(x = 50)), "far outside", class = "ardvark_warning")
})

test_that("classes: factors, texts and logical values; numbers by type", {
  fit <- kernel_machine(event ~ x, d)
  p <- predict(fit, new, type = "probabilities")
  expect_equal(colnames(p), c("no", "yes"))
  expect_equal(rowSums(p), c(`1` = 1, `2` = 1, `3` = 1))
  expect_equal(predict(fit, new), p[, "yes"])
  expect_equal(predict(fit, new, type = "class"), factor(ifelse(p[, "yes"] > 0.5, "yes", "no"), c("no", "yes")), ignore_attr = TRUE)
  # the probability is the mean of plogis() over the log odds, whose distribution is nearly normal
  link <- predict(fit, new, type = "link", se.fit = TRUE)
  by_draws <- predict(fit, new, type = "draws", ndraws = 20000, seed = 1)
  expect_lt(max(abs(colMeans(by_draws) - p[, "yes"])), 0.01)
  expect_equal(colMeans(qlogis(by_draws)), link$fit, tolerance = 0.05)
  expect_equal(apply(qlogis(by_draws), 2, sd), link$se.fit, tolerance = 0.05)
  rows <- list(X = as.matrix(d["x"]), skip = 0L)
  expect_equal(ardvark:::log_odds(fit, rows, NULL, block = 7L), ardvark:::log_odds(fit, rows, NULL))
  yes <- d$event == "yes"
  expect_equal(unname(predict(kernel_machine(yes ~ x, d), new)), unname(predict(fit, new)))
  expect_equal(unname(predict(kernel_machine(as.numeric(yes) ~ x, d, type = "classification"), new)), unname(predict(fit, new)))
  expect_null(kernel_machine(as.numeric(yes) ~ x, d)$classes)
  several <- rvm(kind ~ x + z, d)
  expect_equal(dim(fitted(several)), c(60, 3))
  expect_equal(residuals(several, "response"), outer(d$kind, c(a = "a", b = "b", c = "c"), `==`) - fitted(several), ignore_attr = TRUE)
  vectors <- relevance_vectors(several)
  # each vector belongs to a machine, and the score of a class is the sum of its kernels
  expect_true(all(rowSums(vectors[c("weight.a", "weight.b", "weight.c")] != 0) > 0))
})

test_that("missing values, subset and new levels", {
  holes <- d
  holes$x[4] <- NA
  fit <- kernel_machine(y ~ x + g, holes, na.action = na.exclude)
  expect_equal(nobs(fit), 59)
  expect_true(is.na(fitted(fit)[4]))
  expect_length(residuals(fit), 60)
  expect_equal(unname(fitted(fit)[-4]), unname(fitted(kernel_machine(y ~ x + g, d[-4, ]))))
  expect_error(kernel_machine(y ~ x, holes, na.action = na.fail), "missing values")
  by_matrix <- kernel_machine(cbind(x = holes$x), d$y)
  expect_equal(nobs(by_matrix), 59)
  expect_equal(nobs(rvm(y ~ x, d, subset = z > 0)), sum(d$z > 0))
  expect_equal(fitted(rvm(d$x, d$y, subset = d$z > 0)), fitted(rvm(y ~ x, d, subset = z > 0)), ignore_attr = TRUE)
  expect_equal(unname(is.na(predict(fit, data.frame(x = c(NA, 1), g = "u")))), c(TRUE, FALSE))
  expect_error(predict(fit, data.frame(x = 1, g = "new")), "new level")
})

test_that("a machine is saved, and its file is that of the program", {
  fit <- kernel_machine(y ~ x + z, d)
  file <- tempfile(fileext = ".ardvark")
  save_ardvark(fit, file)
  again <- read_ardvark(file)
  X <- as.matrix(new[c("x", "z")])
  expect_identical(unname(predict(again, X)), unname(predict(fit, new)))
  expect_identical(unname(predict(again, new)), unname(predict(fit, new)))
  expect_equal(logLik(again)[1], logLik(fit)[1])
  expect_equal(nrow(relevance_vectors(again)), nrow(relevance_vectors(fit)))
  expect_error(fitted(again), "which has no rows")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(again))
  for (one in list(rvm(event ~ x, d), rvm(kind ~ x + z, d))) {
    save_ardvark(one, file)
    expect_identical(unname(predict(read_ardvark(file), new[one$columns])), unname(predict(one, new)))
  }
  skip_if(Sys.getenv("ARDVARK_PROGRAM") == "", "ARDVARK_PROGRAM does not name the program ardvark")
  save_ardvark(fit, file)
  expect_close(unname(predict(fit, new)), shell("predict", file, table_file(new), "--json")$mean)
  shell_fit(d[c("x", "g", "y")], "y", "rvm", "-o", file)
  expect_close(unname(predict(read_ardvark(file), new)), unname(predict(rvm(y ~ x + g, d), new)))
})

test_that("saveRDS works in another process", {
  fit <- rvm(y ~ x + g, d)
  file <- tempfile(fileext = ".rds")
  saveRDS(list(fit = fit, new = new), file)
  code <- sprintf("library(ardvark); d <- readRDS('%s'); cat(format(predict(d$fit, d$new), digits = 17))", file)
  said <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", "-e", shQuote(code)), stdout = TRUE)
  expect_equal(as.numeric(strsplit(trimws(said), " +")[[1]]), unname(predict(fit, new)), tolerance = 1e-15)
})

test_that("compare ranks machines beside regressions, with the evidence of the library", {
  line <- ardvark(y ~ x + z, d)
  curve <- kernel_machine(y ~ x + z, d)
  vectors <- rvm(y ~ x + z, d)
  found <- ardvark::compare(line, curve, vectors)
  expect_setequal(rownames(found), c("line", "curve", "vectors"))
  expect_equal(found["curve", "difference"] > found["line", "difference"], TRUE)
  skip_if(Sys.getenv("ARDVARK_PROGRAM") == "", "ARDVARK_PROGRAM does not name the program ardvark")
  said <- shell("compare", table_file(d[c("x", "z", "y")]), "--target", "y", "--model", "linear", "--priors", "sparse,dense", "--models", "kernel",
                "--kernel", "gaussian", "--json")$models
  evidence <- function(name) said$evidence[said$name == name]
  expect_close(found["curve", "evidence"], evidence("kernel"))
  expect_close(found["vectors", "evidence"], evidence("rvm gaussian"))
  expect_close(found["line", "evidence"], evidence("sparse"))
  expect_error(ardvark::compare(curve, priors = c("sparse", "dense")), "a machine has none", class = "ardvark_error")
  expect_error(ardvark::compare(line, kernel_machine(y ~ x, d[-1, ])), "other rows", class = "ardvark_error")
})

test_that("bad input names the argument", {
  refused <- function(object, message, argument = NULL) {
    error <- expect_error(object, message, fixed = TRUE, class = "ardvark_error")
    if (!is.null(argument)) expect_equal(error$argument, argument)
  }
  refused(rvm(y ~ x, d, cross = 5), "cross of kernlab is no argument here: logLik(fit)", "cross")
  refused(rvm(y ~ x, d, iterations = 5), "use max_sweeps", "iterations")
  refused(rvm(y ~ x, d, standardize = FALSE), "use scaled", "standardize")
  refused(rvm(y ~ x, d, widht = 5), "unused argument widht", "widht")
  refused(rvm(y ~ x, d, kernel = "tanhdot"), "kernel is \"tanhdot\"; it must be one of auto, gaussian", "kernel")
  refused(rvm(y ~ x, d, kernel = identity), "kernel must be a word", "kernel")
  refused(rvm(y ~ x, d, kpar = 3), "kpar must be", "kpar")
  refused(rvm(y ~ x, d, kpar = list(degree = 3)), "kpar has degree; the kernel \"gaussian\" has sigma", "kpar")
  refused(rvm(y ~ x, d, kpar = list(sigma = -1)), "sigma of kpar must be a number > 0", "kpar")
  refused(rvm(y ~ x, d, kpar = list(sigma = 1), width = 2), "width is given twice", "width")
  refused(rvm(y ~ x, d, scaled = NA), "scaled must be TRUE or FALSE", "scaled")
  refused(rvm(y ~ x, d, type = "eps-svr"), "type must be", "type")
  refused(rvm(g ~ x, d, type = "regression"), "family gaussian needs numbers")
  refused(rvm(y ~ x, d[0, ]), "data has no rows", "data")
  refused(rvm(~x, d), "formula has no response", "formula")
  refused(rvm(y ~ 1, d), "formula has no columns", "formula")
  refused(rvm(cbind(y, z) ~ x, d), "a machine has one response")
  refused(rvm(y ~ x + offset(z), d), "formula has an offset")
  refused(rvm(y ~ x, transform(d, x = replace(x, 3, Inf))), "column 'x' is inf")
  refused(rvm(d, d$y), "x is a data frame", "x")
  refused(rvm(d$x), "argument \"y\" is missing", "y")
  refused(rvm(as.matrix(d["x"])[, 0], d$y), "x is empty (60 x 0)", "x")
  refused(rvm(y ~ x, d, prior = "sparse"), "prior is no argument of a machine: its kernel is its prior", "prior")
  refused(kernel_machine(y ~ x, d, family = binomial()), "family is no argument of a machine: use type", "family")
  refused(rvm(d$x, d$y[-1]), "y has 59 entries; x has 60 rows", "y")
  refused(kernel_machine(d$x, d$y, weights = 1), "weights has 1 entries", "weights")
  refused(kernel_machine(cbind(NA, NA, 1), 1), "x has no rows", "x")
  refused(kernel_machine(y ~ x, d, kernel = "polydot"), "kernel is 'polynomial'")
  fit <- kernel_machine(y ~ x, d)
  refused(coef(fit), "no vector of coefficients")
  refused(predict(fit, new["z"]), "newdata has no column 'x'", "newdata")
  refused(predict(fit, new, type = "class"), "a regression has no classes", "type")
  refused(predict(fit, new, level = 2), "level must be", "level")
  refused(predict(rvm(y ~ x, d), new, type = "draws"), "a relevance vector machine has none", "type")
  refused(predict(fit, new, type = "draws", ndraws = 0), "number of draws", "ndraws")
  refused(predict(kernel_machine(event ~ x, d), new, interval = "confidence"), "have no intervals", "interval")
  refused(relevance_vectors(d), "it must be a fit of rvm() or kernel_machine()", "object")
  refused(plot(fit, input = "nope"), "input names 'nope'", "input")
  expect_length(predict(fit, new[0, ]), 0)
  expect_error(rvm(y ~ nope, d), "object 'nope' not found")
  expect_error(predict(fit, data.frame(x = "a")), "type")
})

test_that("the formula by its name, as glm has it", {
  fit <- kernel_machine(formula = y ~ x, data = d)
  expect_identical(predict(fit, new), predict(kernel_machine(y ~ x, d), new))
  expect_equal(deparse(update(fit, . ~ z, evaluate = FALSE)), "kernel_machine(data = d, x = y ~ z)")
  expect_identical(coef(rvm(formula = y ~ x, data = d)), coef(rvm(y ~ x, d)))
})

test_that("the noise is that of predict()", {
  fit <- kernel_machine(y ~ x, d)
  expect_identical(sigma(fit), predict(fit, new, se.fit = TRUE)$residual.scale)
})

test_that("without newdata, the rows of a fit by a formula are predicted", {
  for (fit in list(rvm(mpg ~ wt + hp, mtcars), kernel_machine(mpg ~ wt + factor(cyl), mtcars))) {
    expect_equal(predict(fit), fitted(fit))
    expect_equal(unname(predict(fit)), unname(predict(fit, mtcars)))
  }
})
