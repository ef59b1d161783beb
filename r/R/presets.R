# Published programs as fits with the methods of R: ardvark_fit(x, y, preset = ), and those of the SLR toolbox by their names.

# family: as the caller gave it, or NULL.
family_of_preset <- function(preset, family, call) {
  presets <- catalogue()$presets
  names <- vapply(presets, `[[`, "", "name")
  if (!(is.character(preset) && length(preset) == 1L && preset %in% names)) {
    refuse(call, "preset", "preset is %s; it must be one of %s", deparse1(preset), paste(names, collapse = ", "))
  }
  preset <- presets[[match(preset, names)]]
  own <- if (preset$several_classes) "multinomial" else if (preset$task == "linear") "gaussian" else "binomial"
  if (!is.null(family) && family_name(family, call) != own) refuse(call, "family", "family must be %s with preset \"%s\"", own, preset$name)
  own
}

of_preset <- function(preset) {
  force(preset)
  function(x, y, ..., compat = FALSE) {
    fit <- ardvark_fit(x, y, ..., preset = preset, compat = compat)
    fit$call <- match.call()
    fit
  }
}

slr_var <- of_preset("slr_var")
slr_lap <- of_preset("slr_lap")
rlr_var <- of_preset("rlr_var")
rlr_lap <- of_preset("rlr_lap")
slr_rvm <- of_preset("slr_rvm")
l1_slr_lap <- of_preset("l1_slr_lap")
l1_slr_c <- of_preset("l1_slr_c")
smlr <- of_preset("smlr")
rmlr <- of_preset("rmlr")
slr_lap_ovr <- of_preset("slr_lap_ovr")
slr_var_ovr <- of_preset("slr_var_ovr")
rlr_var_ovr <- of_preset("rlr_var_ovr")
slr_var_ovo <- of_preset("slr_var_ovo")
