.onUnload <- function(libpath) library.dynam.unload("ardvark", libpath)
