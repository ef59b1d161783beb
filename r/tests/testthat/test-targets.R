# Many targets: each has the numbers of a fit of its own, in the forms that lm gives them.

table <- transform(mtcars, cyl = factor(cyl), power = log(hp))
fit <- ardvark(cbind(mpg, log(hp), qsec) ~ wt + cyl, table)
alone <- list(ardvark(mpg ~ wt + cyl, table), ardvark(log(hp) ~ wt + cyl, table), ardvark(qsec ~ wt + cyl, table))
targets <- c("mpg", "log(hp)", "qsec")
of_alone <- function(f, ...) vapply(alone, f, f(alone[[1]], ...), ...)

test_that("coefficients, fitted values and residuals are matrices as those of lm", {
  reference <- lm(cbind(mpg, log(hp), qsec) ~ wt + cyl, table)
  expect_equal(dim(coef(fit)), dim(coef(reference)))
  expect_equal(rownames(coef(fit)), rownames(coef(reference)))
  expect_equal(colnames(coef(fit)), targets)
  expect_equal(unname(coef(fit)), unname(of_alone(coef)), tolerance = 1e-9)
  expect_equal(unname(fitted(fit)), unname(of_alone(fitted)), tolerance = 1e-9)
  expect_equal(rownames(fitted(fit)), rownames(mtcars))
  expect_equal(residuals(fit), cbind(table$mpg, table$power, table$qsec) - fitted(fit), ignore_attr = TRUE)
  expect_equal(unname(deviance(fit)), of_alone(deviance))
  expect_equal(logLik(fit)[1], sum(of_alone(logLik)))
  expect_equal(nobs(fit), 32)
  expect_equal(formula(fit), cbind(mpg, log(hp), qsec) ~ wt + cyl, ignore_attr = TRUE)
  # without shrinkage, those of lm
  flat <- ardvark(cbind(mpg, log(hp), qsec) ~ wt + cyl, table, prior = "none")
  expect_equal(unname(coef(flat)), unname(coef(reference)), tolerance = 1e-8)
  expect_equal(unname(residuals(flat)), unname(residuals(reference)), tolerance = 1e-7)
})

test_that("the fit of a target is that of its formula", {
  one <- fit[["log(hp)"]]
  expect_s3_class(one, "ardvark")
  expect_equal(formula(one), log(hp) ~ wt + cyl, ignore_attr = TRUE)
  expect_identical(coef(one), coef(alone[[2]]))
  expect_identical(coef(fit[[2]]), coef(one))
  expect_equal(names(fit), targets)
  expect_length(fit, 3)
  expect_equal(lapply(fit, pip), setNames(lapply(alone, pip), targets))
  expect_equal(vapply(fit, nobs, 0), c(mpg = 32, `log(hp)` = 32, qsec = 32))
  expect_equal(fit$call[[1]], quote(ardvark))
  expect_output(str(fit, max.level = 1), "mpg")
  expect_equal(confint(fit)[["log(hp)"]], confint(alone[[2]]))
  expect_equal(vcov(fit)$qsec, vcov(alone[[3]]))
  expect_equal(confint(fit, "wt", 0.8)$mpg, confint(alone[[1]], "wt", level = 0.8))
  expect_equal(model.frame(one), model.frame(alone[[2]]), ignore_attr = TRUE)
  expect_equal(names(model.frame(one)), names(model.frame(alone[[2]])))
  expect_equal(coef(update(one, . ~ wt)), coef(ardvark(log(hp) ~ wt, table)))
  ranks <- ardvark::compare(one, alone[[2]])
  expect_equal(ranks$evidence[1], ranks$evidence[2])
  expect_equal(simulate(one, 2, seed = 3), simulate(alone[[2]], 2, seed = 3), ignore_attr = TRUE)
  expect_equal(capture.output(print(summary(one)$text)), capture.output(print(summary(alone[[2]])$text)))
})

test_that("predictions are a matrix, or an array with intervals", {
  new <- table[1:3, ]
  expect_equal(unname(predict(fit, new)), unname(of_alone(predict, new)), tolerance = 1e-9)
  expect_equal(dimnames(predict(fit, new)), list(rownames(new), targets))
  expect_equal(dim(predict(fit, new[1, ])), c(1, 3))
  ends <- predict(fit, new, interval = "prediction", level = 0.8)
  expect_equal(dimnames(ends), list(rownames(new), c("fit", "lwr", "upr"), targets))
  expect_equal(unname(ends[, , "qsec"]), unname(predict(alone[[3]], new, interval = "prediction", level = 0.8)), tolerance = 1e-9)
  both <- predict(fit, new, se.fit = TRUE)
  expect_equal(unname(both$se.fit[, 2]), unname(predict(alone[[2]], new, se.fit = TRUE)$se.fit), tolerance = 1e-9)
  expect_equal(names(both$residual.scale), targets)
  terms <- predict(fit, new, type = "terms")
  expect_equal(terms[, , "mpg"], predict(alone[[1]], new, type = "terms"), ignore_attr = TRUE)
  expect_equal(unname(rowSums(terms[, , "qsec"])) + attr(terms, "constant")[["qsec"]], unname(predict(alone[[3]], new)))
  drawn <- predict(fit, new, type = "draws", ndraws = 2000, seed = 5)
  expect_equal(dim(drawn), c(2000, 3, 3))
  expect_identical(unname(drawn[, , 1]), unname(predict(alone[[1]], new, type = "draws", ndraws = 2000, seed = 5)))
  expect_lt(abs(cor(drawn[, 1, 1], drawn[, 1, 3])), 0.1)  # the targets are independent
  holes <- transform(new, wt = c(1, NA, 2))
  expect_equal(unname(is.na(predict(fit, holes)[, "mpg"])), c(FALSE, TRUE, FALSE))
})

test_that("matrix columns, matrices, families, weights, offsets and missing values", {
  d <- data.frame(x = table$wt, g = table$cyl)
  d$Y <- as.matrix(table[c("mpg", "qsec")])
  by_column <- ardvark(Y ~ x + g, d)
  expect_equal(unname(coef(by_column)), unname(coef(fit)[, c(1, 3)]))
  expect_equal(coef(update(by_column[["qsec"]], . ~ x)), coef(ardvark(qsec ~ wt, table)), ignore_attr = TRUE)
  X <- model.matrix(~ wt + cyl, table)[, -1]
  by_matrix <- ardvark_fit(X, d$Y, groups = c(1, 2, 2))
  expect_equal(coef(by_matrix), coef(by_column), ignore_attr = TRUE)
  expect_equal(predict(by_matrix, X[1:3, ]), predict(fit, table[1:3, ])[, c(1, 3)], ignore_attr = TRUE)
  expect_equal(dim(fitted(ardvark_fit(X, unname(d$Y)))), c(32, 2))
  expect_equal(colnames(coef(ardvark_fit(X, unname(d$Y)))), c("Y1", "Y2"))
  student <- ardvark(cbind(mpg, qsec) ~ wt, table, "student")
  expect_identical(coef(student)[, "qsec"], coef(ardvark(qsec ~ wt, table, "student")))
  other <- ardvark(cbind(mpg, qsec) ~ wt, table, weights = 1 + vs, offset = drat)
  expect_equal(coef(other)[, "mpg"], coef(ardvark(mpg ~ wt, table, weights = 1 + vs, offset = drat)), tolerance = 1e-9)
  gaps <- transform(table, mpg = replace(mpg, 2, NA))
  padded <- ardvark(cbind(mpg, qsec) ~ wt, gaps, na.action = na.exclude)
  expect_equal(nobs(padded), 31)
  expect_true(all(is.na(fitted(padded)[2, ])))
  expect_identical(coef(padded), coef(ardvark(cbind(mpg, qsec) ~ wt, table[-2, ])))
  every <- ardvark(cbind(mpg, qsec) ~ ., table[c("mpg", "qsec", "wt", "cyl")])
  expect_equal(coef(every), coef(fit)[, c(1, 3)])
  expect_s3_class(ardvark(cbind(vs, 1 - vs) ~ wt, table, binomial()), "ardvark")  # successes and failures
})

test_that("printed, saved and in tables of broom", {
  expect_output(print(fit), "3 targets")
  expect_output(print(summary(fit)), "Response log\\(hp\\):.*target log\\(hp\\)")
  expect_output(print(update(fit, . ~ wt)), "cbind\\(mpg, log\\(hp\\), qsec\\) ~ wt")
  file <- tempfile(fileext = ".rds")
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), table[1:3, ]), predict(fit, table[1:3, ]))
  expect_lt(file.size(file), 2 * sum(vapply(alone, function(one) {
    saveRDS(one, file)
    file.size(file)
  }, 0)))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit))
  skip_if_not_installed("generics")
  found <- generics::tidy(fit, conf.int = TRUE)
  expect_equal(found$response, rep(targets, each = 4))
  expect_equal(found$estimate, as.vector(coef(fit)))
  expect_equal(generics::glance(fit)$logLik, of_alone(logLik))
})

test_that("bad input names the argument", {
  refused <- function(object, message, argument) {
    error <- expect_error(object, message, fixed = TRUE, class = "ardvark_error")
    expect_equal(error$argument, argument)
  }
  refused(fit[["hp"]], "there is no target \"hp\"; targets: mpg, log(hp), qsec", "i")
  refused(fit[[4]], "there is no target 4", "i")
  refused(ardvark(cbind(a = mpg, a = qsec) ~ wt, table), "has two columns named 'a'", "cbind(a = mpg, a = qsec)")
  refused(ardvark(cbind(mpg, qsec) ~ wt, transform(table, qsec = replace(qsec, 3, Inf))), "qsec at row \"Datsun 710\" is inf", "qsec")
  refused(save_ardvark(ardvark(cbind(mpg, qsec) ~ wt, table, "student"), tempfile()), "one after the other; save one of them", "object")
  refused(save_ardvark(ardvark(cbind(mpg, qsec) ~ wt, table, offset = drat), tempfile()), "the offset of a regression of numbers", "object")
  refused(predict(fit, table["cyl"]), "newdata has no column 'wt'", "newdata")
  refused(predict(fit, table, interval = "prediction", type = "link"), "it needs type = \"response\"", "interval")
  refused(ardvark_fit(as.matrix(table$wt), cbind(table$mpg, table$qsec)[-1, ]), "y has 31 entries; x has 32 rows", "y")
  expect_error(AIC(fit), "compare fits", class = "ardvark_error")
  expect_error(predict(fit, transform(table, cyl = "5")), "new level")
  expect_error(predict(fit, table, type = "class"), "should be one of")
  # a warning of a single fit says of which target it is, when this fit is asked for
  d <- data.frame(x = 1:20, a = c(1:19, 60), b = sin(1:20))
  expect_no_warning(many <- ardvark(cbind(a, b) ~ x + I(2 * x), d))
  expect_warning(many[["a"]], "^a: columns correlated above 0.99", class = "ardvark_warning")
  expect_warning(ardvark(cbind(a, b) ~ x + I(2 * x), d, "student"), "^a: ", class = "ardvark_warning")
})

test_that("parts by their names", {
  expect_identical(coef(fit$mpg), coef(alone[[1]]))
  expect_identical(names(fit["qsec"]), "qsec")
  expect_identical(lapply(fit[c(1, 3)], coef), list(mpg = coef(alone[[1]]), qsec = coef(alone[[3]])))
  expect_identical(fit$call[[1]], quote(ardvark))
})

test_that("what only one target has, is asked of each", {
  expect_identical(conditionCall(expect_error(pip(fit), class = "ardvark_error"))[[1]], quote(pip))
  for (ask in list(pip, credible_sets, ardvark::compare, simulate, anova)) {
    expect_error(ask(fit), "object has many targets: ask each of them, such as by lapply(object, pip)", fixed = TRUE, class = "ardvark_error")
  }
})

# Enough rows for one decomposition, which serves all targets.
set.seed(1)
long <- data.frame(a = rnorm(90), b = rnorm(90), w = runif(90, 1, 3), o = rnorm(90))
long$Y <- matrix(rnorm(90 * 6), 90)
long$Y[, 1:2] <- long$Y[, 1:2] + cbind(long$a, long$b) %*% matrix(c(2, -1, 1, 3), 2)
of_column <- function(k, weights = rep(1, 90)) {
  table <- data.frame(long[c("a", "b")], y = long$Y[, k], v = weights)
  ardvark(y ~ a + b, table, prior = "shared", weights = v)
}
near <- function(ours, expected) expect_equal(ours, expected, tolerance = 1e-9, ignore_attr = TRUE)

test_that("one decomposition for all gives the fits of each", {
  many <- ardvark(Y ~ a + b, long, prior = "shared", weights = w)
  each <- lapply(1:6, of_column, weights = long$w)
  together <- function(f, ...) vapply(each, f, f(each[[1]], ...), ...)
  new <- data.frame(a = c(0, 1, NA), b = c(1, 0, 2))
  near(coef(many), together(coef))
  near(fitted(many), together(fitted))
  for (type in c("response", "pearson", "deviance", "quantile")) near(residuals(many, type), together(residuals, type))
  near(deviance(many), together(deviance))
  near(sigma(many), together(sigma))
  near(logLik(many)[1], sum(together(logLik)))
  near(attr(logLik(many), "df"), sum(together(function(one) attr(logLik(one), "df"))))
  near(weights(many), weights(each[[1]]))
  expect_equal(nobs(many), 90)
  near(predict(many, new), together(predict, new))
  expect_equal(dimnames(predict(many, new)), list(c("1", "2", "3"), names(many)))
  for (interval in c("confidence", "prediction")) {
    ends <- predict(many, new, interval = interval, level = 0.8, se.fit = TRUE)
    of_each <- lapply(each, predict, new, interval = interval, level = 0.8, se.fit = TRUE)
    for (k in 1:6) near(ends$fit[, , k], of_each[[k]]$fit)
    near(ends$se.fit, vapply(of_each, `[[`, numeric(3), "se.fit"))
    near(ends$residual.scale, vapply(of_each, `[[`, 0, "residual.scale"))
  }
  expect_equal(dim(predict(many, new[3, ])), c(1, 6))
  expect_equal(dim(predict(many, new[0, ], interval = "confidence")), c(0, 3, 6))
  expect_identical(coef(many[["Y3"]]), coef(each[[3]]))
  expect_identical(vcov(many$Y3), vcov(each[[3]]))
  expect_equal(formula(many[[3]]), Y[, 3] ~ a + b, ignore_attr = TRUE)
  # a target has the same numbers whatever is beside it
  few <- ardvark(Y[, c(4, 1)] ~ a + b, long, prior = "shared", weights = w)
  expect_identical(unname(coef(few)), unname(coef(many)[, c(4, 1)]))
  expect_output(print(many), "6 targets, prior: shared")
  expect_output(print(ardvark_fit(as.matrix(long[c("a", "b")]), matrix(rnorm(90 * 12), 90), prior = "shared")), "\\.\\.\\. of 2 more targets")
})

test_that("offsets, and x without an intercept", {
  many <- ardvark(Y ~ a + b - 1, long, prior = "shared", offset = o)
  one <- ardvark(y ~ a + b - 1, transform(long, y = Y[, 2]), prior = "shared", offset = o)
  near(coef(many)[, 2], coef(one))
  near(fitted(many)[, 2], fitted(one))
  new <- data.frame(a = 1:2, b = 0)
  near(predict(many, new, newoffset = 5)[, 2], predict(one, new, newoffset = 5))
  near(predict(many, new, newoffset = 5, interval = "prediction")[, , 2], predict(one, new, newoffset = 5, interval = "prediction"))
  near(residuals(many)[, 2], residuals(one))
  expect_error(predict(many, new), "newoffset", class = "ardvark_error")
})

test_that("which targets the columns explain", {
  many <- ardvark(Y ~ a + b, long, prior = "shared")
  found <- target_summary(many)
  expect_equal(names(found), c("r_squared", "r_squared_loo", "noise_std", "effects", "evidence", "probability", "explained", "status"))
  expect_equal(rownames(found), names(many))
  expect_equal(found$explained, rep(c(TRUE, FALSE), c(2, 4)))
  expect_equal(found$status, rep("converged", 6))
  near(found$r_squared, vapply(1:6, function(k) of_column(k)$results$r_squared, 0))
  near(found$effects, vapply(1:6, function(k) of_column(k)$results$effective_parameters, 0) - 1)
  expect_gt(sum(target_summary(many, fdr = 0.9)$explained), 2)
  sparse <- ardvark(Y ~ a + b, long)
  near(target_summary(sparse)$effects, vapply(1:6, function(k) sum(pip(sparse[[k]])), 0))
  expect_true(all(is.na(target_summary(sparse)$r_squared_loo)))
  for (rate in list(0, 1, NA, "0.1", c(0.1, 0.2))) expect_error(target_summary(many, rate), "fdr must be a number", class = "ardvark_error")
  expect_error(target_summary(many[[1]]), "it must be a fit with many targets", class = "ardvark_error")
  expect_error(target_summary(ardvark(Y ~ a + b, long, "student")), "one after the other", class = "ardvark_error")
})

test_that("which columns raise or lower which targets", {
  set.seed(4)
  x <- matrix(rnorm(45), 15, dimnames = list(NULL, c("a", "b", "c")))
  y <- matrix(rnorm(15 * 40), 15, dimnames = list(NULL, sprintf("g%d", 1:40)))
  y[, 3] <- y[, 3] - 4 * x[, "b"]
  fit <- ardvark_fit(x, y, prior = "none")
  plain <- target_directions(fit, pool_noise = FALSE)
  for (k in c(1, 3)) {
    of_lm <- summary(lm(y[, k] ~ x))
    near(plain$coef[, k], unname(coef(of_lm)[-1, "Estimate"]))
    near(plain$se[, k], unname(coef(of_lm)[-1, "Std. Error"]))
    near(plain$p_value[, k], unname(coef(of_lm)[-1, "Pr(>|t|)"]))
    near(plain$sigma[[k]], of_lm$sigma)
  }
  expect_equal(dimnames(plain$direction), list(c("a", "b", "c"), sprintf("g%d", 1:40)))
  expect_equal(plain$direction["b", "g3"], -1)
  expect_equal(plain$direction, ifelse(plain$q_value <= 0.1, sign(plain$coef), 0))
  expect_equal(nrow(plain$found), sum(plain$direction != 0))
  expect_equal(unlist(plain$found[1, c("target", "column")]), c(target = "g3", column = "b"))
  expect_equal(plain$found$coef[1], plain$coef["b", "g3"])
  pooled <- target_directions(fit, 0.01)
  expect_gt(min(pooled$df), 11)
  expect_equal(rowSums(pooled$direction != 0) >= 0, c(a = TRUE, b = TRUE, c = TRUE))
  expect_equal(nrow(target_directions(ardvark_fit(x, y[, 4:40], prior = "none"), 1e-6)$found), 0)
  again <- tempfile()
  save_ardvark(fit, again)
  expect_equal(target_directions(read_ardvark(again))$q_value, target_directions(fit)$q_value)
  expect_error(target_directions(fit, 2), "fdr must be a number", class = "ardvark_error")
  expect_error(target_directions(fit, pool_noise = NA), "pool_noise must be TRUE or FALSE", class = "ardvark_error")
  expect_error(target_directions(ardvark_fit(x, y, prior = "shared")), "directions are of fits without a prior", class = "ardvark_error")
})

test_that("a target that cannot be fitted has no numbers, and a warning counts such targets", {
  table <- long
  table$Y[, 5] <- 1e200 * table$Y[, 5]
  expect_warning(many <- ardvark(Y ~ a + b, table, prior = "shared"), "^1 of 6 targets not fitted, the first is 'Y5' \\(out_of_range\\)",
                 class = "ardvark_warning")
  expect_true(all(is.nan(coef(many)[, 5])))
  expect_true(all(is.nan(predict(many, long[1:2, ])[, 5])))
  expect_identical(coef(many)[, 1], coef(ardvark(Y ~ a + b, long, prior = "shared"))[, 1])
  expect_output(print(many), "Status of targets: 1 out_of_range")
  expect_equal(target_summary(many)$status[5], "out_of_range")
  expect_error(ardvark(Y ~ a + b, transform(long, Y = replace(Y, 300, NaN)), na.action = na.pass), "Y4 at row .* is nan|Y4 at row .* is NaN")
})

test_that("what one call does not take is fitted one after the other", {
  skip_if_not_installed("Matrix")
  X <- as.matrix(long[c("a", "b")])
  sparse <- ardvark_fit(Matrix::Matrix(X, sparse = TRUE), long$Y, prior = "shared")
  near(coef(sparse), coef(ardvark_fit(X, long$Y, prior = "shared")))
  holes <- replace(X, 7, NA)
  expect_identical(coef(ardvark_fit(holes, long$Y, impute = TRUE))[, 2], coef(ardvark_fit(holes, long$Y[, 2], impute = TRUE)))
  of_one <- list(list(posterior = "factorised"), list(solver = "iterative"), list(prior = "sparse", fdr = 0.1), list(start_precision = c(1, 2)))
  for (options in of_one) {
    if (is.null(options$prior)) options$prior <- "shared"
    fit_of <- function(y) do.call("ardvark_fit", c(list(quote(X), y), options))
    expect_identical(unname(coef(fit_of(quote(long$Y)))[, 2]), unname(coef(fit_of(quote(long$Y[, 2])))), label = names(options)[1])
  }
  published <- function(y) unname(coef(ardvark_fit(X, y, preset = "vb_linear_fit")))
  expect_identical(published(long$Y)[, 2], published(long$Y[, 2]))
})

test_that("one file of all targets, which other programs write and read", {
  table <- cbind(long[c("a", "b")], g = rep(c("u", "v", "w"), 30), y1 = long$Y[, 1], y2 = long$Y[, 3])
  csv <- table_file(table)
  file <- tempfile(fileext = ".ardvark")
  said <- shell("fit", csv, "--target", "y1,y2", "--prior", "shared", "-o", file, "--json")
  fit <- read_ardvark(file)
  expect_equal(names(fit), c("y1", "y2"))
  near(coef(fit)[-1, ], t(said$mean))
  near(target_summary(fit)$probability, said$explained$probability)
  ours <- ardvark(cbind(y1, y2) ~ a + b + g, table, prior = "shared", contrasts = list(g = contr.treatment(3, 1)), groups = FALSE)
  near(predict(fit, table), predict(ours, table))
  near(predict(fit, transform(table, g = factor(g)), interval = "prediction"), predict(ours, table, interval = "prediction"))
  expect_error(predict(fit, table["a"]), "newdata has no column 'b'", class = "ardvark_error")
  for (method in list(fitted, residuals, deviance, function(fit) fit[["y1"]], summary)) {
    expect_error(method(fit), "read from a file, which has no rows", class = "ardvark_error")
  }
  expect_equal(nobs(fit), 90)
  expect_output(print(fit), "2 targets, prior: shared")
  numbers <- ardvark(cbind(y1, y2) ~ a + b, table, prior = "shared")
  expect_equal(save_ardvark(numbers, file), file)
  expect_identical(coef(read_ardvark(file)), coef(numbers))
  expect_identical(predict(read_ardvark(file), table[1:3, ]), predict(numbers, table[1:3, ]))
  shown <- shell("show", file, "--json")
  expect_equal(shown$targets, c("y1", "y2"))
  near(t(shown$mean), coef(numbers)[-1, ])
})

test_that("saveRDS keeps all targets for a new process", {
  many <- ardvark(Y ~ a + b, long, prior = "shared")
  file <- tempfile(fileext = ".rds")
  saveRDS(many, file)
  script <- tempfile(fileext = ".R")
  writeLines(c("library(ardvark)", sprintf("fit <- readRDS('%s')", file),
               "cat(sprintf('%.17g', predict(fit, data.frame(a = 1, b = 2))), sprintf('%.17g', coef(fit[['Y2']])),",
               "    sum(target_summary(fit)$explained))"), script)
  said <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script), stdout = TRUE, env = paste0("R_LIBS=", Sys.getenv("R_LIBS")))
  expect_equal(said, paste(c(sprintf("%.17g", predict(many, data.frame(a = 1, b = 2))), sprintf("%.17g", coef(many[["Y2"]])), "2"), collapse = " "))
})
