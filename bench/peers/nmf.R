# Nonnegative matrix factorization with missing entries (weights of zero, method ls-nmf) by R's package NMF.
# Usage: Rscript nmf.R TRAIN.tns TEST.tns RANK SEED. The tensor is unfolded: all modes but the last are rows.
# Prints one line of JSON: rmse on the test entries.
arguments <- commandArgs(trailingOnly = TRUE)
suppressMessages(suppressWarnings(library(NMF)))
train <- as.matrix(read.table(arguments[1], comment.char = "#"))
test <- as.matrix(read.table(arguments[2], comment.char = "#"))
order <- ncol(train) - 1
dims <- pmax(apply(train, 2, max), apply(test, 2, max))[seq_len(order)]
cells <- function(entries) {
  row <- entries[, 1] - 1
  if (order > 2) for (mode in 2:(order - 1)) row <- row * dims[mode] + entries[, mode] - 1
  cbind(row + 1, entries[, order])
}
values <- matrix(0, prod(dims[-order]), dims[order])
weights <- values
values[cells(train)] <- train[, order + 1]
weights[cells(train)] <- 1
rows <- rowSums(weights) > 0
columns <- colSums(weights) > 0
# NMF refuses rows of zeros alone: where nothing is known to be positive, a tiny value of no weight stands in.
values[weights == 0] <- 1e-6
set.seed(as.integer(arguments[4]))
invisible(capture.output(suppressMessages(
  fit <- nmf(values[rows, columns], as.integer(arguments[3]), method = "ls-nmf",
             weight = weights[rows, columns], seed = "random")
), type = "output"))
filled <- matrix(mean(train[, order + 1]), nrow(values), ncol(values))
filled[rows, columns] <- fitted(fit)
error <- sqrt(mean((filled[cells(test)] - test[, order + 1])^2))
cat(sprintf('{"rmse": %.8g}\n', error))
