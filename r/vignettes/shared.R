# What the pages share.
knitr::opts_chunk$set(error = FALSE, fig.width = 6, fig.height = 4)

# Of the processor, of one of some calls.
milliseconds <- function(call, repeats = 5) round(1000 * sum(system.time(for (i in seq_len(repeats)) call())[1:2]) / repeats)

# Ends a page whose packages are not installed, with a sentence.
need <- function(...) {
  absent <- Filter(function(package) !requireNamespace(package, quietly = TRUE), c(...))
  if (length(absent) == 0L) return(invisible())
  knitr::knit_exit()
  cat("This page needs what is not installed here: ", paste(absent, collapse = ", "), ".\n", sep = "")
}

# Numbers that bench/r of the sources measured.
measured <- function() read.csv("measured.csv", check.names = FALSE)
