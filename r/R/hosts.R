# Registrations with packages that keep lists of their own, whenever these are loaded.

.onLoad <- function(libname, pkgname) {
  when_loaded("marginaleffects", function() {
    known <- getOption("marginaleffects_model_classes")
    options(marginaleffects_model_classes = union(known, "ardvark"))
  })
  when_loaded("parsnip", register_engines)
}

when_loaded <- function(package, action) {
  setHook(packageEvent(package, "onLoad"), function(...) action())
  if (isNamespaceLoaded(package)) action()
}
