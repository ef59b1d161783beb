# Pictures of a fit, by base graphics.

plot.ardvark <- function(x, which = c("coefficients", "residuals", "calibration"), level = 0.95, ...) {
  call <- match.call()
  if (is.numeric(which)) {
    refuse(call, "which", "which must be one of %s", paste(dQuote(eval(formals()$which), FALSE), collapse = ", "))
  }
  which <- match.arg(which)
  switch(which,
    coefficients = plot_coefficients(x, level, ...),
    residuals = plot_residuals(x, call, ...),
    calibration = plot_calibration(x, call, ...)
  )
  invisible(x)
}

# Two colours that colour-blind readers can distinguish (Okabe and Ito).
strong <- "#0072B2"
weak <- "#999999"

# A row for each coefficient but the intercept, the first at the top; those that are probably no effect are grey.
plot_coefficients <- function(x, level, xlab = NULL, main = "", ...) {
  table <- posterior_table(x, level)
  table <- table[!grepl("(Intercept)", rownames(table), fixed = TRUE), , drop = FALSE]
  inclusion <- inclusion_of(x$results)
  is_strong <- if (is.null(inclusion)) table[, 3L] > 0 | table[, 4L] < 0 else as.vector(if (is.matrix(inclusion)) t(inclusion) else inclusion) > 0.5
  colour <- ifelse(is_strong, strong, weak)
  at <- rev(seq_len(nrow(table)))
  old <- par(mar = c(4.5, min(1 + 0.55 * max(nchar(rownames(table))), 14), 2, 1))
  on.exit(par(old))
  if (is.null(xlab)) xlab <- sprintf("coefficient with %g%% interval", 100 * level)
  plot(table[, 1L], at, xlim = range(table[, 3:4], 0), ylim = c(0.5, nrow(table) + 0.5), pch = 19, col = colour, yaxt = "n", xlab = xlab, ylab = "",
       main = main, ...)
  abline(v = 0, lty = 2, col = weak)
  segments(table[, 3L], at, table[, 4L], at, col = colour, lwd = 2)
  axis(2, at, rownames(table), las = 1, tick = FALSE)
  said <- if (is.null(inclusion)) c("0 is outside of the interval", "0 is inside") else c("inclusion above 1/2", "below")
  legend("bottom", said, inset = c(0, 1), xpd = TRUE, horiz = TRUE, col = c(strong, weak), pch = 19, lwd = 2, bty = "n", cex = 0.85)
}

plot_residuals <- function(x, call, xlab = "fitted value", ylab = "quantile residual", main = "", ...) {
  need_rows(x, call)
  residual <- residuals(without_padding(x), "quantile")
  plot(x$fitted.values, residual, pch = 19, col = strong, xlab = xlab, ylab = ylab, main = main, ...)
  abline(h = 0, lty = 2, col = weak)
}

# Of classes: how often the event occurs where it is predicted with some probability.
plot_calibration <- function(x, call, xlab = "predicted probability", ylab = "observed share", main = "", ...) {
  if (x$family_name != "binomial") refuse(call, "which", "which is \"calibration\"; it applies to family binomial, not %s", x$family_name)
  need_rows(x, call)
  weights <- row_weights(x)
  order <- order(x$fitted.values)
  bin <- pmin(floor(10 * (cumsum(weights[order]) - weights[order] / 2) / sum(weights)), 9)
  of_bin <- function(values) as.vector(tapply(values[order] * weights[order], bin, sum) / tapply(weights[order], bin, sum))
  plot(of_bin(x$fitted.values), of_bin(x$y), xlim = c(0, 1), ylim = c(0, 1), pch = 19, col = strong, xlab = xlab, ylab = ylab, main = main, ...)
  abline(0, 1, lty = 2, col = weak)
}
