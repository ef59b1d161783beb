# Reports: a fit as one page of HTML.

page_of <- function(fit, ...) {
  file <- tempfile(fileext = ".html")
  expect_identical(report(fit, file, ...), file)
  expect_lt(file.size(file), 300000)
  paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
}
has <- function(page, text) expect_true(grepl(text, page, fixed = TRUE), label = sprintf("the page has \"%s\"", text))

test_that("a regression has its rows and its call", {
  fit <- ardvark(mpg ~ wt + factor(cyl), mtcars, prior = "shared")
  page <- page_of(fit, title = "Cars & <more>")
  has(page, "<h1>Cars &amp; &lt;more&gt;</h1>")
  has(page, "They are the rows of the fit")
  has(page, "ardvark(formula = mpg ~ wt + factor(cyl), data = mtcars, prior = &quot;shared&quot;)")
  has(page, sprintf("%.4f", 1 - sum((mtcars$mpg - fitted(fit))^2) / sum((mtcars$mpg - mean(mtcars$mpg))^2)))
})

test_that("other rows are compared, without those that have a gap", {
  fit <- ardvark(mpg ~ wt + hp, mtcars[1:20, ])
  new <- mtcars[21:32, ]
  new$mpg[1] <- NA
  new$hp[2] <- NA
  page <- page_of(fit, newdata = new)
  has(page, "11 rows; 10 have a known target")
  has(page, "They are other rows than those of the fit")
})

test_that("classes, counts, machines and matrices have theirs", {
  two <- ardvark(am ~ wt + hp, mtcars, family = binomial(), prior = "shared")
  has(page_of(two), "They are the rows of the fit")
  several <- ardvark(Species ~ ., iris, family = "multinomial")
  has(page_of(several), "They are the rows of the fit")
  counts <- ardvark(carb ~ wt + offset(log(cyl)), mtcars, family = poisson())
  has(page_of(counts), "They are the rows of the fit")
  shifted <- ardvark(mpg ~ wt + offset(hp / 10), mtcars)
  has(page_of(shifted), "They are the rows of the fit")
  has(page_of(rvm(mpg ~ wt, mtcars)), "mpg over wt")
  has(page_of(kernel_machine(mpg ~ wt, mtcars)), "They are the rows of the fit")
  grouped <- ardvark(cbind(ncases, ncontrols) ~ agegp, esoph, family = binomial())
  expect_false(grepl("Predictions and observations", page_of(grouped)))
  of_matrix <- ardvark_fit(as.matrix(mtcars[2:5]), mtcars$mpg)
  expect_false(grepl("Predictions and observations", page_of(of_matrix)))
  has(page_of(of_matrix, newdata = as.matrix(mtcars[2:5]), response = mtcars$mpg), "They are the rows of the fit")
})

test_that("what is wrong is refused", {
  fit <- ardvark(mpg ~ wt, mtcars)
  file <- tempfile(fileext = ".html")
  refused <- function(..., about) expect_error(report(fit, ...), about, class = "ardvark_error")
  refused(file, level = 2, about = "level")
  refused(file, title = 1, about = "title must be a text")
  refused(1, about = "file must be a path")
  refused(file, response = mtcars$mpg, about = "without newdata")
  refused(file, newdata = mtcars["mpg"], about = "no column 'wt'")
  refused(file, newdata = mtcars, response = 1:3, about = "response has 3 entries; there are 32 rows")
  refused(file.path(tempdir(), "absent", "r.html"), about = "absent")
  expect_false(file.exists(file))
})
