# Each vignette runs, with the checks of its claims; one whose package is not installed says so.

sources <- Sys.getenv("ARDVARK_SOURCE")
pages <- Sys.glob(file.path(sources, "r", "vignettes", "*.Rmd"))

# The page as knitr writes it, in a copy of the folder.
knitted <- function(page, hidden = character()) {
  folder <- tempfile("vignettes")
  dir.create(folder)
  file.copy(list.files(dirname(page), full.names = TRUE), folder)
  setup <- file.path(folder, "shared.R")
  if (length(hidden) > 0L) {  # as if these packages were not there
    write(sprintf("requireNamespace <- function(package, ...) !package %%in%% %s", deparse1(hidden)), setup, append = TRUE)
  }
  old <- setwd(folder)
  on.exit(setwd(old))
  here <- new.env(parent = globalenv())
  assign("compare", ardvark::compare, here)  # testthat has a function of this name, too
  file <- suppressMessages(knitr::knit(basename(page), quiet = TRUE, envir = here))
  readLines(file)
}

test_that("there is a page for each program that people come from", {
  skip_if(sources == "", "ARDVARK_SOURCE does not name the sources")
  expect_setequal(basename(pages), paste0("from-", c("BMS", "glm", "glm-nb", "glmnet", "kernlab", "mice", "rstanarm"), ".Rmd"))
})

for (page in pages) {
  test_that(paste(basename(page), "runs, and its claims hold"), {
    skip_if_not_installed("knitr")
    seconds <- system.time(lines <- knitted(page))
    absent <- grep("not installed", lines, value = TRUE)
    if (length(absent) > 0L) skip(absent[1L])
    expect_gte(sum(grepl("^## ", lines)), 3)
    expect_gte(sum(grepl("stopifnot", readLines(page))), 1)
    expect_lt(sum(seconds[c("user.self", "sys.self")]), 10)
  })

  test_that(paste(basename(page), "says what is not installed"), {
    skip_if_not_installed("knitr")
    lines <- knitted(page, c("BMS", "glmnet", "kernlab", "MASS", "mice", "rstanarm"))
    expect_true(any(grepl("not installed", lines)))
  })
}
