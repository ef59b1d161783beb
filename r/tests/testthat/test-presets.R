# Published programs as fits: the numbers of the program, the methods of R.

set.seed(6)
x <- matrix(rnorm(80 * 4), 80, dimnames = list(NULL, c("a", "b", "c", "d")))
number <- drop(x %*% c(2, 0, -1, 0)) + rnorm(80)
two <- ifelse(x[, 1] + rnorm(80) > 0, "yes", "no")
three <- c("u", "v", "w")[max.col(cbind(x[, 1:2], 0) + 0.5 * matrix(rnorm(240), 80))]

test_that("every preset has the numbers of the program", {
  skip_if(Sys.getenv("ARDVARK_PROGRAM") == "", "ARDVARK_PROGRAM does not name the program ardvark")
  for (preset in ardvark:::catalogue()$presets) {
    y <- if (preset$task == "linear") number else if (preset$several_classes) three else two
    said <- shell("fit", table_file(data.frame(x, y = y)), "--target", "y", "--preset", preset$name, "--json")
    fit <- suppressWarnings(ardvark_fit(x, y, preset = preset$name))
    expect_equal(fit$results$preset, if (!preset$kernel) preset$name, label = preset$name)
    for (name in c("mean", "bound")) {
      theirs <- if (is.list(said[[name]])) do.call(rbind, said[[name]]) else said[[name]]
      expect_near(fit$results[[name]], theirs, 1e-12, paste(preset$name, name))
    }
    expect_length(if (is.matrix(fitted(fit))) fitted(fit)[, 1] else fitted(fit), 80)
  }
})

test_that("the SLR toolbox by its names, with the methods of R", {
  fit <- slr_var(x, two)
  expect_s3_class(fit, "ardvark")
  expect_equal(coef(fit), coef(ardvark_fit(x, two, binomial(), preset = "slr_var")))
  expect_equal(names(coef(fit)), c("(Intercept)", "a", "b", "c", "d"))
  expect_equal(unname(predict(fit, x)), unname(fitted(fit)))
  expect_equal(fit$call[[1]], quote(slr_var))
  expect_output(print(fit), "slr_var\\(x = x, y = two\\)")
  # weights of scaled columns, by the program of the toolbox: its scores are the same
  toolbox <- biclsfy_slrvar(x, two, NULL, NULL, scale_mode = "none", mean_mode = "none", compat = TRUE, nlearn = 50)
  published <- suppressWarnings(slr_var(x, two, compat = TRUE, max_sweeps = 50, standardize = FALSE))
  expect_equal(unname(c(coef(published)[-1], coef(published)[1])), toolbox$ww, tolerance = 1e-10)
  several <- smlr(x, three)
  expect_equal(dim(coef(several)), c(3, 5))
  expect_equal(rowSums(predict(several, x)), rep(1, 80))
  expect_equal(rownames(coef(slr_var_ovo(x, three))), c("v/u", "w/u", "w/v"))
  vectors <- slr_rvm(x, two, kernel = "gaussian", width = 2)
  expect_s3_class(vectors, "ardvark_machine")
  expect_equal(nrow(relevance_vectors(vectors)), length(coef(vectors)) - 1L)
  for (program in list(slr_lap, rlr_var, rlr_lap, l1_slr_lap, l1_slr_c)) expect_length(coef(program(x, two)), 5)
  for (program in list(rmlr, slr_lap_ovr, slr_var_ovr, rlr_var_ovr)) expect_equal(dim(coef(program(x, three))), c(3, 5))
  file <- tempfile(fileext = ".ardvark")
  save_ardvark(fit, file)
  expect_identical(unname(predict(read_ardvark(file), x)), unname(predict(fit, x)))
})

test_that("bad input names the argument", {
  refused <- function(object, message, argument) {
    error <- expect_error(object, message, fixed = TRUE, class = "ardvark_error")
    expect_equal(error$argument, argument)
  }
  refused(ardvark_fit(x, two, preset = "slr"), "preset is \"slr\"; it must be one of vb_linear_fit", "preset")
  refused(ardvark_fit(x, two, "poisson", preset = "slr_var"), "family must be binomial with preset", "family")
  refused(ardvark(y ~ ., data.frame(x, y = two), binomial(), preset = "slr_var"), "preset is no option here: use ardvark_fit()", "preset")
  refused(ardvark_fit(x, two, prior = "ard", preset = "slr_var"), "prior is given, but preset \"slr_var\" has its own", "prior")
  refused(slr_var(x, three), "y has 3 levels", "y")
  refused(slr_var(x, two[-1]), "y has 79 entries; x has 80 rows", "y")
  refused(slr_var(x, two, nope = 1), "unused argument nope", "nope")
  refused(slr_var(replace(x, 5, NA), two), "x at row 5", "x")
  refused(slr_rvm(x, number), "y has the value", "y")
})
