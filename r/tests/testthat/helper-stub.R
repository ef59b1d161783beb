# A host package that is not installed here: a small package with its generics, in a library of its own, so that what ardvark registers is found
# as it would be there. With the host installed, this is the host.

stub_package <- function(name, code) {
  if (requireNamespace(name, quietly = TRUE)) return(asNamespace(name))
  library <- tempfile("library")
  source <- file.path(tempfile("source"), name)
  dir.create(library)
  dir.create(file.path(source, "R"), recursive = TRUE)
  description <- c(Package = name, Version = "0.0.1", Title = "Generics", Description = "Generics of a package.", Author = "ardvark",
                   Maintainer = "ardvark <maintainers@ardvark.example>", License = "BSD_3_clause")
  writeLines(paste0(names(description), ": ", description), file.path(source, "DESCRIPTION"))
  writeLines("exportPattern(\".\")", file.path(source, "NAMESPACE"))
  writeLines(code, file.path(source, "R", "code.R"))
  arguments <- c("CMD", "INSTALL", "--no-docs", "--no-test-load", paste0("--library=", library), source)
  said <- suppressWarnings(system2(file.path(R.home("bin"), "R"), arguments, stdout = TRUE, stderr = TRUE))
  if (!dir.exists(file.path(library, name))) stop(paste(said, collapse = "\n"))
  loadNamespace(name, lib.loc = library)
}
