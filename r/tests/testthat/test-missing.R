# Rows with missing values: as na.action says, or filled in.

gaps <- airquality  # Ozone and Solar.R have gaps

test_that("na.omit and na.exclude", {
  omitted <- ardvark(Ozone ~ Solar.R + Wind + Temp, gaps)
  excluded <- ardvark(Ozone ~ Solar.R + Wind + Temp, gaps, na.action = na.exclude)
  expect_equal(coef(omitted), coef(excluded))
  expect_equal(nobs(excluded), 111)
  expect_length(fitted(omitted), 111)
  reference <- lm(Ozone ~ Solar.R + Wind + Temp, gaps, na.action = na.exclude)
  for (padded in list(fitted(excluded), residuals(excluded), predict(excluded))) {
    expect_equal(names(padded), names(fitted(reference)))
    expect_equal(is.na(padded), is.na(fitted(reference)))
  }
  expect_equal(nrow(predict(excluded, interval = "confidence")), 153)
  expect_error(ardvark(Ozone ~ Wind, gaps, na.action = na.fail), "missing values in object")
  expect_error(ardvark(Ozone ~ Wind, gaps, na.action = na.pass), "na.action = na.omit", class = "ardvark_error")
})

test_that("new rows with gaps", {
  fit <- ardvark(Ozone ~ Solar.R + Wind + Temp, gaps)
  new <- gaps[4:7, ]  # the second and third have no Solar.R
  predicted <- predict(fit, new, interval = "prediction", se.fit = TRUE)
  expect_equal(unname(is.na(predicted$fit[, "fit"])), c(FALSE, TRUE, TRUE, FALSE))
  expect_equal(unname(is.na(predicted$se.fit)), c(FALSE, TRUE, TRUE, FALSE))
  expect_equal(rownames(predicted$fit), c("4", "5", "6", "7"))
  expect_equal(predict(fit, new)[c(1, 4)], predict(fit, new[c(1, 4), ]))
  expect_length(predict(fit, new, na.action = na.omit), 2)
  expect_equal(unname(predict(fit, new[2:3, ])), c(NA_real_, NA_real_))
  expect_equal(dim(predict(fit, new, type = "draws", ndraws = 3)), c(3L, 4L))
  expect_equal(nrow(predict(fit, new, type = "terms")), 4)
  expect_length(predict(fit, new[0, ]), 0)
})

test_that("filled gaps are those of the program", {
  fit <- ardvark(Ozone ~ Solar.R + Wind + Temp, gaps, impute = TRUE)
  expect_equal(nobs(fit), 116)  # rows without a response are left out
  expect_equal(fit$results$missing$gaps, 5)
  table <- gaps[c("Ozone", "Solar.R", "Wind", "Temp")]
  table[] <- lapply(table, function(column) ifelse(is.na(column), "NA", sprintf("%.17g", column)))
  file <- tempfile(fileext = ".csv")
  write.csv(table, file, row.names = FALSE, quote = FALSE)
  expect_same_fit(fit, shell("fit", file, "--target", "Ozone", "--model", "linear", "--missing", "impute", "--json"))
  expect_false(anyNA(predict(fit, gaps[4:7, ])))
  expect_false(anyNA(fitted(fit)))
  draws <- predict(fit, gaps[4:7, ], type = "draws", ndraws = 2)
  expect_equal(unname(is.na(draws[1, ])), c(FALSE, TRUE, TRUE, FALSE))
  gaps$month <- factor(gaps$Month)
  with_factor <- ardvark(Ozone ~ Solar.R + month, gaps, impute = TRUE)
  expect_equal(unname(is.na(predict(with_factor, transform(gaps[4:6, ], month = c("5", NA, "5"))))), c(FALSE, TRUE, FALSE))
  error <- expect_error(ardvark(Ozone ~ month, transform(gaps, month = replace(month, 3, NA)), impute = TRUE), "addNA", class = "ardvark_error")
  expect_equal(error$column, "month")
})
