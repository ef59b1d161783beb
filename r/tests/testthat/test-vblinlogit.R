# The functions of VBLinLogit: what the published programs returned, the equations of the fit, the program, bad input.

test_that("with compat, the outputs are those of the published programs", {
  sets <- c("boston_raw", "boston_std", "pima_std", "sinc_rbf", "syn_over", "syn_rankdef", "syn_tall", "syn_under", "synth", "synth_rbf")
  hyper <- list(linear = list(a0 = 1, b0 = 2, c0 = 0.5, d0 = 0.1), logit = list(a0 = 1, b0 = 0.5))
  files <- list.dirs(file.path(reference_folder(), sets), recursive = FALSE)
  cases <- files[grepl("/vb_.*__(default|alt|one_class)$", files)]
  expect_gte(length(cases), 45)
  for (case in cases) {
    set <- basename(dirname(case))
    program <- sub("__.*", "", basename(case))
    model <- if (grepl("linear", program)) "linear" else "logit"
    X <- reference_design(set, "X")
    y <- as.vector(reference(set, if (model == "linear") "y_reg.csv" else "y_log.csv"))
    if (grepl("one_class", case)) y <- rep(1, nrow(X))
    prior <- if (grepl("__alt", case)) hyper[[model]]
    published <- if (program != "vb_logit_fit_iter") list(compat = TRUE)
    fit <- suppressWarnings(do.call(program, c(list(X, y), prior, published)))
    for (name in names(fit)) {
      expected <- reference(set, basename(case), paste0(name, ".csv"))
      if (!is.null(expected)) expect_near(fit[[name]], expected, 1e-9, paste(set, basename(case), name))
    }
    variance <- as.vector(reference(set, basename(case), "Vdiag.csv"))
    # the ends of a long chain of sums, with more columns than rows
    allowed <- if (set == "syn_under" && program == "vb_linear_fit_ard") 5e-9 else 1e-9
    expect_lte(max(abs(diag(fit$V) - variance) / variance), allowed, label = paste(set, basename(case), "Vdiag"))
    expect_lte(norm(fit$invV %*% fit$V - diag(ncol(X)), "1") / (norm(fit$invV, "1") * norm(fit$V, "1")), 1e-9)
    X_test <- reference_design(set, "X_test")
    if (model == "linear" && !is.null(reference(set, basename(case), "pred_mu.csv"))) {
      predicted <- vb_linear_pred(if (is.null(X_test)) X else X_test, fit$w, fit$V, fit$an, fit$bn)
      for (name in c("mu", "lambda", "nu")) {
        expect_near(predicted[[name]], reference(set, basename(case), paste0("pred_", name, ".csv")), 1e-9, paste(set, basename(case), name))
      }
    }
    if (model == "linear") next
    for (what in c("train", "test")) {
      Z <- if (what == "train") X else X_test
      for (f in c("vb_logit_pred", "vb_logit_pred_incr")) {
        expected <- reference(set, basename(case), sprintf("%s_%s.csv", f, what))
        if (is.null(expected) || is.null(Z)) next
        p <- do.call(f, list(Z, fit$w, fit$V, fit$invV, compat = TRUE))
        expect_near(p, expected, 1e-9, paste(set, basename(case), f, what))
      }
    }
  }
})

set.seed(4)
X <- cbind(one = 1, a = rnorm(60), b = rnorm(60))
y <- drop(X %*% c(1, 2, 0)) + 0.5 * rnorm(60)
label <- ifelse(X[, "a"] + rlogis(60) > 0, 1, -1)

test_that("without compat, the equations of the fit hold", {
  fit <- vb_linear_fit(X, y)
  expect_equal(fit$w, drop(fit$V %*% crossprod(X, y)), tolerance = 1e-9)
  expect_equal(fit$invV, solve(fit$V), tolerance = 1e-9)
  expect_equal(fit$logdetV, as.numeric(determinant(fit$V)$modulus), tolerance = 1e-9)
  expect_equal(fit$invV, crossprod(X) + diag(fit$E_a, 3), tolerance = 1e-6, ignore_attr = TRUE)
  expect_equal(names(fit), c("w", "V", "invV", "logdetV", "an", "bn", "E_a", "L"))
  expect_equal(fit$an, 1e-2 + 60 / 2)
  each <- vb_linear_fit_ard(X, y)
  expect_length(each$E_a, 3)
  expect_equal(each$invV, crossprod(X) + diag(each$E_a), tolerance = 1e-6, ignore_attr = TRUE)
  predicted <- vb_linear_pred(X, fit$w, fit$V, fit$an, fit$bn)
  expect_equal(predicted$mu, drop(X %*% fit$w), ignore_attr = TRUE)
  expect_equal(predicted$lambda, fit$an / fit$bn / (1 + rowSums((X %*% fit$V) * X)), ignore_attr = TRUE)
  expect_equal(predicted$nu, 2 * fit$an)
  expect_equal(vb_linear_fit(X, y, a0 = 1e-2, b0 = 1e-4, c0 = 1e-2, d0 = 1e-4)$L, fit$L)
})

test_that("classes", {
  fit <- vb_logit_fit(X, label)
  p <- vb_logit_pred(X, fit$w, fit$V)
  # the integral over N(w'x, x'Vx), by R
  by_integral <- vapply(1:5, function(i) {
    m <- sum(X[i, ] * fit$w)
    s <- sqrt(drop(X[i, ] %*% fit$V %*% X[i, ]))
    integrate(function(u) plogis(u) * dnorm(u, m, s), m - 12 * s, m + 12 * s, rel.tol = 1e-10)$value
  }, 0)
  expect_equal(p[1:5], by_integral, tolerance = 1e-8)
  expect_equal(p + vb_logit_pred(-X, fit$w, fit$V), rep(1, 60))
  expect_identical(vb_logit_pred_incr(X, fit$w, fit$V), p)
  expect_identical(vb_logit_pred_iter(X, fit$w, fit$V), p)
  expect_true(all(vb_logit_pred(X, fit$w, fit$V, fit$invV, compat = TRUE) < p))  # a lower bound
  expect_equal(vb_logit_fit_ard(X, label)$invV, solve(vb_logit_fit_ard(X, label)$V), tolerance = 1e-8)
  one <- vb_logit_fit_iter(rbind(c(1, 0), c(0.5, 1)), c(1, 1))
  expect_equal(one$V %*% one$invV, diag(2))
  expect_lt(abs(vb_logit_pred(matrix(sqrt(10)), 0, 1, 1, compat = TRUE) - 0.437), 6e-4)  # as in the docs, of one half
})

test_that("the numbers are those of the program", {
  skip_if(Sys.getenv("ARDVARK_PROGRAM") == "", "ARDVARK_PROGRAM does not name the program ardvark")
  for (preset in c("vb_linear_fit", "vb_linear_fit_ard", "vb_logit_fit", "vb_logit_fit_ard", "vb_logit_fit_iter")) {
    is_linear <- grepl("linear", preset)
    table <- data.frame(X, y = if (is_linear) y else label)
    said <- shell("fit", table_file(table), "--target", "y", "--preset", preset, "--json", if (preset != "vb_logit_fit_iter") "--compat")
    fit <- do.call(preset, c(list(X, table$y), if (preset != "vb_logit_fit_iter") list(compat = TRUE)))
    expect_near(fit$w, said$mean, 1e-12, preset)
    expect_near(diag(fit$V), said$V_diagonal, 1e-12, preset)
    if (!is.null(fit$L)) expect_near(fit$L, said$bound, 1e-12, preset)
    if (!is.null(fit$E_a)) expect_near(fit$E_a, said$precision, 1e-12, preset)
    if (is_linear) expect_near(c(fit$an, fit$bn), c(said$noise$shape, said$noise$rate), 1e-12, preset)
  }
})

test_that("bad input names the argument", {
  refused <- function(object, message, argument) {
    error <- expect_error(object, message, fixed = TRUE, class = "ardvark_error")
    expect_equal(error$argument, argument)
  }
  refused(vb_linear_fit(X, y[-1]), "y has 59 entries; there are 60 rows", "y")
  refused(vb_linear_fit(X, letters[1:60]), "y is of class character", "y")
  refused(vb_linear_fit(replace(X, 2, NA), y), "X at row 2", "X")
  refused(vb_linear_fit(X, replace(y, 3, NA)), "y at row 3", "y")
  refused(vb_linear_fit(as.data.frame(X), y), "X is a data frame", "X")
  refused(vb_linear_fit(X, y, b0 = -1), "b0 must be a number > 0", "b0")
  refused(vb_linear_fit(X, y, compat = NA), "compat must be TRUE or FALSE", "compat")
  refused(vb_logit_fit(X, (label + 1) / 2), "it must be -1 or 1", "y")
  refused(vb_logit_fit(X, factor(label)), "y is of class factor", "y")
  refused(vb_logit_fit_iter(X[, 0], label), "it must have a column", "X")
  fit <- vb_logit_fit(X, label)
  refused(vb_logit_pred(X[, 1:2], fit$w, fit$V), "X has 2 columns; it must have 3", "X")
  refused(vb_logit_pred(X, fit$w, fit$V[1:2, 1:2]), "V is 2 x 2; it must be 3 x 3", "V")
  refused(vb_logit_pred(X, fit$w, fit$V, compat = TRUE), "invV is needed", "invV")
  refused(vb_logit_pred(X, "a", fit$V), "w is of class character", "w")
  refused(vb_linear_pred(X, fit$w, fit$V, 0, 1), "an must be a number > 0", "an")
  expect_error(vb_linear_fit(X), "\"y\" is missing")
  expect_warning(vb_logit_fit(X, ifelse(X[, "a"] > 0, 1, -1), compat = TRUE), "not converged after 500 sweeps", class = "ardvark_warning")
})
