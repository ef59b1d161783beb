# What the formula costs: seconds of a small fit and of loading, and time and memory of a formula with a million rows of twenty columns.
#   Rscript bench/r/formula.R           writes results/formula.csv. A part alone: Rscript bench/r/formula.R PART

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "data.R"))
given <- commandArgs(TRUE)

# The memory of this process, in use (VmRSS) or the most so far (VmHWM); Linux counts both.
megabytes <- function(which) as.numeric(gsub("[^0-9]", "", grep(paste0("^", which), readLines("/proc/self/status"), value = TRUE))) / 1024

# Seconds of an expression, and the most memory that it held beyond what was there before.
measured <- function(expression) {
  gc()
  cat(5, file = "/proc/self/clear_refs")  # the most so far begins again
  before <- megabytes("VmRSS")
  seconds <- processor_seconds(expression)
  c(seconds = seconds, megabytes = megabytes("VmHWM") - before)
}

table_of_numbers <- function(rows = 1e6, columns = 20) {
  set.seed(1)
  out <- as.data.frame(matrix(rnorm(rows * columns), rows))
  out$y <- rowSums(out[1:5]) + rnorm(rows)
  out
}

parts <- list(
  `load the package` = function() measured(library(ardvark)),
  `mtcars: ardvark(mpg ~ .)` = function() {
    library(ardvark)
    ardvark(mpg ~ ., mtcars)
    c(seconds = seconds_of_one(function() ardvark(mpg ~ ., mtcars), 51L), megabytes = NA)
  },
  `mtcars: ardvark_fit(x, y)` = function() {
    library(ardvark)
    x <- as.matrix(mtcars[-1L])
    ardvark_fit(x, mtcars$mpg)
    c(seconds = seconds_of_one(function() ardvark_fit(x, mtcars$mpg), 51L), megabytes = NA)
  },
  `1e6 x 20: model.frame and model.matrix` = function() {
    data <- table_of_numbers()
    measured({
      frame <- model.frame(y ~ ., data)
      X <- model.matrix(attr(frame, "terms"), frame)
    })
  },
  `1e6 x 20: lm(y ~ .)` = function() {
    data <- table_of_numbers()
    measured(lm(y ~ ., data))
  },
  `1e6 x 20: ardvark_fit(x, y)` = function() {
    library(ardvark)
    data <- table_of_numbers()
    x <- as.matrix(data[1:20])
    y <- data$y
    rm(data)
    measured(ardvark_fit(x, y))
  },
  `1e6 x 20: ardvark(y ~ .)` = function() {
    library(ardvark)
    data <- table_of_numbers()
    measured(ardvark(y ~ ., data))
  }
)

if (length(given) > 0L) {
  found <- parts[[given[1L]]]()
  cat("seconds", found[["seconds"]], "megabytes", found[["megabytes"]], "\n")
} else {
  rows <- lapply(names(parts), function(part) {
    # each in a process of its own; the median of five
    said <- replicate(5L, system2(file.path(R.home("bin"), "Rscript"), shQuote(c(file.path(here, "formula.R"), part)), stdout = TRUE))
    numbers <- suppressWarnings(vapply(strsplit(said, " "), function(words) as.numeric(words[c(2L, 4L)]), c(0, 0)))  # NA: not measured
    found <- apply(numbers, 1L, median)
    cat(part, found, "\n")
    data.frame(part, seconds = found[1L], megabytes = found[2L])
  })
  write.csv(do.call(rbind, rows), file.path(here, "results", "formula.csv"), row.names = FALSE)
}
