# Predictions of each type, and what must hold between them.

test_that("intervals and standard errors of numbers are those of lm under no prior", {
  fit <- ardvark(mpg ~ wt + hp, mtcars, prior = "none")
  reference <- lm(mpg ~ wt + hp, mtcars)
  new <- mtcars[c(1, 15, 31), ]
  for (interval in c("confidence", "prediction")) {
    for (level in c(0.5, 0.95)) {
      theirs <- predict(reference, new, interval = interval, level = level)
      expect_equal(predict(fit, new, interval = interval, level = level), theirs, tolerance = 1e-6)
    }
  }
  expect_equal(predict(fit), predict(reference), tolerance = 1e-6)
  se <- predict(fit, new, interval = "prediction", se.fit = TRUE)$se.fit
  expect_equal(se, predict(reference, new, se.fit = TRUE)$se.fit * sqrt(29 / 27), tolerance = 1e-6)  # sd of a Student-t distribution
  expect_equal(predict(fit, new, type = "link", interval = "confidence"), predict(fit, new, interval = "confidence"), tolerance = 1e-8)
  expect_equal(predict(fit, new, type = "terms"), predict(reference, new, type = "terms"), tolerance = 1e-6)
  mixed <- ardvark(mpg ~ wt * factor(cyl), mtcars, prior = "none")
  expect_equal(predict(mixed, new, type = "terms"), predict(lm(mpg ~ wt * factor(cyl), mtcars), new, type = "terms"), tolerance = 1e-6)
})

test_that("bases of poly and ns are those of the fit", {
  fit <- ardvark(mpg ~ poly(hp, 2) + splines::ns(wt, 3), mtcars)
  expect_equal(predict(fit, mtcars[4:6, ]), fitted(fit)[4:6])
})

test_that("the model file predicts the same in the program", {
  for (family in c("gaussian", "student", "poisson", "negbin")) {
    data <- if (family %in% c("gaussian", "student")) stackloss else setNames(warpbreaks, c("stack.loss", "wool", "tension"))
    fit <- suppressWarnings(ardvark(stack.loss ~ ., data, family))
    file <- tempfile(fileext = ".ardvark")
    save_ardvark(fit, file)
    said <- shell("predict", file, table_file(data.frame(model.matrix(fit)[, -1L], check.names = FALSE)), "--json")
    ours <- predict(fit, data, interval = "prediction")
    expect_equal(unname(ours[, "fit"]), said$mean, tolerance = 1e-12)
    expect_equal(unname(ours[, "lwr"]), said$lower, tolerance = 1e-12)
    expect_equal(unname(ours[, "upr"]), said$upper, tolerance = 1e-12)
  }
})

test_that("two classes", {
  fit <- ardvark(case ~ spontaneous + induced, infert, binomial())
  new <- infert[c(1, 50, 100), ]
  probability <- predict(fit, new)
  link <- predict(fit, new, type = "link", se.fit = TRUE)
  # the probability is the mean of plogis over the posterior of the log odds
  for (i in 1:3) {
    density <- function(eta) dnorm(eta, link$fit[i], link$se.fit[i])
    mean <- integrate(function(eta) plogis(eta) * density(eta), -Inf, Inf, rel.tol = 1e-10)$value
    expect_equal(unname(probability[i]), mean, tolerance = 1e-3)
    square <- integrate(function(eta) plogis(eta)^2 * density(eta), -Inf, Inf, rel.tol = 1e-10)$value
    expect_equal(unname(predict(fit, new, se.fit = TRUE)$se.fit[i]), sqrt(square - mean^2), tolerance = 1e-6)
  }
  interval <- predict(fit, new, interval = "confidence", level = 0.9)
  expect_equal(interval[, "lwr"], plogis(link$fit - qnorm(0.95) * link$se.fit))
  expect_equal(as.character(predict(fit, new, type = "class")), ifelse(probability > 0.5, "1", "0"), ignore_attr = TRUE)
  expect_error(predict(fit, new, interval = "prediction"), class = "ardvark_error")
  draws <- predict(fit, new, type = "draws", ndraws = 4000, seed = 3)
  expect_equal(colMeans(draws), probability, tolerance = 0.02)
  expect_equal(apply(draws, 2, sd), predict(fit, new, se.fit = TRUE)$se.fit, tolerance = 0.05)
})

test_that("several classes", {
  fit <- ardvark(Species ~ ., iris, "multinomial")
  probability <- predict(fit, iris[c(1, 60, 120), ])
  expect_equal(colnames(probability), levels(iris$Species))
  expect_equal(rowSums(probability), c(1, 1, 1), ignore_attr = TRUE)
  expect_equal(as.character(predict(fit, iris[c(1, 60, 120), ], type = "class")), c("setosa", "versicolor", "virginica"))
  expect_gt(mean(predict(fit, type = "class") == iris$Species), 0.95)
  beta <- coef(fit)
  expect_equal(unname(predict(fit, iris[60, ], type = "link")[1, ]), unname(drop(beta %*% c(1, unlist(iris[60, 1:4])))))
  expect_error(predict(fit, iris, se.fit = TRUE), class = "ardvark_error")
})

test_that("draws of the probabilities of several classes", {
  fit <- ardvark(Species ~ ., iris, "multinomial")
  new <- iris[c(1, 60, 78, 120), ]
  new$Sepal.Width[2] <- NA
  draws <- predict(fit, new, type = "draws", ndraws = 4000, seed = 1)
  expect_equal(dimnames(draws), list(NULL, rownames(new), levels(iris$Species)))
  expect_equal(dim(draws), c(4000L, 4L, 3L))
  expect_true(all(is.na(draws[, 2, ])) && !anyNA(draws[, -2, ]))
  expect_equal(apply(draws[, -2, ], 1:2, sum), matrix(1, 4000, 3), ignore_attr = TRUE)
  expect_equal(apply(draws[, -2, ], 2:3, mean), predict(fit, new[-2, ]), tolerance = 0.02)
  expect_identical(predict(fit, new, type = "draws", ndraws = 5, seed = 2), predict(fit, new, type = "draws", ndraws = 5, seed = 2))
  expect_equal(dim(predict(fit, type = "draws", ndraws = 1)), c(1L, 150L, 3L))
  expect_error(predict(fit, new, type = "draws", ndraws = 0), "whole number from 1", class = "ardvark_error")
  rest <- update(fit, prior = "sparse")
  expect_error(predict(rest, new, type = "draws"), "the coding is one-against-rest", class = "ardvark_error")
})

test_that("a regression for each pair of classes is that of the two classes", {
  fit <- ardvark(Species ~ Petal.Length + Petal.Width, iris, "multinomial", prior = "shared", coding = "one-against-one")
  expect_equal(rownames(coef(fit)), c("versicolor/setosa", "virginica/setosa", "virginica/versicolor"))
  two <- ardvark(Species ~ Petal.Length + Petal.Width, droplevels(iris[iris$Species != "setosa", ]), binomial(), prior = "shared")
  expect_equal(coef(fit)["virginica/versicolor", ], coef(two), tolerance = 0.05)  # whose columns are scaled by other rows
  expect_equal(rownames(vcov(fit)), rownames(confint(fit)))
  expect_equal(unname(sqrt(diag(vcov(fit)))), unname(coef(summary(fit))[, "Std.Dev"]), tolerance = 1e-8)
  expect_equal(colnames(predict(fit, type = "link")), rownames(coef(fit)))
  expect_equal(colnames(predict(fit)), levels(iris$Species))
  more <- ardvark(feed ~ weight, chickwts, "multinomial", coding = "one-against-one")
  expect_equal(dim(coef(more)), c(15, 2))
  expect_equal(rowSums(predict(more)), rep(1, 71), ignore_attr = TRUE)
})

test_that("counts", {
  fit <- ardvark(breaks ~ wool + tension, warpbreaks, "negbin", prior = "shared")
  new <- warpbreaks[c(1, 30, 54), -1]
  link <- predict(fit, new, type = "link", se.fit = TRUE)
  mean <- predict(fit, new, se.fit = TRUE)
  expect_equal(mean$fit, exp(link$fit + link$se.fit^2 / 2), tolerance = 1e-8)  # of a lognormal distribution
  expect_equal(mean$se.fit, mean$fit * sqrt(exp(link$se.fit^2) - 1), tolerance = 1e-8)
  new_count <- predict(fit, new, interval = "prediction")
  expect_true(all(new_count[, 2:3] == round(new_count[, 2:3])))
  of_mean <- predict(fit, new, interval = "confidence")
  expect_true(all(of_mean[, "lwr"] > new_count[, "lwr"] & of_mean[, "upr"] < new_count[, "upr"]))
  draws <- predict(fit, new, type = "draws", ndraws = 4000, seed = 1)
  expect_equal(colMeans(draws), mean$fit, tolerance = 0.02)
})

test_that("set.seed makes draws repeatable, and so does seed", {
  fit <- ardvark(mpg ~ wt, mtcars)
  set.seed(4)
  first <- predict(fit, mtcars, type = "draws", ndraws = 5)
  set.seed(4)
  expect_identical(predict(fit, mtcars, type = "draws", ndraws = 5), first)
  expect_identical(predict(fit, type = "draws", ndraws = 5, seed = 2), predict(fit, mtcars, type = "draws", ndraws = 5, seed = 2))
})

test_that("se = TRUE is se.fit, as for glm", {
  of_se <- function(fit) expect_identical(predict(fit, mtcars[1:3, ], se = TRUE), predict(fit, mtcars[1:3, ], se.fit = TRUE))
  of_se(ardvark(mpg ~ wt, mtcars))
  of_se(ardvark(cbind(mpg, qsec) ~ wt, mtcars))
  of_se(kernel_machine(mpg ~ wt, mtcars))
})
