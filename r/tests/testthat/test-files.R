# saveRDS in one process and readRDS in another; model files of every language.

in_new_process <- function(code) {
  file <- tempfile(fileext = ".R")
  writeLines(code, file)
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", file), stdout = TRUE, stderr = TRUE, env = paste0("R_LIBS=", Sys.getenv("R_LIBS")))
}

test_that("a fit works in a new process", {
  fit <- ardvark(mpg ~ wt + factor(cyl), mtcars)
  file <- tempfile(fileext = ".rds")
  saveRDS(fit, file)
  said <- in_new_process(c(
    "library(ardvark)", sprintf("fit <- readRDS('%s')", file), "cat(sprintf('%.17g', predict(fit, mtcars[1:2, ])), '\\n')",
    "cat(sprintf('%.17g', vcov(fit)[2, 2]), '\\n')", "invisible(summary(update(fit, . ~ . - wt)))", "cat('done\\n')"
  ))
  expect_equal(trimws(said), c(paste(sprintf("%.17g", predict(fit, mtcars[1:2, ])), collapse = " "), sprintf("%.17g", vcov(fit)[2, 2]), "done"))
})

test_that("damaged bytes are an error", {
  fit <- ardvark(mpg ~ wt, mtcars)
  file <- tempfile(fileext = ".rds")
  saveRDS(fit, file)
  again <- readRDS(file)
  bytes <- again$model_held$bytes
  again$model_held$bytes <- bytes[seq_len(length(bytes) - 9L)]
  expect_error(predict(again, mtcars), class = "ardvark_error")
  again$model_held$bytes <- raw()
  expect_error(predict(again, mtcars), class = "ardvark_error")
  # of a version that is not known yet, with as many digits
  text <- rawToChar(replace(bytes, bytes == 0, charToRaw("~")))
  at <- regexpr("\"format_version\":\"[0-9]+", text, useBytes = TRUE)
  digits <- seq(at + nchar("\"format_version\":\""), at + attr(at, "match.length") - 1)
  again$model_held$bytes <- replace(bytes, digits, charToRaw("9"))
  expect_error(predict(again, mtcars), "was written by a newer ardvark .format 99", class = "ardvark_error")
  again$model_held <- NULL
  expect_error(predict(again, mtcars), "holds no model", class = "ardvark_error")
  expect_no_error(predict(fit, mtcars))
})

test_that("model files", {
  fit <- ardvark(mpg ~ wt + hp, mtcars)
  file <- tempfile(fileext = ".ardvark")
  expect_equal(save_ardvark(fit, file), file)
  again <- read_ardvark(file)
  expect_equal(coef(again), coef(fit))
  expect_equal(vcov(again), vcov(fit))
  expect_equal(confint(again), confint(fit))
  expect_equal(predict(again, mtcars[1:3, ]), predict(fit, mtcars[1:3, ]))
  expect_output(print(summary(again)), "wt")
  expect_equal(nobs(again), 32)
  for (method in list(fitted, residuals, deviance, simulate)) expect_error(method(again), class = "ardvark_error")
  expect_error(read_ardvark(tempfile()), "cannot open", class = "ardvark_error")
  expect_error(save_ardvark(fit, file.path(tempfile(), "x")), "does not exist", class = "ardvark_error")
  writeLines("text", file)
  expect_error(read_ardvark(file), "not an ardvark model", class = "ardvark_error")
})

test_that("a file of the program with text columns", {
  table <- transform(warpbreaks, wool = as.character(wool), tension = as.character(tension))
  file <- tempfile(fileext = ".ardvark")
  shell("fit", table_file(table), "--target", "breaks", "--model", "linear", "-o", file, "--json")
  fit <- read_ardvark(file)
  expected <- shell("predict", file, table_file(table), "--json")$mean
  expect_equal(unname(predict(fit, table)), expected, tolerance = 1e-12)
  expect_equal(unname(predict(fit, warpbreaks)), expected, tolerance = 1e-12)
  expect_error(predict(fit, warpbreaks["wool"]), "newdata has no column 'tension'", class = "ardvark_error")
  expect_error(predict(fit, transform(warpbreaks, wool = "C")), "wool", class = "ardvark_error")
  expect_error(predict(fit, transform(warpbreaks, wool = NA)), "wool", class = "ardvark_error")
})

test_that("a file of the program, with every family", {
  tables <- list(
    gaussian = list(mtcars, "mpg", "linear"),
    poisson = list(data.frame(breaks = warpbreaks$breaks, wool = unclass(warpbreaks$wool)), "breaks", "counts", "--family", "poisson"),
    multinomial = list(transform(iris, Species = as.character(Species)), "Species", "logistic")
  )
  for (family in names(tables)) {
    question <- tables[[family]]
    file <- tempfile(fileext = ".ardvark")
    csv <- table_file(question[[1]])
    said <- do.call(shell, c(list("fit", csv, "--target", question[[2]], "--model"), question[-(1:2)], list("-o", file, "--json")))
    fit <- read_ardvark(file)
    expect_equal(fit$family_name, family)
    expect_equal(unname(fit$results$mean), said$mean)
    predicted <- shell("predict", file, csv, "--json")
    ours <- predict(fit, question[[1]])
    theirs <- if (family == "multinomial") predicted$probability else predicted$mean
    expect_equal(as.vector(t(ours)), as.vector(theirs), tolerance = 1e-12)
  }
})

test_that("a path is one text", {
  fit <- ardvark(breaks ~ wool, warpbreaks)
  for (path in list(NA_character_, c("a", "b"), 1, NULL)) {
    expect_error(save_ardvark(fit, path), "file must be a path", class = "ardvark_error")
    expect_error(read_ardvark(path), "file must be a path", class = "ardvark_error")
  }
  expect_false(file.exists("NA"))
})
