# Coefficients that are changed, and what is predicted with them. The derivative of predictions is what the package marginaleffects takes
# standard errors from; Debian does not have it, so that a stub of its generics stands for it.

skip_if_not_installed("MASS")
generics <- c("get_coef <- function(model, ...) UseMethod('get_coef')",
              "set_coef <- function(model, coefs, ...) UseMethod('set_coef')",
              "get_vcov <- function(model, ...) UseMethod('get_vcov')",
              "get_predict <- function(model, newdata, type, ...) UseMethod('get_predict')")
host <- stub_package("marginaleffects", generics)

fits <- suppressWarnings(list(
  gaussian = ardvark(mpg ~ wt + factor(cyl), mtcars), student = ardvark(stack.loss ~ ., stackloss, "student"),
  binomial = ardvark(case ~ spontaneous + induced, infert, binomial(), prior = "shared"),
  grouped = ardvark(cbind(ncases, ncontrols) ~ agegp, esoph, binomial()), sparse = ardvark(am ~ wt + qsec, mtcars, binomial()),
  poisson = ardvark(breaks ~ wool + tension, warpbreaks, poisson(), prior = "shared"),
  offset = ardvark(Claims ~ Age + offset(log(Holders)), MASS::Insurance, poisson(), prior = "shared"),
  negbin = ardvark(breaks ~ wool + tension, warpbreaks, "negbin"),
  multinomial = ardvark(Species ~ ., iris, "multinomial"), rest = ardvark(Species ~ ., iris, "multinomial", prior = "shared", coding = "one-against-rest"),
  sparse_rest = ardvark(Species ~ ., iris, "multinomial", prior = "sparse")
))
several <- c("multinomial", "rest", "sparse_rest")
rows_of_fit <- function(fit) {
  data <- eval(fit$call$data, environment(formula(fit)))
  data[seq(1, nrow(data), length.out = 12), ]
}
# central differences, of each prediction by each coefficient
derivative <- function(fit, new, type) {
  beta <- host$get_coef(fit)
  step <- 1e-4 * pmax(abs(beta), 0.1)
  of_one <- function(j) {
    moved <- function(sign) host$get_predict(host$set_coef(fit, replace(beta, j, beta[j] + sign * step[j])), new, type = type)$estimate
    (moved(1) - moved(-1)) / (2 * step[j])
  }
  vapply(seq_along(beta), of_one, moved_length(fit, new))
}
moved_length <- function(fit, new) numeric(nrow(new) * (if (fit$family_name == "multinomial") length(fit$classes) else 1L))
design_of <- function(fit, new) model.matrix(delete.response(terms(fit)), new, xlev = fit$xlevels)

test_that("coefficients, their covariance and predictions are those of the fit", {
  for (fit in fits) {
    beta <- host$get_coef(fit)
    expect_equal(names(beta), rownames(vcov(fit)))
    expect_equal(host$get_vcov(fit), vcov(fit))
    expect_equal(host$get_vcov(fit, vcov = 2 * vcov(fit)), 2 * vcov(fit))
    expect_null(host$get_vcov(fit, vcov = FALSE))
    expect_error(host$get_vcov(fit, vcov = "HC3"), "no other form", class = "ardvark_error")
    new <- rows_of_fit(fit)
    predicted <- host$get_predict(fit, new)
    expect_equal(predicted$estimate, as.vector(predict(fit, new)))
    expect_equal(names(predicted), c("rowid", if (fit$family_name == "multinomial") "group", "estimate"))
    expect_equal(host$get_predict(fit, transform(new, rowid = 101:112))$rowid[12], 112L)
    same <- host$set_coef(fit, beta)
    expect_equal(predict(same, new), predict(fit, new), tolerance = 1e-12)
    expect_equal(fitted(same), fitted(fit), tolerance = 1e-12)
  }
})

test_that("the delta method on the linear predictor gives its standard deviation", {
  for (fit in fits[!names(fits) %in% several]) {
    new <- rows_of_fit(fit)
    J <- derivative(fit, new, "link")
    expect_equal(unname(J), unname(design_of(fit, new)), tolerance = 1e-7, ignore_attr = TRUE)
    expect_equal(sqrt(rowSums((J %*% vcov(fit)) * J)), unname(predict(fit, new, type = "link", se.fit = TRUE)$se.fit), tolerance = 1e-6)
  }
})

test_that("derivatives of the mean response", {
  for (name in setdiff(names(fits), several)) {
    fit <- fits[[name]]
    new <- rows_of_fit(fit)
    link <- predict(fit, new, type = "link", se.fit = TRUE)
    slope <- switch(fit$family_name,
      gaussian = , student = rep(1, nrow(new)),
      poisson = , negbin = predict(fit, new),
      # of a mixture by draws
      binomial = if (name == "sparse") {
        probability <- predict(fit, new, type = "draws", ndraws = 2e5, seed = 7)
        colMeans(probability * (1 - probability))
      } else mapply(function(m, s) integrate(function(z) dlogis(m + s * z) * dnorm(z), -10, 10, rel.tol = 1e-10)$value, link$fit, link$se.fit)
    )
    tolerance <- if (name == "sparse") 0.05 else 1e-3
    expect_equal(derivative(fit, new, "response"), slope * design_of(fit, new), tolerance = tolerance, ignore_attr = TRUE)
  }
})

test_that("derivatives of the probabilities of several classes", {
  set.seed(1)
  for (name in several) {
    fit <- fits[[name]]
    new <- rows_of_fit(fit)[c(1, 5, 6, 9), ]
    X <- design_of(fit, new)
    B <- matrix(host$get_coef(fit), 3, byrow = TRUE)
    V <- vcov(fit)
    J <- derivative(fit, new, "response")
    expect_equal(max(abs(rowsum(J, rep(1:4, 3)))), 0, tolerance = 1e-8)  # probabilities add up to 1
    if (name == "sparse_rest") next  # an approximation
    for (i in seq_len(nrow(new))) {
      row <- X[i, , drop = FALSE]
      # by the same draws of the scores before and after a small step of each coefficient
      root <- chol(kronecker(diag(3), row) %*% V %*% t(kronecker(diag(3), row)) + diag(1e-10, 3))
      scores <- matrix(rnorm(6e5), ncol = 3) %*% root + rep(drop(B %*% X[i, ]), each = 2e5)
      rule <- if (name == "rest") function(f) { p <- colMeans(plogis(f)); p / sum(p) } else function(f) colMeans(exp(f) / rowSums(exp(f)))
      for (c in 1:3) {
        change <- replace(numeric(3), c, 0.01)
        slope <- (rule(scores + rep(change, each = 2e5)) - rule(scores - rep(change, each = 2e5))) / 0.02
        for (j in seq_len(ncol(X))) expect_equal(J[i + 4 * (0:2), (c - 1) * ncol(X) + j], slope * X[i, j], tolerance = 0.03, ignore_attr = TRUE)
      }
    }
  }
})

test_that("everything else of a fit knows its changed coefficients", {
  fit <- fits$gaussian
  moved <- host$set_coef(fit, coef(fit) + c(1, 0, 0, 0))
  expect_equal(coef(moved), coef(fit) + c(1, 0, 0, 0))
  expect_equal(fitted(moved), fitted(fit) + 1)
  expect_equal(residuals(moved), residuals(fit) - 1)
  expect_equal(predict(moved, mtcars, interval = "prediction"), predict(fit, mtcars, interval = "prediction") + 1)
  expect_equal(confint(moved), confint(fit) + c(1, 0, 0, 0))
  expect_equal(predict(moved, mtcars, type = "draws", ndraws = 3, seed = 1), predict(fit, mtcars, type = "draws", ndraws = 3, seed = 1) + 1)
  expect_equal(host$set_coef(moved, coef(fit))$fitted.values, fitted(fit))
  expect_equal(predict(host$set_coef(fit, rev(coef(moved))), mtcars), predict(moved, mtcars))  # by name
  expect_equal(coef(update(moved, . ~ . - wt)), coef(update(fit, . ~ . - wt)))
  for (what in list(summary, function(x) save_ardvark(x, tempfile()))) expect_error(what(moved), "were changed", class = "ardvark_error")
  expect_error(predict(host$set_coef(fits$negbin, coef(fits$negbin)), warpbreaks, interval = "prediction"), "changed", class = "ardvark_error")
  x <- as.matrix(mtcars[c("wt", "hp")])
  of_matrix <- ardvark_fit(x, mtcars$mpg)
  moved <- host$set_coef(of_matrix, coef(of_matrix) + c(0, 1, 0))
  expect_equal(predict(moved, x), predict(of_matrix, x) + mtcars$wt)
  expect_error(fitted(moved), "does not keep x", class = "ardvark_error")
  expect_error(host$set_coef(fit, 1:3), "coefs must be 4 finite numbers", class = "ardvark_error")
  expect_error(host$set_coef(fit, replace(coef(fit), 2, NA)), "finite numbers", class = "ardvark_error")
  expect_error(host$set_coef(fit, setNames(coef(fit), letters[1:4])), "names 'a'", class = "ardvark_error")
  one_one <- update(fits$multinomial, coding = "one-against-one", prior = "shared")
  expect_error(host$set_coef(one_one, host$get_coef(one_one)), "one-against-one", class = "ardvark_error")
})

test_that("the class is known to the host", {
  expect_true("ardvark" %in% getOption("marginaleffects_model_classes"))
})
