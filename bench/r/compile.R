# What a program costs that compiles each model, as brms does: a regression of mtcars in Stan's language, compiled and sampled by rstan.
#   Rscript bench/r/compile.R           prints processor seconds. boost_lib: where Debian has Boost

suppressMessages(library(rstan))
code <- "
data { int<lower=1> n; int<lower=1> p; matrix[n, p] X; vector[n] y; }
parameters { real a; vector[p] b; real<lower=0> s; }
model { a ~ student_t(3, 19, 5); s ~ student_t(3, 0, 5); y ~ normal_id_glm(X, a, b, s); }"
seconds <- function(expression) sum(system.time(expression)[c("user.self", "sys.self", "user.child", "sys.child")])  # with the compiler
cat("compiled in", seconds(model <- stan_model(model_code = code, boost_lib = "/usr/include")), "s\n")
given <- list(n = 32L, p = 10L, X = scale(as.matrix(mtcars[-1L])), y = mtcars$mpg)
cat("sampled in", seconds(suppressWarnings(sampling(model, data = given, refresh = 0, seed = 1, cores = 1))), "s\n")
