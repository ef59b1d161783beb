library(testthat)
library(ardvark)

test_check("ardvark")
