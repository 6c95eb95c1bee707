# SPDX-License-Identifier: BSD-2-Clause
# What every test may link: the command without its main(), its libraries of flow and engine, and TAP
TEST_LIB := $(B)/obj/test.a

$(TEST_LIB): $(filter-out %/main.o,$(TOOL_OBJ)) $(FLOW_OBJ) $(SIM_OBJ) $(ENGINE_OBJ) \
		$(B)/obj/selftests/kit/tap.o $(B)/obj/selftests/kit/events.o \
		$(B)/obj/selftests/kit/expect.o
	$(call say,AR)
	$(Q)$(RM) $@
	$(Q)$(AR) qcs $@ $^

$(B)/obj/selftests/%.o: selftests/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -I. -c -o $@ $<

# A program of its objects and libraries
LINKER = $(CC)
LIBS = $(TOOL_LIBS) -lm
define link
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(LINKER) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)
endef
