# Writes the tables of README.md, and the numbers that the vignettes store (r/vignettes/measured.csv), from results/.
#   Rscript bench/r/report.R

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "data.R"))
read <- function(name) read.csv(file.path(here, "results", name))
in_order <- function(values) factor(values, unique(values))
by_method <- function(values, table, summary) tapply(values, list(in_order(table$data), in_order(table$method)), summary)

# Rows of a table whose cells are texts.
table_text <- function(cells, first) {
  rule <- paste0("|---|", strrep("---:|", ncol(cells)))
  line <- function(words) paste0("| ", paste(words, collapse = " | "), " |")
  c(line(c(first, colnames(cells))), rule, vapply(rownames(cells), function(row) line(c(row, cells[row, ])), ""))
}
digits <- function(values, count) array(formatC(values, count, format = "f"), dim(values), dimnames(values))

nuts <- read("nuts.csv")
intervals <- read("nuts_intervals.csv")
ours <- "ardvark, default"

# The mean with, in brackets, that of the first method less it, and the standard error of the difference over rows.
density_cells <- function(table) {
  mean_of <- by_method(table$log_density, table, mean)
  cells <- digits(mean_of, 3L)
  for (data in rownames(cells)) for (method in colnames(cells)[-1L]) {
    of <- function(one) { found <- table[table$data == data & table$method == one, ]; found$log_density[order(found$row)] }
    difference <- of(colnames(cells)[1L]) - of(method)
    cells[data, method] <- sprintf("%s (%+.3f ± %.3f)", cells[data, method], mean(difference), sd(difference) / sqrt(length(difference)))
  }
  cells
}

# Of each method, the median over columns of our width divided by its width, and of the share that both intervals have in common.
interval_cells <- function() {
  others <- setdiff(unique(intervals$method), ours)
  cells <- matrix("", length(unique(intervals$data)), length(others), dimnames = list(unique(intervals$data), others))
  for (data in rownames(cells)) for (method in others) {
    a <- intervals[intervals$data == data & intervals$method == ours, ]
    b <- intervals[intervals$data == data & intervals$method == method, ]
    b <- b[match(a$column, b$column), ]
    common <- pmax(0, pmin(a$upper, b$upper) - pmax(a$lower, b$lower)) / (pmax(a$upper, b$upper) - pmin(a$lower, b$lower))
    cells[data, method] <- sprintf("%.2f, %.2f", median((a$upper - a$lower) / (b$upper - b$lower)), median(common))
  }
  cells
}

# Seconds, and how many times those of the default.
once <- intervals[!duplicated(intervals[c("data", "method")]), ]
seconds <- by_method(once$seconds, once, sum)
seconds_cells <- function() {
  cells <- array(formatC(seconds, 2L, format = "fg", flag = "#"), dim(seconds), dimnames(seconds))
  for (method in grep("^rstanarm", colnames(cells), value = TRUE)) {
    cells[, method] <- sprintf("%s (%.0f; %.0f)", cells[, method], seconds[, method] / seconds[, ours], seconds[, method] / seconds[, "ardvark, shared"])
  }
  cells
}

# Beside a program that compiles each model first.
brms_cells <- function() {
  times <- read("brms_seconds.csv")
  rows <- read("brms.csv")
  both <- rbind(nuts[nuts$method == ours, c("data", "method", "row", "log_density")], cbind(rows[c("data", "row", "log_density")], method = "brms, horseshoe()"))
  sum <- times$compiled + times$sampled
  cells <- cbind(compiled = formatC(times$compiled, 0L, format = "f"), sampled = formatC(times$sampled, 1L, format = "f"),
                 `times our default` = formatC(signif(sum / seconds[times$data, ours], 2L), 0L, format = "f"),
                 `log density` = density_cells(both)[times$data, "brms, horseshoe()"])
  rownames(cells) <- times$data
  cells
}

selection <- read("selection.csv")
inclusions <- read("inclusions.csv")

# Of each answer: its largest inclusions, and the rank correlation and the largest difference with slab and with sparse.
inclusion_cells <- function(data) {
  of <- inclusions[inclusions$data == data, ]
  columns <- unique(of$column)
  values <- vapply(split(of, in_order(of$answer)), function(one) one$inclusion[match(columns, one$column)], numeric(length(columns)))
  against <- function(name) sprintf("%.2f, %.2f", cor(values[, name], values, method = "spearman"), apply(abs(values - values[, name]), 2L, max))
  cells <- cbind(seconds = formatC(tapply(of$seconds, in_order(of$answer), mean), 2L, format = "fg", flag = "#"),
                 `rank correlation, largest difference: slab` = against("ardvark, slab"), sparse = against("ardvark, sparse"),
                 `mean inclusion` = sprintf("%.2f", colMeans(values)))
  rownames(cells) <- colnames(values)
  cells
}
single_inclusions <- function(data, count) {
  of <- inclusions[inclusions$data == data & !grepl("chain 2", inclusions$answer), ]
  columns <- unique(of$column)
  values <- vapply(split(of, in_order(of$answer)), function(one) one$inclusion[match(columns, one$column)], numeric(length(columns)))
  rownames(values) <- columns
  bms <- values[, grep("^BMS", colnames(values))[1L]]
  digits(values[order(-bms)[seq_len(count)], ], 2L)
}

simulated <- function() {
  of <- read("simulated.csv")
  values <- tapply(of$inclusion, list(in_order(of$answer), of$column), sum)
  digits(values, 2L)
}

formula <- read("formula.csv")
formula_cells <- cbind(seconds = formatC(formula$seconds, 3L, format = "f"), megabytes = ifelse(is.na(formula$megabytes), "", round(formula$megabytes)))
rownames(formula_cells) <- formula$part

tables <- list(
  density = table_text(density_cells(nuts), "data"),
  intervals = table_text(interval_cells(), "data"),
  seconds = table_text(seconds_cells(), "data"),
  brms = table_text(brms_cells(), "data"),
  selection = table_text(density_cells(selection), "data"),
  columns = table_text(digits(by_method(selection$chosen_on_all, selection, mean), 0L), "data"),
  selection_seconds = table_text(digits(by_method(selection$seconds, selection, median), 3L), "data"),
  crime = table_text(inclusion_cells("UScrime"), "UScrime"),
  crime_columns = table_text(single_inclusions("UScrime", 15L), "UScrime"),
  growth = table_text(inclusion_cells("datafls"), "datafls"),
  growth_columns = table_text(single_inclusions("datafls", 12L), "datafls"),
  simulated = table_text(simulated(), ""),
  bms_density = table_text(density_cells(read("bms_density.csv")), "data"),
  formula = table_text(formula_cells, "what")
)
page <- readLines(file.path(here, "README.md"))
for (name in names(tables)) {
  begin <- which(page == paste0("<!-- table ", name, " -->"))
  if (length(begin) != 1L) stop("README.md has no place for the table ", name)
  end <- begin + which(page[-seq_len(begin)] == "<!-- end -->")[1L]
  page <- c(page[seq_len(begin)], tables[[name]], page[end:length(page)])
}
writeLines(page, file.path(here, "README.md"))

stored <- aggregate(log_density ~ method + data, nuts, mean)
stored$seconds <- seconds[cbind(stored$data, stored$method)]
stored <- stored[order(in_order(nuts$data)[match(stored$data, nuts$data)], match(stored$method, unique(nuts$method))), ]
write.csv(data.frame(data = stored$data, method = stored$method, `log density` = round(stored$log_density, 4L), seconds = signif(stored$seconds, 3L), check.names = FALSE),
          file.path(here, "..", "..", "r", "vignettes", "measured.csv"), row.names = FALSE, quote = TRUE)
