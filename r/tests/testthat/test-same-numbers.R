# The numbers are those of the program, for tables that R ships.

# A model matrix without its intercept, beside other columns, as a table for the program.
with_matrix <- function(fit, ...) data.frame(..., model.matrix(fit)[, -1L, drop = FALSE], check.names = FALSE)

test_that("a regression of numbers, under each prior", {
  for (prior in c("auto", "sparse", "slab", "dense", "shared", "ard", "none", "laplace")) {
    fit <- ardvark(mpg ~ ., mtcars, prior = prior)
    expect_same_fit(fit, shell_fit(mtcars, "mpg", "linear", "--prior", prior))
  }
})

test_that("observation weights", {
  table <- transform(mtcars, times = rep(1:4, 8))
  fit <- ardvark(mpg ~ wt + hp + qsec, table, weights = times)
  expect_same_fit(fit, shell_fit(table[c("mpg", "wt", "hp", "qsec", "times")], "mpg", "linear", "--weights", "times"))
})

test_that("Student-t noise", {
  fit <- ardvark(stack.loss ~ ., stackloss, family = "student")
  said <- shell_fit(stackloss, "stack.loss", "linear", "--noise", "student")
  expect_same_fit(fit, said)
  expect_equal(fit$results$noise$degrees_of_freedom, said$noise$degrees_of_freedom, tolerance = 1e-12)
})

test_that("two classes: infert", {
  table <- infert[c("case", "age", "parity", "induced", "spontaneous")]
  expect_same_fit(ardvark(case ~ ., table, family = binomial()), shell_fit(table, "case", "logistic"))
  expect_same_fit(ardvark(case ~ ., table, family = binomial(), prior = "shared"), shell_fit(table, "case", "logistic", "--prior", "shared"))
})

test_that("several classes: iris", {
  table <- transform(iris, Species = as.character(Species))
  expect_same_fit(ardvark(Species ~ ., iris, family = "multinomial"), shell_fit(table, "Species", "logistic"))
})

test_that("grouped binomial responses: esoph", {
  fit <- ardvark(cbind(ncases, ncontrols) ~ agegp + unclass(alcgp), esoph, family = binomial())
  X <- model.matrix(fit)[, -1L]
  table <- data.frame(rbind(X, X), class = rep(c("0 control", "1 case"), each = nrow(esoph)), check.names = FALSE)
  table$count <- c(esoph$ncontrols, esoph$ncases)
  table <- table[table$count > 0, ]
  age <- paste0("age=", paste(colnames(X)[1:5], collapse = ","))
  expect_same_fit(fit, shell_fit(table, "class", "logistic", "--weights", "count", "--group", age))
})

test_that("counts: warpbreaks, with and without groups", {
  fit <- suppressWarnings(ardvark(breaks ~ wool + tension, warpbreaks, family = poisson()))
  table <- with_matrix(fit, breaks = warpbreaks$breaks)
  expect_equal(fit$results$group, c(1, 2, 2))
  expect_same_fit(fit, shell_fit(table, "breaks", "counts", "--family", "poisson", "--group", "tension=tensionM,tensionH"))
  single <- suppressWarnings(ardvark(breaks ~ wool + tension, warpbreaks, family = poisson(), groups = FALSE))
  expect_same_fit(single, shell_fit(table, "breaks", "counts", "--family", "poisson"))
})

test_that("counts with a dispersion and an exposure: quine, Insurance", {
  skip_if_not_installed("MASS")
  quine <- MASS::quine
  fit <- ardvark(Days ~ Sex + Lrn, quine, family = "negbin")
  expect_same_fit(fit, shell_fit(with_matrix(fit, Days = quine$Days), "Days", "counts", "--family", "negative-binomial"))
  Insurance <- MASS::Insurance
  fit <- suppressWarnings(ardvark(Claims ~ unclass(District) + offset(log(Holders)), Insurance, family = poisson()))
  table <- with_matrix(fit, Claims = Insurance$Claims, log_holders = log(Insurance$Holders))
  expect_same_fit(fit, shell_fit(table, "Claims", "counts", "--family", "poisson", "--offset-column", "log_holders"))
})
