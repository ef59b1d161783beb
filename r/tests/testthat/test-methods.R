# A fitted object behaves as one of R.

fits <- suppressWarnings(list(
  gaussian = ardvark(mpg ~ wt + hp + qsec, mtcars), student = ardvark(stack.loss ~ ., stackloss, "student"),
  binomial = ardvark(case ~ spontaneous + induced, infert, binomial()), grouped = ardvark(cbind(ncases, ncontrols) ~ agegp, esoph, binomial()),
  multinomial = ardvark(Species ~ ., iris, "multinomial"), poisson = ardvark(breaks ~ wool + tension, warpbreaks, poisson()),
  negbin = ardvark(breaks ~ wool + tension, warpbreaks, "negbin")
))

test_that("print and summary", {
  for (fit in fits) {
    expect_output(print(fit), "Coefficients:")
    said <- paste(capture.output(print(summary(fit))), collapse = "\n")
    expect_match(said, "Call:\nardvark", fixed = TRUE)
    expect_match(said, "log evidence", fixed = TRUE)
    for (column in fit$columns) expect_match(said, column, fixed = TRUE)
  }
  expect_output(print(summary(fits$poisson, odds = TRUE)), "rate ratio")
  expect_output(print(summary(fits$gaussian, level = 0.5)), "50%")
  expect_equal(rownames(coef(summary(fits$gaussian))), names(coef(fits$gaussian)))
})

test_that("coefficients, intervals and covariance belong together", {
  for (fit in fits) {
    covariance <- vcov(fit)
    names <- if (is.matrix(coef(fit))) rownames(confint(fit)) else names(coef(fit))
    expect_equal(dimnames(covariance), list(names, names))
    expect_equal(rownames(confint(fit)), names)
    expect_equal(covariance, t(covariance), tolerance = 1e-10)
    sd <- coef(summary(fit))[, "Std.Dev"]
    expect_equal(sqrt(diag(covariance)), sd, tolerance = 1e-8)
    expect_true(all(confint(fit, level = 0.5)[, 1] > confint(fit)[, 1]))
  }
  expect_equal(colnames(confint(fits$gaussian)), c("2.5 %", "97.5 %"))
  expect_equal(rownames(confint(fits$gaussian, "wt")), "wt")
  expect_equal(rownames(confint(fits$gaussian, 2:3)), c("wt", "hp"))
  expect_equal(rownames(confint(fits$gaussian, -1)), c("wt", "hp", "qsec"))
})

test_that("the evidence stands where a likelihood would, and says so", {
  for (fit in fits) {
    expect_equal(as.numeric(logLik(fit)), fit$results$bound)
    expect_output(print(logLik(fit)), "log evidence (a lower bound)", fixed = TRUE)
    expect_error(AIC(fit), "compare", class = "ardvark_error")
    expect_error(BIC(fit), "compare", class = "ardvark_error")
    expect_error(AIC(logLik(fit)), "compare", class = "ardvark_error")
  }
})

test_that("what R asks of nested fits by maximum likelihood is refused", {
  fit <- fits$gaussian
  for (ask in list(anova, drop1, extractAIC, function(fit) step(fit, trace = 0))) expect_error(ask(fit), "compare", class = "ardvark_error")
})

test_that("families", {
  expect_equal(family(fits$poisson)$link, "log")
  expect_equal(family(fits$negbin)$linkinv(0), 1)
  expect_equal(family(fits$multinomial)$family, "multinomial")
})

test_that("residuals", {
  y <- mtcars$mpg
  expect_equal(residuals(fits$gaussian), setNames(y - fitted(fits$gaussian), rownames(mtcars)))
  counts <- fits$poisson
  reference <- glm(breaks ~ wool + tension, poisson, warpbreaks)
  reference$fitted.values <- fitted(counts)  # so that their formulas are those of glm at our means
  reference$residuals <- (reference$y - reference$fitted.values) / reference$fitted.values
  reference$weights <- reference$fitted.values
  expect_equal(residuals(counts, "pearson"), residuals(reference, "pearson"))
  expect_equal(residuals(counts, "deviance"), residuals(reference, "deviance"))
  expect_equal(deviance(counts), sum(poisson()$dev.resids(warpbreaks$breaks, fitted(counts), 1)))
  grouped <- fits$grouped
  trials <- esoph$ncases + esoph$ncontrols
  expect_equal(deviance(grouped), sum(binomial()$dev.resids(ifelse(trials > 0, esoph$ncases / trials, 0), fitted(grouped), trials)))
  skip_if_not_installed("MASS")
  k <- fits$negbin$results$dispersion
  theirs <- MASS::negative.binomial(1 / k)$dev.resids(warpbreaks$breaks, fitted(fits$negbin), 1)
  expect_equal(deviance(fits$negbin), sum(theirs))
  for (fit in fits[names(fits) != "multinomial"]) {
    set.seed(1)
    expect_true(all(is.finite(residuals(fit, "quantile")[if (is.null(fit$prior.weights)) TRUE else fit$prior.weights > 0])))
  }
  expect_equal(colnames(residuals(fits$multinomial, "response")), levels(iris$Species))
  expect_error(residuals(fits$multinomial, "deviance"), class = "ardvark_error")
  is_own <- outer(as.character(iris$Species), levels(iris$Species), `==`)
  expect_equal(residuals(fits$multinomial), is_own - fitted(fits$multinomial), ignore_attr = TRUE)
  own <- fitted(fits$multinomial)[cbind(1:150, as.integer(iris$Species))]
  expect_equal(deviance(fits$multinomial), -2 * sum(log(own)))
})

test_that("quantile residuals are normal where the model is right", {
  set.seed(2)
  x <- rnorm(2000)
  responses <- list(gaussian = x + rnorm(2000), student = x + rt(2000, 4), binomial = rbinom(2000, 1, plogis(x)), poisson = rpois(2000, exp(x)),
                    negbin = rnbinom(2000, size = 2, mu = exp(x)))
  for (family in names(responses)) {
    fit <- ardvark(y ~ x, data.frame(x, y = responses[[family]]), family)
    expect_gt(ks.test(residuals(fit, "quantile"), "pnorm")$p.value, 0.001)
  }
})

test_that("simulate", {
  for (name in names(fits)) {
    fit <- fits[[name]]
    drawn <- simulate(fit, 3, seed = 1)
    expect_identical(drawn, simulate(fit, 3, seed = 1))
    expect_equal(length(drawn), 3)
    expect_equal(nrow(drawn), NROW(fitted(fit)))
  }
  many <- as.matrix(simulate(fits$gaussian, 4000, seed = 1))
  expect_equal(rowMeans(many), fitted(fits$gaussian), tolerance = 0.01)
  interval <- predict(fits$gaussian, mtcars, interval = "prediction")
  expect_equal(mean(many > interval[, "lwr"] & many < interval[, "upr"]), 0.95, tolerance = 0.01)
  many <- as.matrix(simulate(fits$negbin, 4000, seed = 1))
  expect_equal(rowMeans(many), fitted(fits$negbin), tolerance = 0.03, ignore_attr = TRUE)
  # of the type of the response, as glm draws it
  expect_setequal(simulate(fits$binomial, 1)[[1]], 0:1)
  expect_setequal(simulate(ardvark(case > 0 ~ spontaneous, infert, binomial()), 1)[[1]], 0:1)
  expect_equal(levels(simulate(ardvark(wool ~ breaks, warpbreaks, binomial()), 1)[[1]]), c("A", "B"))
  expect_equal(colnames(simulate(fits$grouped, 1)[[1]]), c("ncases", "ncontrols"))
  before <- .Random.seed
  simulate(fits$gaussian, 1, seed = 5)
  expect_identical(.Random.seed, before)
})

test_that("inclusion and credible sets", {
  expect_equal(names(pip(fits$gaussian)), c("wt", "hp", "qsec"))
  expect_true(all(pip(fits$gaussian) >= 0 & pip(fits$gaussian) <= 1))
  expect_error(pip(update(fits$gaussian, prior = "shared")), "no probability of inclusion", class = "ardvark_error")
  expect_error(pip(lm(mpg ~ wt, mtcars)), "class lm", class = "ardvark_error")
  set.seed(1)
  x <- matrix(rnorm(2000), 200, dimnames = list(NULL, letters[1:10]))
  fit <- ardvark_fit(x, 3 * x[, "c"] + rnorm(200))
  sets <- credible_sets(fit)
  expect_equal(sets[[1]]$columns, "c")
  expect_gt(pip(fit)[["c"]], 0.99)
})

test_that("each score of several classes has its inclusions", {
  for (coding in c("one-against-rest", "one-against-one")) {
    fit <- ardvark(Species ~ ., iris, "multinomial", prior = "sparse", coding = coding)
    inclusion <- pip(fit)
    expect_equal(dim(inclusion), c(3L, 4L))
    # the printed table has a line for each coefficient: name, class or pair, mean, sd, two ends, inclusion
    lines <- strsplit(trimws(grep("^  (Sepal|Petal)", strsplit(summary(fit)$text, "\n")[[1]], value = TRUE)), " +")
    expect_length(lines, 12)
    for (line in lines) expect_lte(abs(inclusion[[line[2L], line[1L]]] - as.numeric(line[7L])), 0.0051)
    table <- generics::tidy(fit)
    expect_equal(table$inclusion[!is.na(table$inclusion)], as.vector(t(inclusion)))
    expect_equal(unname(coef(summary(fit))[, "Inclusion"]), table$inclusion)
  }
})

test_that("options go to the library, and their warnings come back", {
  fit <- ardvark(mpg ~ ., mtcars, prior = "laplace", lambda = 5)
  expect_equal(fit$results$options$lambda, 5)
  expect_true(any(coef(fit) == 0))
  expect_warning(ardvark(breaks ~ wool, warpbreaks, poisson()), "negative-binomial", class = "ardvark_warning")
  expect_true(all(c("a0", "lambda", "seed", "solver") %in% ardvark_options()$option))
  expect_false(any(c("model", "width", "level", "row_order") %in% ardvark_options()$option))
})

test_that("comparison", {
  sparse <- fits$gaussian
  dense <- update(sparse, prior = "dense")
  ranked <- ardvark::compare(sparse, dense)
  expect_s3_class(ranked, "data.frame")
  expect_setequal(rownames(ranked), c("sparse", "dense"))
  expect_equal(ranked["dense", "bound"], dense$results$bound)
  expect_equal(max(ranked$difference), 0)
  three <- ardvark::compare(sparse, priors = c("sparse", "dense", "shared"))
  expect_equal(three[c("dense", "sparse"), "evidence"], ranked[c("dense", "sparse"), "evidence"])
  # the program says the same, without the cost of hyper-priors
  table <- table_file(mtcars[c("mpg", "wt", "hp", "qsec")])
  said <- shell("compare", table, "--target", "mpg", "--model", "linear", "--priors", "sparse,dense,shared", "--json")
  theirs <- setNames(said$models$evidence, said$models$name)
  expect_equal(three$evidence, unname(theirs[three$prior]), tolerance = 1e-12)
  expect_true(is.na(ardvark::compare(sparse, update(sparse, prior = "none"))["update(sparse, prior = \"none\")", "evidence"]))
  grouped <- ardvark::compare(fits$grouped, update(fits$grouped, . ~ agegp + alcgp))
  expect_match(rownames(grouped)[1], "alcgp")
  expect_output(print(ranked), "Log evidence in nats")
  counts <- ardvark::compare(fits$poisson, fits$negbin)
  expect_equal(counts$family[1], "negbin")
  expect_error(ardvark::compare(fits$poisson, sparse), "same data", class = "ardvark_error")
  expect_error(ardvark::compare(sparse, priors = "sparse"), "two or more", class = "ardvark_error")
  expect_error(ardvark::compare(sparse, dense, priors = c("sparse", "dense")), "one fit", class = "ardvark_error")
  expect_error(ardvark::compare(sparse, 3), "takes fits", class = "ardvark_error")
  expect_error(ardvark::compare(ardvark_fit(as.matrix(mtcars["wt"]), mtcars$mpg)), "by a formula", class = "ardvark_error")
})

test_that("pictures are drawn", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (fit in fits) expect_silent(plot(fit))
  for (fit in fits[names(fits) != "multinomial"]) expect_silent(plot(fit, "residuals"))
  expect_silent(plot(fits$binomial, "calibration"))
  expect_error(plot(fits$poisson, "calibration"), class = "ardvark_error")
  for (how in list(na.omit, na.exclude)) expect_silent(plot(ardvark(Ozone ~ Wind + Solar.R, airquality, na.action = how), "residuals"))
})

test_that("of pairs of classes, each regression has the name of its pair", {
  set.seed(1)
  d <- data.frame(a = rnorm(200), b = rnorm(200))
  d$y <- cut(d$a + 0.5 * rnorm(200), 4, labels = c("u", "v", "w", "x"))
  fit <- ardvark(y ~ a + b, d, "multinomial", coding = "one-against-one")
  pairs <- c("v/u", "w/u", "x/u", "w/v", "x/v", "x/w")
  expect_equal(rownames(coef(fit)), pairs)
  expect_equal(rownames(vcov(fit))[4:6], paste0("w/u:", c("(Intercept)", "a", "b")))
  expect_equal(rownames(confint(fit))[16:18], paste0("x/w:", c("(Intercept)", "a", "b")))
  # the regression of a pair is that of two classes, the first of which is the failure
  of_two <- ardvark(y ~ a + b, droplevels(subset(d, y %in% c("v", "w"))), binomial())
  expect_gt(cor(coef(fit)["w/v", ], coef(of_two)), 0.999)
  expect_equal(rowSums(predict(fit, d[1:3, ])), c(`1` = 1, `2` = 1, `3` = 1))
  expect_equal(colnames(predict(fit, d[1:3, ], type = "link")), pairs)
})
