# The engine of parsnip. Debian does not have parsnip: a stub of its functions keeps what is registered, and the test calls it as parsnip does.

keep <- function(name, arguments) sprintf("%s <- function(%s) registered$%s <- c(registered$%s, list(list(%s)))", name, arguments, name, name,
                                          gsub("(\\w+)( = NULL)?", "\\1 = \\1", arguments))
skip_if_installed <- function(name) skip_if(requireNamespace(name, quietly = TRUE), paste(name, "is installed; this test is of a stub"))
skip_if_installed("parsnip")
host <- stub_package("parsnip", c(
  "registered <- new.env()",
  "get_from_env <- function(name) list(engine = unlist(lapply(registered$set_model_engine, function(one) if (one$model == name) one$eng)))",
  keep("set_model_engine", "model, mode, eng"), keep("set_dependency", "model, eng, pkg, mode"),
  keep("set_fit", "model, mode, eng, value"), keep("set_encoding", "model, mode, eng, options"), keep("set_pred", "model, mode, eng, type, value")
))
registered <- as.list(host$registered)
of_model <- function(what, model) Filter(function(entry) entry$model == model, registered[[what]])
models <- c("linear_reg", "logistic_reg", "multinom_reg", "poisson_reg")

# parsnip evaluates a call of the function with the formula and the data, where these are
fitted_by <- function(model, formula, data, ..., weights = NULL) {
  value <- of_model("set_fit", model)[[1]]$value
  arguments <- c(list(formula = quote(formula), data = quote(data)), if (!is.null(weights)) list(weights = quote(weights)),
                 modifyList(value$defaults, list(...)))
  environment(formula) <- list2env(list(data = data, weights = weights), parent = environment(formula))
  fit <- eval(as.call(c(call("::", as.name(value$func[["pkg"]]), as.name(value$func[["fun"]])), arguments)))
  list(fit = fit, lvl = levels(data[[all.vars(formula)[1]]]))
}
predicted <- function(model, object, new_data, type, level = 0.95) {
  value <- Filter(function(entry) entry$type == type, of_model("set_pred", model))[[1]]$value
  results <- eval(as.call(c(as.name(value$func[["fun"]]), value$args)))
  if (is.null(value$post)) results else value$post(results, object)
}

test_that("each model has the engine, with what parsnip asks of it", {
  for (model in models) {
    mode <- if (model %in% c("linear_reg", "poisson_reg")) "regression" else "classification"
    expect_equal(of_model("set_model_engine", model), list(list(model = model, mode = mode, eng = "ardvark")))
    expect_equal(of_model("set_dependency", model)[[1]]$pkg, "ardvark")
    fit <- of_model("set_fit", model)[[1]]
    expect_equal(fit$mode, mode)
    expect_setequal(names(fit$value), c("interface", "protect", "func", "defaults"))
    expect_true(fit$value$interface %in% c("data.frame", "formula", "matrix"))
    expect_setequal(names(of_model("set_encoding", model)[[1]]$options),
                    c("predictor_indicators", "compute_intercept", "remove_intercept", "allow_sparse_x"))
    for (entry in of_model("set_pred", model)) {
      expect_true(entry$type %in% c("raw", "numeric", "class", "prob", "conf_int", "pred_int"))
      expect_setequal(names(entry$value), c("pre", "post", "func", "args"))
    }
  }
})

test_that("to load the package again registers nothing twice", {
  ardvark:::.onLoad(NULL, "ardvark")
  expect_equal(lengths(as.list(host$registered)), lengths(registered))
})

test_that("numbers and counts", {
  object <- fitted_by("linear_reg", mpg ~ wt + hp, mtcars)
  reference <- ardvark(mpg ~ wt + hp, mtcars)
  new <- mtcars[1:3, ]
  expect_equal(coef(object$fit), coef(reference))
  expect_equal(predicted("linear_reg", object, new, "numeric"), predict(reference, new))
  for (type in c("conf_int", "pred_int")) {
    ends <- predicted("linear_reg", object, new, type, level = 0.8)
    expect_equal(names(ends), c(".pred_lower", ".pred_upper"))
    theirs <- predict(reference, new, interval = if (type == "conf_int") "confidence" else "prediction", level = 0.8)
    expect_equal(as.matrix(ends), theirs[, -1], ignore_attr = TRUE)
  }
  expect_equal(fitted_by("linear_reg", mpg ~ wt, mtcars, family = "student", prior = "shared")$fit$family_name, "student")
  weighted <- fitted_by("linear_reg", mpg ~ wt, mtcars, weights = mtcars$carb)
  expect_equal(coef(weighted$fit), coef(ardvark(mpg ~ wt, mtcars, weights = carb)))
  counts <- suppressWarnings(fitted_by("poisson_reg", breaks ~ wool, warpbreaks))
  expect_equal(counts$fit$family_name, "poisson")
  expect_equal(predicted("poisson_reg", counts, warpbreaks[1:2, ], "numeric"), predict(counts$fit, warpbreaks[1:2, ]))
  expect_equal(fitted_by("poisson_reg", breaks ~ wool, warpbreaks, family = "negbin")$fit$family_name, "negbin")
})

test_that("classes", {
  object <- fitted_by("logistic_reg", wool ~ breaks + tension, warpbreaks)
  new <- warpbreaks[c(1, 30), ]
  probability <- predict(object$fit, new)
  table <- predicted("logistic_reg", object, new, "prob")
  expect_equal(names(table), c("A", "B"))
  expect_equal(table$B, unname(probability))
  expect_equal(table$A, 1 - unname(probability))
  expect_equal(as.character(predicted("logistic_reg", object, new, "class")), ifelse(probability > 0.5, "B", "A"), ignore_attr = TRUE)
  ends <- predicted("logistic_reg", object, new, "conf_int")
  expect_equal(names(ends), c(".pred_lower_A", ".pred_upper_A", ".pred_lower_B", ".pred_upper_B"))
  interval <- predict(object$fit, new, interval = "confidence")
  expect_equal(ends$.pred_lower_B, unname(interval[, "lwr"]))
  expect_equal(ends$.pred_upper_A, 1 - ends$.pred_lower_B)
  classes <- fitted_by("multinom_reg", Species ~ ., iris)
  table <- predicted("multinom_reg", classes, iris[c(1, 60, 120), ], "prob")
  expect_equal(names(table), levels(iris$Species))
  expect_equal(as.matrix(table), predict(classes$fit, iris[c(1, 60, 120), ]), ignore_attr = TRUE)
  more <- transform(iris, Species = factor(Species, c("none", levels(Species))))
  with_empty <- fitted_by("multinom_reg", Species ~ ., more)
  table <- predicted("multinom_reg", with_empty, iris[1:2, ], "prob")
  expect_equal(names(table), levels(more$Species))
  expect_equal(table$none, c(0, 0))
})
