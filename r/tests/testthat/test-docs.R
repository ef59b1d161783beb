# The blocks of the page run, and print what the page says.

# What a block of R prints.
said_by <- function(text, here) {
  file <- tempfile(fileext = ".R")
  writeLines(text, file)
  capture.output(source(file, local = here, print.eval = TRUE))
}

# Begin and end of each block, with its language.
blocks_of <- function(lines) {
  begin <- grep("^```[a-z]+$", lines)
  end <- which(lines == "```")
  lapply(begin, function(at) list(language = sub("```", "", lines[at]), text = lines[(at + 1):(end[end > at][1] - 1)]))
}

test_that("the page runs", {
  source <- Sys.getenv("ARDVARK_SOURCE")
  skip_if(source == "", "ARDVARK_SOURCE does not name the sources")
  for (host in c("MASS", "broom", "emmeans", "parameters", "performance", "posterior")) skip_if_not_installed(host)
  blocks <- blocks_of(readLines(file.path(source, "docs", "r.md")))
  here <- new.env(parent = globalenv())
  assign("compare", ardvark::compare, here)  # testthat has a function of this name, too
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  printed <- NULL
  for (block in blocks) {
    if (block$language == "r") {
      printed <- said_by(block$text, here)
    } else {
      expect_equal(trimws(printed, "right"), block$text)
    }
  }
  expect_gte(length(blocks), 6)
})

test_that("the example of the README runs", {
  source <- Sys.getenv("ARDVARK_SOURCE")
  skip_if(source == "", "ARDVARK_SOURCE does not name the sources")
  blocks <- Filter(function(block) block$language == "r", blocks_of(readLines(file.path(source, "README.md"))))
  expect_length(blocks, 1)
  printed <- said_by(blocks[[1]]$text, new.env(parent = globalenv()))
  expect_true(any(grepl("^Linear regression, prior sparse, 32 rows, 10 columns", printed)))
  expect_true(any(grepl("fit +lwr +upr", printed)))
})

test_that("the examples of the help run", {
  skip_if(tools::file_ext(system.file("help", "ardvark.rdb", package = "ardvark")) != "rdb", "the help is not installed")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (page in names(tools::Rd_db("ardvark"))) {
    file <- tempfile(fileext = ".R")
    tools::Rd2ex(tools::Rd_db("ardvark")[[page]], file)
    here <- new.env(parent = globalenv())
    assign("compare", ardvark::compare, here)
    expect_no_error(suppressWarnings(source(file, local = here, echo = FALSE)))
  }
})
