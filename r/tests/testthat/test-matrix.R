# ardvark_fit: matrices, and sparse ones that are read in place.

test_that("a matrix is as a formula", {
  x <- as.matrix(mtcars[-1])
  fit <- ardvark_fit(x, mtcars$mpg)
  expect_identical(coef(fit), coef(ardvark(mpg ~ ., mtcars)))
  expect_equal(predict(fit, x[1:3, ], interval = "prediction"), predict(ardvark(mpg ~ ., mtcars), mtcars[1:3, ], interval = "prediction"))
  expect_equal(predict(fit, x[1:3, 10:1]), predict(fit, x[1:3, ]))  # columns by name
  expect_equal(predict(fit, mtcars[1:3, ]), predict(fit, x[1:3, ]))
  expect_equal(names(coef(ardvark_fit(unname(x), mtcars$mpg)))[2], "x1")
  expect_equal(names(coef(ardvark_fit(x, mtcars$mpg, intercept = FALSE)))[1], "cyl")
  new <- unname(x[1:3, ])
  new[2, 4] <- NA
  expect_equal(predict(fit, new), unname(c(predict(fit, x[1, , drop = FALSE]), NA, predict(fit, x[3, , drop = FALSE]))))
  whole <- x[, c("cyl", "hp", "gear")]
  storage.mode(whole) <- "integer"
  expect_identical(coef(ardvark_fit(whole, mtcars$mpg)), coef(ardvark_fit(x[, c("cyl", "hp", "gear")], mtcars$mpg)))
})

test_that("families of a matrix", {
  x <- as.matrix(infert[c("spontaneous", "induced")])
  expect_equal(coef(ardvark_fit(x, infert$case, binomial())), coef(ardvark(case ~ spontaneous + induced, infert, binomial())))
  expect_equal(coef(ardvark_fit(as.matrix(iris[1:4]), iris$Species, "multinomial")), coef(ardvark(Species ~ ., iris, "multinomial")))
  y <- cbind(dead = 1:6, alive = 6:1)
  x <- cbind(dose = as.numeric(1:6))
  expect_equal(coef(ardvark_fit(x, y, binomial())), coef(ardvark(y ~ x, family = binomial())), ignore_attr = TRUE)
})

test_that("many dummies are a sparse matrix", {
  skip_if_not_installed("Matrix")
  set.seed(1)
  level <- sample(40, 400, replace = TRUE)
  d <- data.frame(x = rnorm(400), f = factor(level))
  d$y <- d$x + (level == 3) * 4 + rnorm(400)
  formula <- y ~ x + f
  dense <- ardvark(formula, d)
  old <- options(ardvark.dense_bytes = 1000)
  on.exit(options(old))
  sparse <- ardvark(formula, d)
  expect_false(dense$is_sparse)
  expect_true(sparse$is_sparse)
  expect_s4_class(model.matrix(sparse), "dgCMatrix")
  expect_equal(coef(sparse), coef(dense), tolerance = 1e-6)
  expect_equal(sparse$results$group, dense$results$group)
  expect_equal(fitted(sparse), fitted(dense), tolerance = 1e-6)
  new <- d[1:5, ]
  new$f[2] <- NA
  for (type in c("response", "link", "terms")) {
    same <- if (type == "terms") -2 else 1:5  # of a sparse row with a gap no term is known
    expect_equal(as.matrix(predict(sparse, new, type = type))[same, ], as.matrix(predict(dense, new, type = type))[same, ], tolerance = 1e-6)
    expect_equal(predict(sparse, type = type), predict(dense, type = type), tolerance = 1e-6)
  }
  expect_equal(unname(is.na(predict(sparse, new))), c(FALSE, TRUE, FALSE, FALSE, FALSE))
  expect_equal(dim(predict(sparse, new, type = "draws", ndraws = 3)), c(3L, 5L))
  expect_equal(coef(ardvark(y ~ x + f - 1, d)), {
    options(old)
    coef(ardvark(y ~ x + f - 1, d))
  }, tolerance = 1e-6)
  expect_error(ardvark::compare(sparse), "no sparse table", class = "ardvark_error")
})

test_that("sparse matrices", {
  skip_if_not_installed("Matrix")
  set.seed(1)
  x <- Matrix::rsparsematrix(200, 30, 0.1)
  colnames(x) <- paste0("g", 1:30)
  dense <- as.matrix(x)
  eta <- 2 * dense[, 1] - dense[, 2]
  responses <- list(gaussian = eta + rnorm(200) / 2, binomial = rbinom(200, 1, plogis(eta)), poisson = rpois(200, exp(eta / 2)))
  for (family in names(responses)) {
    for (prior in c("auto", "shared")) {
      fit <- suppressWarnings(ardvark_fit(x, responses[[family]], family, prior = prior))
      reference <- suppressWarnings(ardvark_fit(dense, responses[[family]], family, prior = prior))
      expect_equal(coef(fit), coef(reference), tolerance = 1e-6)
      expect_equal(predict(fit, x[1:5, ]), predict(reference, dense[1:5, ]), tolerance = 1e-6)
      expect_equal(predict(fit, dense[1:5, ]), predict(fit, x[1:5, ]), tolerance = 1e-8)
    }
  }
  triplets <- as(as(x, "TsparseMatrix"), "generalMatrix")
  expect_equal(coef(ardvark_fit(triplets, responses$gaussian)), coef(ardvark_fit(x, responses$gaussian)))
  truths <- x != 0
  expect_equal(coef(ardvark_fit(truths, responses$gaussian)), coef(ardvark_fit((dense != 0) + 0, responses$gaussian)), tolerance = 1e-6)
  counts <- cbind(rbinom(200, 5, plogis(eta)), 2)
  expect_equal(coef(ardvark_fit(x, counts, binomial())), coef(ardvark_fit(dense, counts, binomial())), tolerance = 1e-6)
})
