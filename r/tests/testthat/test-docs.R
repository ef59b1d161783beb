# The blocks of the page run.

test_that("the page runs", {
  source <- Sys.getenv("ARDVARK_SOURCE")
  skip_if(source == "", "ARDVARK_SOURCE does not name the sources")
  lines <- readLines(file.path(source, "docs", "r.md"))
  begin <- which(lines == "```r")
  end <- which(lines == "```")
  expect_gte(length(begin), 3)
  here <- new.env(parent = globalenv())
  assign("compare", ardvark::compare, here)  # testthat has a function of this name, too
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (at in begin) {
    block <- lines[(at + 1):(end[end > at][1] - 1)]
    for (expression in parse(text = block)) expect_no_error(eval(expression, here))
  }
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
