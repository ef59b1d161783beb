# The programs of the SLR toolbox: what the published ones returned, the program, tables and options, bad input.

# A folder of references, as slr_biclsfy_rvm_gauss_R_07__nlearn20, says the program, what differs from the other cases, and the sweeps.
called_as <- function(folder) {
  parts <- regmatches(folder, regexec("^slr_((?:bi|mu)clsfy_[a-z0-9]+)(.*)__nlearn([0-9]+)$", folder, perl = TRUE))[[1]]
  program <- parts[2]
  word <- sub("^_gauss", "", sub("_smw$", "", parts[3]))
  given <- switch(word,
    `_gamma1_4` = list(4),
    `_R_07` = list(0.7),
    `_gamma0_05` = list(gamma0 = 0.5),
    `_usebias_0` = list(usebias = 0),
    `_combine_mode_1` = list(combine_mode = 1),
    `_ax0_3` = list(ax0 = 3),
    `_ax0_ramp` = list(ax0 = 1 + (1:15) / 4),
    list()
  )
  extra <- if (grepl("biclsfy_(rvm|l1)", program)) (if (word %in% c("_gamma1_4", "_R_07")) given else list(1))
  if (word %in% c("_gamma1_4", "_R_07")) given <- list()
  passes <- as.numeric(parts[4])
  if (grepl("_gauss", parts[3])) given$kernel <- "Gaussian"
  list(program = program, arguments = c(extra, given, list(nlearn = passes, nstep = passes, compat = TRUE)))
}

test_that("with compat, the outputs are those of the published programs", {
  folders <- list.dirs(file.path(reference_folder(), c("syn_over", "syn_rankdef", "syn_under", "synth", "iris_multiclass")), recursive = FALSE)
  cases <- folders[grepl("/slr_(bi|mu)clsfy_", folders)]
  expect_gte(length(cases), 100)
  for (case in cases) {
    set <- basename(dirname(case))
    at <- basename(case)
    if (set == "iris_multiclass") {
      X <- reference(set, "X.csv")
      Z <- reference(set, "X_test.csv")
      t <- as.vector(reference(set, "t.csv"))
      tz <- as.vector(reference(set, "t_test.csv"))
    } else {
      X <- reference_design(set, "X")
      kept <- 2:(ncol(X) - (set == "syn_rankdef"))  # without the column of ones and the column of zeros
      Z <- reference_design(set, "X_test")
      X <- X[, kept, drop = FALSE]
      Z <- if (is.null(Z)) X else Z[, kept, drop = FALSE]
      t <- as.numeric(reference(set, "y_log.csv") > 0)
      tz <- rep_len(t, nrow(Z))
    }
    asked <- called_as(at)
    out <- suppressWarnings(do.call(asked$program, c(list(X, t, Z, tz), asked$arguments)))
    where <- paste(set, at)
    expect_near(out$ww, reference(set, at, "ww.csv"), 1e-8, where)
    for (name in c("Ptr", "Pte")) {
      P <- reference(set, at, paste0(name, ".csv"))
      if (is.null(P)) next
      ours <- if (ncol(P) == 1L) out[[name]][, 2] else out[[name]]
      expect_lte(max(abs(as.vector(ours) - as.vector(P))), 1e-8, label = paste(where, name))
    }
    for (name in c("errTable_tr", if (set == "iris_multiclass") "errTable_te")) {
      counts <- reference(set, at, paste0(name, ".csv"))
      if (!is.null(counts)) expect_equal(as.vector(out[[name]]), as.vector(counts), label = paste(where, name))
    }
    if (!file.exists(file.path(case, "ix_eff.csv"))) next
    left <- sort(unique(as.vector(reference(set, at, "ix_eff.csv"))))
    if (asked$program != "biclsfy_rvm") left <- left[left <= ncol(X)]
    expect_equal(sort(unique(as.numeric(unlist(out$ix_eff_all)))), as.numeric(left), label = paste(where, "ix_eff_all"))
  }
})

set.seed(5)
x <- matrix(rnorm(200 * 10), 200)
t <- as.numeric(x[, 1] - x[, 2] + 0.3 * rnorm(200) > 0)
three <- max.col(cbind(x[, 1:2], 0) + 0.3 * matrix(rnorm(600), 200))
first <- 1:150

test_that("relevant columns are found, and the tables count every row", {
  out <- biclsfy_slrvar(x[first, ], t[first], x[-first, ], t[-first])
  expect_equal(names(out), c("ww", "ix_eff_all", "errTable_tr", "errTable_te", "parm", "AXall", "Ptr", "Pte"))
  expect_true(all(1:2 %in% out$ix_eff_all[[1]]))
  expect_true(out$ww[1] > 0 && out$ww[2] < 0)
  expect_equal(sum(out$errTable_tr), 150)
  expect_equal(out$errTable_te, unclass(table(t[-first], as.numeric(out$Pte[, 2] >= 0.5), dnn = NULL)), ignore_attr = TRUE)
  expect_equal(rowSums(out$Ptr), rep(1, 150))
  expect_equal(out$parm$nfeat, 11)
  # a factor, texts and other numbers are the same classes
  named <- biclsfy_slrvar(x[first, ], factor(t[first], labels = c("no", "yes")), x[-first, ], c("no", "yes")[t[-first] + 1])
  expect_equal(dimnames(named$errTable_te), list(c("no", "yes"), c("no", "yes")))
  expect_identical(unname(named$Pte), unname(out$Pte))
  none <- biclsfy_slrvar(x[first, ], t[first], NULL, NULL)
  expect_equal(dim(none$Pte), c(0, 2))
  expect_equal(none$ww, out$ww)
})

test_that("every program runs by its name, with converged fits", {
  of_two <- c("biclsfy_slrvar", "biclsfy_slrlap", "biclsfy_rlrvar", "biclsfy_rlrlap", "biclsfy_rvm", "biclsfy_l1slrlap", "biclsfy_l1slrc")
  for (program in of_two) {
    out <- do.call(program, c(list(x[first, ], t[first], x[-first, ], t[-first]), if (grepl("l1", program)) list(gamma1 = 2)))
    expect_gt(sum(diag(out$errTable_te)), 40, label = program)
  }
  for (program in c("smlr", "rmlr", "slrlapovrm", "slrvarovrm", "rlrvarovrm", "slrvarovo")) {
    out <- do.call(paste0("muclsfy_", program), list(x[first, ], three[first], x[-first, ], three[-first]))
    expect_equal(dim(out$ww), c(11, 3), label = program)
    expect_gt(sum(diag(out$errTable_te)), 30, label = program)  # by chance 17
    expect_equal(rowSums(out$Pte), rep(1, 50), label = program)
  }
  expect_equal(out$pairs, rbind(c(1, 2), c(1, 3), c(2, 3)))
  # the mode of a Laplace prior by two programs: gamma1 of one is the square of that of the other
  by_weights <- biclsfy_l1slrc(x, t, NULL, NULL, 2)$ww
  expect_equal(biclsfy_l1slrlap(x, t, NULL, NULL, 4)$ww, by_weights, tolerance = 1e-6)
})

test_that("scales are those of the toolbox", {
  y <- x %*% diag(1:10) + 2
  z <- scale(y)
  of_library <- biclsfy_slrvar(y, t, y, t, scale_mode = "stdeach")
  by_hand <- biclsfy_slrvar(z, t, z, t, scale_mode = "none", mean_mode = "none")
  expect_equal(of_library$ww, by_hand$ww, tolerance = 1e-9)
  separate <- biclsfy_slrvar(y[first, ], t[first], y[-first, ], t[-first], norm_sep = 1)
  scaled <- function(v) sweep(sweep(v, 2, colMeans(v)), 2, apply(abs(sweep(v, 2, colMeans(v))), 2, max), "/")
  by_hand <- biclsfy_slrvar(scaled(y[first, ]), t[first], scaled(y[-first, ]), t[-first], scale_mode = "none", mean_mode = "none")
  expect_equal(separate$Pte, by_hand$Pte, tolerance = 1e-9)
})

test_that("selection counts", {
  folds <- list(list(ix_eff_all = list(c(1, 3)), errTable_te = rbind(c(8, 2), c(3, 7)), g = list(nfeat = 5)),
                list(ix_eff_all = list(3), errTable_te = rbind(c(9, 1), c(0, 10)), g = list(nfeat = 5)))
  found <- calc_SCval(folds)
  expect_equal(found$SC, c(0.75, 0, 1.7, 0))
  expect_equal(found$NCORRECT_TE, c(75, 95))
  expect_equal(calc_SCval(folds, noweight = 1)$SC, c(1, 0, 2, 0))
  expect_equal(calc_SCval(folds, thres = 0.8)$SC, c(0, 0, 1, 0))
  several <- lapply(1:3, function(k) {
    test <- seq(k, 200, 3)
    out <- muclsfy_smlr(x[-test, ], three[-test], x[test, ], three[test])
    list(ix_eff_all = out$ix_eff_all, errTable_te = out$errTable_te, g = out$parm)
  })
  expect_length(calc_SCval(several)$SC, 10)
  expect_true(all(calc_SCval(several)$SC >= calc_SCval(several, compat = TRUE)$SC))
  expect_error(calc_SCval(3), "CVRes must be a list", class = "ardvark_error")
  expect_error(calc_SCval(list(list(g = list(nfeat = 3)))), "neither errTable_te nor Ncorrect_te", class = "ardvark_error")
})

test_that("bad input names the argument", {
  refused <- function(object, message, argument) {
    error <- expect_error(object, message, fixed = TRUE, class = "ardvark_error")
    expect_equal(error$argument, argument)
  }
  refused(biclsfy_slrvar(x, three, NULL, NULL), "t_train has 3 classes; there must be two", "t_train")
  refused(biclsfy_slrvar(x, t[-1], NULL, NULL), "t_train has 199 entries; there are 200 rows", "t_train")
  refused(biclsfy_slrvar(x, replace(t, 4, NA), NULL, NULL), "t_train at row 4 is NA", "t_train")
  refused(biclsfy_slrvar(x, replace(as.character(t), 4, NA), NULL, NULL), "t_train at row 4 is missing", "t_train")
  refused(biclsfy_slrvar(x, t, x[1:2, ], c(1, 7)), "t_test at row 2 is 7, which is not a class of t_train", "t_test")
  refused(biclsfy_slrvar(x, t, x[1:2, ], 1), "t_test has 1 entries; x_test has 2 rows", "t_test")
  refused(biclsfy_slrvar(x, t, x[, 1:2], t), "x_test has 2 columns; x_train has 10", "x_test")
  refused(biclsfy_slrvar(x[0, ], numeric(), NULL, NULL), "x_train is empty", "x_train")
  refused(biclsfy_slrvar(replace(x, 3, NA), t, NULL, NULL), "x_train at row 3", "x_train")
  refused(biclsfy_slrvar(as.data.frame(x), t, NULL, NULL), "x_train is a data frame", "x_train")
  refused(biclsfy_slrvar(x, t, NULL, NULL, nlern = 3), "there is no option 'nlern'; the options are scale_mode", "nlern")
  refused(biclsfy_slrvar(x, t, NULL, NULL, scale_mode = "median"), "scale_mode is \"median\"; it must be one of each", "scale_mode")
  refused(biclsfy_slrvar(x, t, NULL, NULL, usebias = 2), "usebias is 2; it must be 0 or 1", "usebias")
  refused(biclsfy_slrvar(x, t, NULL, NULL, nlearn = 1.5), "nlearn is 1.5", "nlearn")
  refused(biclsfy_slrvar(x, t, NULL, NULL, amax = 0), "amax is 0", "amax")
  refused(biclsfy_slrvar(x, t, NULL, NULL, ax0 = c(1, 2)), "ax0 has 2 entries; it must have 11", "ax0")
  refused(biclsfy_slrvar(x, t, NULL, NULL, compat = 1), "compat must be TRUE or FALSE", "compat")
  refused(biclsfy_l1slrc(x, t, NULL, NULL, -1), "gamma1 must be a number > 0", "gamma1")
  refused(biclsfy_rvm(x, t, NULL, NULL, kernel = "Gaussian"), "R must be a number > 0", "R")
  refused(biclsfy_rvm(x, t, NULL, NULL, kernel = "spline"), "kernel is \"spline\"", "kernel")
  refused(muclsfy_slrvarovrm(x, three, NULL, NULL, reduceparm = 1), "reduceparm is 1; it must be 0", "reduceparm")
  expect_error(biclsfy_slrvar(x, t, NULL, NULL, 5), "an option has no name", class = "ardvark_error")
})
