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
  expect_identical(unname(coef(fit)), unname(of_alone(coef)))
  expect_identical(unname(fitted(fit)), unname(of_alone(fitted)))
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
  expect_identical(unname(predict(fit, new)), unname(of_alone(predict, new)))
  expect_equal(dimnames(predict(fit, new)), list(rownames(new), targets))
  expect_equal(dim(predict(fit, new[1, ])), c(1, 3))
  ends <- predict(fit, new, interval = "prediction", level = 0.8)
  expect_equal(dimnames(ends), list(rownames(new), c("fit", "lwr", "upr"), targets))
  expect_identical(unname(ends[, , "qsec"]), unname(predict(alone[[3]], new, interval = "prediction", level = 0.8)))
  both <- predict(fit, new, se.fit = TRUE)
  expect_identical(unname(both$se.fit[, 2]), unname(predict(alone[[2]], new, se.fit = TRUE)$se.fit))
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
  expect_identical(coef(other)[, "mpg"], coef(ardvark(mpg ~ wt, table, weights = 1 + vs, offset = drat)))
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
  refused(save_ardvark(fit, tempfile()), "a file holds one", "object")
  refused(predict(fit, table["cyl"]), "newdata has no column 'wt'", "newdata")
  refused(predict(fit, table, interval = "prediction", type = "link"), "it needs type = \"response\"", "interval")
  refused(ardvark_fit(as.matrix(table$wt), cbind(table$mpg, table$qsec)[-1, ]), "y has 31 entries; x has 32 rows", "y")
  expect_error(AIC(fit), "compare fits", class = "ardvark_error")
  expect_error(predict(fit, transform(table, cyl = "5")), "new level")
  expect_error(predict(fit, table, type = "class"), "should be one of")
  # a warning says of which target it is
  d <- data.frame(x = 1:20, a = c(1:19, 60), b = sin(1:20))
  expect_warning(ardvark(cbind(a, b) ~ x + I(2 * x), d), "^a: columns correlated above 0.99", class = "ardvark_warning")
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
