# The sources of the library in lots, into core/core.a. What most of them read of others is parsed once, by GCC, which takes foreign.hpp.gch
# in place of foreign.hpp.
lots = $(patsubst %.cpp,%.o,$(sort $(wildcard core/*.cpp)))

core/core.a: $(lots)
	@rm -f $@
	@$(CORE_AR) -cr $@ $(lots)

core/%.o: core/%.cpp core/foreign.hpp.gch
	@echo $<
	@$(CORE_COMPILE) -include core/foreign.hpp -c $< -o $@

core/foreign.hpp.gch: core/foreign.hpp
	@echo $<
	@$(CORE_COMPILE) -x c++-header -c $< -o $@
