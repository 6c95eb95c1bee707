# SPDX-License-Identifier: BSD-2-Clause
# Every task a person does with this tree: make help
VERSION := 0.1.0
SOVERSION := 0

ifeq ($(origin CC),default)
CC := gcc
endif
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
LIBEXECDIR ?= $(PREFIX)/libexec/softpt
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share

B := build
# make V=1 shows whole commands
ifneq ($(V),1)
Q := @
say = @printf '  %-8s%s\n' $(1) $@
endif
WARN := -Wall -Wextra -Werror -Wmissing-prototypes -Wshadow
ALL_CFLAGS = -std=gnu11 $(WARN) $(CFLAGS) -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
	-DSOFTPT_VERSION='"$(VERSION)"' -Iuapi -MMD -MP

.SECONDARY:
.DEFAULT_GOAL := all
.PHONY: all
all: userspace ## what needs no root: the command and the library

.PHONY: help
help: ## this list
	@awk -F':.*## ' '/^[a-z][a-z_-]*:.*## / { printf "  %-16s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) CC=$(CC) CFLAGS='$(CFLAGS)'"

# ---- libraries from elsewhere: pkg-config name, and the Debian package to name ----

PACKAGES := libkmod libelf libdw
DEBIAN_libkmod := libkmod-dev
DEBIAN_libelf := libelf-dev
DEBIAN_libdw := libdw-dev

need = $(if $(shell pkg-config --exists $(1) && echo yes),,\
	$(error $(1) is missing: apt-get install $(DEBIAN_$(1))))
# These set up what they need first, or need nothing.
ALONE := help arm64 clean style proof demo check check-full check-lint check-asan coverage mutants htmldocs modules modules_install
ifneq ($(filter-out $(ALONE),$(or $(MAKECMDGOALS),all)),)
$(foreach package,$(PACKAGES),$(call need,$(package)))
TOOL_LIBS := $(if $(PACKAGES),$(shell pkg-config --libs $(PACKAGES)))
TOOL_CFLAGS := $(if $(PACKAGES),$(shell pkg-config --cflags $(PACKAGES)))
endif

# Used where it is there: another decoder to compare with (bench, oracle tests)
HAVE_LIBIPT := $(shell echo '\#include <intel-pt.h>' | $(CC) -E -x c - > /dev/null 2>&1 && echo y)

# And for instructions as text (softpt flow --insn)
HAVE_ZYDIS := $(shell echo '\#include <Zydis/Zydis.h>' | $(CC) -E -x c - > /dev/null 2>&1 && echo y)

# And for pictures in pixels (softpt eval --png)
HAVE_RSVG := $(shell pkg-config --exists 'librsvg-2.0 >= 2.46' && echo y)

# Sources of folders and of what is below them; sorted, so that every build links in the same order
sources = $(sort $(shell find $(1) -name '*.c'))

# ---- library ----

LIB_SRC := $(call sources,userspace/lib)
LIB_OBJ := $(LIB_SRC:%.c=$(B)/obj/%.o)
LIB_SO := $(B)/libsoftpt.so.$(SOVERSION)
LIB_MAP := userspace/lib/libsoftpt.map

$(B)/obj/userspace/lib/%.o: userspace/lib/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -fvisibility=hidden -c -o $@ $<

$(B)/libsoftpt.a: $(LIB_OBJ)
	$(call say,AR)
	$(Q)$(RM) $@
	$(Q)$(AR) rcs $@ $^

$(LIB_SO): $(LIB_OBJ) $(LIB_MAP)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,--version-script=$(LIB_MAP) \
		-Wl,--no-undefined -o $@ $(LIB_OBJ)

$(B)/libsoftpt.so: $(LIB_SO)
	$(Q)ln -sf $(<F) $@

# Written anew each time: `make install PREFIX=...` may follow a `make` without it
.PHONY: FORCE
$(B)/libsoftpt.pc: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCLUDEDIR)' '' \
		'Name: libsoftpt' 'Description: processor trace packets, and when they happened' \
		'Version: $(VERSION)' 'Libs: -L$${libdir} -lsoftpt' \
		'Cflags: -I$${includedir}/softpt' > $@

# ---- command, with the engine of the module in it, and what tells its instructions ----

ENGINE_SRC := $(call sources,kmod/engine kmod/x86)
ENGINE_OBJ := $(ENGINE_SRC:%.c=$(B)/obj/%.o)
TOOL_SRC := $(call sources,userspace/tool)
ifeq ($(HAVE_LIBIPT),y)
TOOL_CFLAGS += -DHAVE_LIBIPT
TOOL_LIBS += -lipt
else
TOOL_SRC := $(filter-out %-ipt.c %/ipt.c,$(TOOL_SRC))
endif
ifeq ($(HAVE_ZYDIS),y)
TOOL_CFLAGS += -DHAVE_ZYDIS
TOOL_LIBS += -lZydis
endif
ifeq ($(HAVE_RSVG),y)
# Only its headers: it is loaded when it is needed
$(B)/obj/userspace/tool/eval-png.o: TOOL_CFLAGS += -DHAVE_RSVG $(shell pkg-config --cflags librsvg-2.0)
endif
TOOL_OBJ := $(TOOL_SRC:%.c=$(B)/obj/%.o)

$(B)/obj/kmod/%.o: kmod/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(B)/obj/userspace/tool/%.o: userspace/tool/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) $(TOOL_CFLAGS) -c -o $@ $<

$(B)/softpt: $(TOOL_OBJ) $(ENGINE_OBJ) $(B)/libsoftpt.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS) -lm

# ---- the runtime of a translated program: no C library, general registers only ----

XL_SRC := $(wildcard userspace/translate/*.c) userspace/translate/entry.S kmod/x86/decode.c
XL_OBJ := $(patsubst %,$(B)/obj/translate/%.o,$(basename $(XL_SRC)))
XL_CFLAGS := -std=gnu11 $(WARN) -O2 -g -ffreestanding -fno-stack-protector -mgeneral-regs-only \
	-fno-pic -fno-asynchronous-unwind-tables -fcf-protection=none -Iuapi -MMD -MP

$(B)/obj/translate/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(XL_CFLAGS) -c -o $@ $<
$(B)/obj/translate/%.o: %.S Makefile
	@mkdir -p $(@D)
	$(call say,AS)
	$(Q)$(CC) $(XL_CFLAGS) -c -o $@ $<

$(B)/softpt-translate: $(XL_OBJ)
	$(call say,LD)
	$(Q)$(CC) -static -nostdlib -no-pie -Wl,-Ttext-segment=0x7e000000,--build-id=none,-z,noseparate-code -o $@ $^

$(B)/softpt.bash: $(B)/softpt
	$(call say,GEN)
	$(Q)$< completion bash > $@

.PHONY: userspace
userspace: $(B)/softpt $(B)/softpt-translate $(B)/libsoftpt.a $(B)/libsoftpt.so $(B)/libsoftpt.pc $(B)/softpt.bash ## build/softpt and build/libsoftpt.*

# ---- module ----

KDIR ?= /lib/modules/$(shell uname -r)/build

.PHONY: modules
modules: ## softpt.ko for the running kernel (KDIR=headers of another; SOFTPT_UNTESTED=1: newer than any that was tested)
	@test -e $(KDIR)/Makefile || \
		{ echo "no kernel headers in $(KDIR): apt-get install linux-headers-$$(uname -r)"; exit 1; }
	$(Q)$(MAKE) -C $(KDIR) M=$(CURDIR) modules

.PHONY: modules_install
modules_install: modules ## install softpt.ko (INSTALL_MOD_PATH, DEPMOD), then: softpt load
	$(Q)$(MAKE) -C $(KDIR) M=$(CURDIR) modules_install

.PHONY: demo
demo: ## record a real program in QEMU, print its path (PROG='gzip -k FILE', HOST=1: here)
	@HOST=$(HOST) selftests/guest/demo/demo $(PROG)

# ---- install ----

HEADERS := $(wildcard userspace/lib/softpt*.h)

.PHONY: install
install: userspace ## command, library, headers, manual, completion (PREFIX, DESTDIR)
	install -d $(addprefix $(DESTDIR),$(BINDIR) $(LIBEXECDIR) $(LIBDIR)/pkgconfig \
		$(INCLUDEDIR)/softpt/linux $(INCLUDEDIR)/softpt/softpt \
		$(DATADIR)/bash-completion/completions $(DATADIR)/man/man1 $(DATADIR)/man/man5)
	install -m 755 $(B)/softpt $(DESTDIR)$(BINDIR)
	install -m 755 $(B)/softpt-translate $(DESTDIR)$(LIBEXECDIR)
	install -m 755 $(LIB_SO) $(DESTDIR)$(LIBDIR)
	ln -sf $(notdir $(LIB_SO)) $(DESTDIR)$(LIBDIR)/libsoftpt.so
	install -m 644 $(B)/libsoftpt.a $(DESTDIR)$(LIBDIR)
	install -m 644 $(B)/libsoftpt.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 644 $(HEADERS) $(DESTDIR)$(INCLUDEDIR)/softpt
	install -m 644 uapi/linux/softpt.h uapi/linux/softpt-events.h $(DESTDIR)$(INCLUDEDIR)/softpt/linux
	install -m 644 uapi/softpt/packets.h uapi/softpt/address.h $(DESTDIR)$(INCLUDEDIR)/softpt/softpt
	install -m 644 $(B)/softpt.bash $(DESTDIR)$(DATADIR)/bash-completion/completions/softpt
	install -m 644 userspace/man/*.1 $(DESTDIR)$(DATADIR)/man/man1
	install -m 644 userspace/man/*.5 $(DESTDIR)$(DATADIR)/man/man5

# ---- host tests ----

UNIT_SRC := $(filter-out %/insn-test.c %/operand-test.c %/decode-test.c %/port-insn-test.c,$(wildcard selftests/host/unit/*-test.c))
UNIT_BIN := $(UNIT_SRC:selftests/host/unit/%.c=$(B)/unit/%)
# What the tests take of the command and the engine
TEST_LIB := $(B)/obj/test.a

$(TEST_LIB): $(filter-out %/main.o,$(TOOL_OBJ)) $(ENGINE_OBJ) \
		$(B)/obj/selftests/kit/tap.o $(B)/obj/selftests/kit/events.o \
		$(B)/obj/selftests/kit/expect.o
	$(call say,AR)
	$(Q)$(RM) $@
	$(Q)$(AR) rcs $@ $^

$(B)/obj/selftests/%.o: selftests/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -I. -Iuserspace/lib -c -o $@ $<

# Those that need neither the command nor the engine are the first to give a result
UNIT_LIB := $(patsubst %,$(B)/unit/%-test,packet encode config spec device perf)

$(UNIT_LIB): $(B)/unit/%: $(B)/obj/selftests/host/unit/%.o $(B)/obj/selftests/kit/tap.o $(B)/libsoftpt.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(B)/unit/%: $(B)/obj/selftests/host/unit/%.o $(TEST_LIB) $(B)/libsoftpt.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS) -lm

# The module's instruction classifier and its operands against Capstone
$(B)/unit/insn-test $(B)/unit/operand-test: $(B)/unit/%: selftests/host/unit/%.c kmod/x86/insn.c kmod/x86/operand.c \
		kmod/x86/insn.h kmod/x86/operand.h
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -I. -o $@ \
		$(filter %.c,$^) -lcapstone
# And the parts of an instruction against Zydis
$(B)/unit/decode-test: selftests/host/unit/decode-test.c kmod/x86/decode.c kmod/x86/decode.h
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -I. -o $@ $(filter %.c,$^) -lZydis
$(B)/unit/port-insn-test: selftests/host/unit/port-insn-test.c userspace/lib/port-insn.c userspace/lib/port-insn.h
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -I. -o $@ $(filter %.c,$^) -lcapstone
# Real binaries, whose code is compared
INSN_OF := /bin/bash $(wildcard /lib/x86_64-linux-gnu/libc.so.6 /usr/lib32/libc.so.6)

.PHONY: check-unit
check-unit: ## unit tests of library and command, each case by name (no root)
	@$(MAKE) -s -j$(JOBS) $(UNIT_LIB)
	@selftests/host/unit/run -v -x $(B) $(UNIT_LIB)
	@$(MAKE) -s -j$(JOBS) userspace $(UNIT_BIN)
	@selftests/host/unit/run -v $(B) $(filter-out $(UNIT_LIB),$(UNIT_BIN))

# The engine beside the decoder: millions of random events, each with its truth
$(B)/bounds $(B)/lost $(B)/widths $(B)/reference: $(B)/%: $(B)/obj/selftests/host/time/%.o $(TEST_LIB) $(B)/libsoftpt.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TOOL_LIBS) -lm
$(B)/bounds $(B)/lost $(B)/reference: $(B)/obj/selftests/host/time/scene.o

# Packet by packet against libipt: what is read, and how fast
$(B)/packets-oracle: $(addprefix $(B)/obj/selftests/host/oracle/,packets.o facts.o)
$(B)/packets-bench: $(B)/obj/selftests/quality/bench/packets.o
$(B)/packets-oracle $(B)/packets-bench: $(TEST_LIB) $(B)/libsoftpt.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(TOOL_LIBS) -lipt

# Random triggers: what is left of the history before each
$(B)/history: $(B)/obj/selftests/host/trigger/history.o $(TEST_LIB) $(B)/libsoftpt.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS) -lipt

# Executables whose instructions are taken apart: `make check-full` takes all
DECODE_OF ?= $(INSN_OF) $(wildcard /usr/bin/perl /usr/bin/gcc)
JOBS := $(shell nproc)
TIME_EVENTS ?= 3000000
WIDTH_EVENTS ?= 1000000
LOST_SCENES ?= 300
RANDOM_EVENTS ?= 100000
ORACLE_CASES ?= 400
COUNTER_FILES ?= 2000
ADDRESS_CASES ?= 2000
TRIGGER_CASES ?= 300

.PHONY: step-tests
step-tests: userspace
	$(MAKE) -s -C selftests/guest/step

.PHONY: check-host
check-host: userspace step-tests $(UNIT_BIN) $(B)/unit/insn-test $(B)/unit/operand-test $(B)/unit/decode-test $(B)/unit/port-insn-test $(B)/bounds $(B)/lost $(B)/widths $(B)/reference $(B)/history $(B)/packets-oracle ## unit, golden, model, oracle and time tests (no root)
	selftests/kit/tap-summary --jobs $(JOBS) 'selftests/host/unit/run $(B) $(UNIT_BIN)' \
		'selftests/proof/run-proof --quick' \
		'selftests/host/unit/run-install $(B)' \
		'selftests/host/unit/run-files $(abspath $(B)/softpt)' \
		'selftests/host/unit/run-formats $(B)/softpt' \
		'selftests/host/unit/run-notes $(abspath $(B)/softpt)' \
		'selftests/host/unit/run-counters $(abspath $(B)/softpt)' \
		'$(B)/unit/insn-test $(INSN_OF)' \
		'$(B)/unit/operand-test' \
		'$(B)/unit/decode-test $(DECODE_OF)' \
		'selftests/host/translate/run-translate $(B)' \
		'$(B)/unit/port-insn-test' \
		'selftests/host/golden/run-golden --softpt $(B)/softpt' \
		'selftests/host/model/run-model --softpt $(B)/softpt' \
		'selftests/host/model/run-counters --softpt $(B)/softpt --count $(COUNTER_FILES)' \
		'selftests/host/model/run-address --softpt $(B)/softpt --count $(ADDRESS_CASES)' \
		'selftests/host/model/run-address --softpt $(B)/softpt --model buffers --count $(ADDRESS_CASES)' \
		'selftests/quality/bench/run-cost $(B)' \
		'$(B)/packets-oracle' \
		'$(B)/history $(TRIGGER_CASES)' \
		'$(B)/reference selftests/host/time/reference.txt' \
		'$(B)/bounds $(TIME_EVENTS)' \
		'$(B)/lost $(LOST_SCENES)' \
		'$(B)/widths $(WIDTH_EVENTS)' \
		'selftests/host/time/run-time --softpt $(B)/softpt --count $(RANDOM_EVENTS)' \
		'selftests/host/oracle/run-oracle --softpt $(B)/softpt --count $(ORACLE_CASES)' \
		'selftests/host/eval/run-eval --softpt $(B)/softpt' \
		'selftests/host/oracle/run-perf --softpt $(B)/softpt' \
		'selftests/host/flow/run-flow --softpt $(B)/softpt' \
		'selftests/host/flow/run-lost --softpt $(B)/softpt' \
		'selftests/host/flow/run-perfetto --softpt $(B)/softpt' \
		'selftests/host/import/run-import --softpt $(B)/softpt' \
		'selftests/host/port/run-model --softpt $(B)/softpt' \
		'selftests/host/port/run-capture --softpt $(B)/softpt' \
		'selftests/host/port/run-trigger $(abspath $(B)/softpt)' \
		'selftests/host/port/run-port --softpt $(B)/softpt' \
		'SOFTPT=$(abspath $(B)/softpt) $(B)/selftests/step no-module' \
		'selftests/guest/record/no-module $(B)' \
		'selftests/guest/record/jit $(B)' \
		'selftests/guest/record/perf-tools $(B)' \
		'selftests/guest/vm/check-races' \
		'selftests/guest/vm/check-leaks' \
		'selftests/guest/vm/check-newest' \
		'selftests/fuzz/check-syzlang' \
		'selftests/quality/doc/run-doc'

.PHONY: proof
proof: ## what Documentation/proofs.rst claims, for all values (frama-c-base, why3, cvc4)
	selftests/proof/run-proof

SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all

.PHONY: again-tests
again-tests: userspace $(UNIT_BIN) $(B)/bounds $(B)/lost $(B)/reference fuzz-targets

# Tests that are run once more, in a build of another kind: its directory
again = 'selftests/host/unit/run $(1) $(UNIT_BIN:$(B)/%=$(1)/%)' \
	'selftests/host/golden/run-golden --softpt $(1)/softpt' \
	'selftests/host/model/run-counters --softpt $(1)/softpt --count 200' \
	'selftests/host/model/run-address --softpt $(1)/softpt --count 200' \
	'selftests/host/model/run-address --softpt $(1)/softpt --model buffers --count 200' \
	'selftests/fuzz/run-corpus $(1)/fuzz $(FUZZERS)' \
	'$(1)/reference selftests/host/time/reference.txt' \
	'$(1)/bounds 1000000' \
	'$(1)/lost 100' \
	'selftests/host/oracle/run-oracle --softpt $(1)/softpt --count 100' \
	'selftests/host/flow/run-flow --softpt $(1)/softpt' \
	'selftests/host/flow/run-lost --softpt $(1)/softpt'

ASAN_EVENTS ?= 20000
ASAN_MORE ?=

.PHONY: check-asan
check-asan: ## unit, golden, time and oracle tests again, with ASan and UBSan; the corpora of the fuzzers
	$(MAKE) -s -j$(JOBS) step-tests
	$(MAKE) -s -j$(JOBS) again-tests B=$(B)/asan CFLAGS='$(SANITIZE)' LDFLAGS='$(SANITIZE)'
	selftests/kit/tap-summary --jobs $(JOBS) $(call again,$(B)/asan) \
		'selftests/host/time/run-time --softpt $(B)/asan/softpt --count $(ASAN_EVENTS) $(if $(ASAN_MORE),,--no-gaps)' \
		'selftests/host/flow/run-perfetto --softpt $(B)/asan/softpt' \
		$(if $(ASAN_MORE),'selftests/host/eval/run-eval --softpt $(B)/asan/softpt --count 4' \
			'selftests/host/import/run-import --softpt $(B)/asan/softpt')

# Counts are of these tests alone: those of an earlier run are forgotten
COVERAGE := -O0 -g --coverage

.PHONY: coverage-tests
coverage-tests: again-tests $(B)/history $(B)/packets-oracle

.PHONY: coverage
coverage: ## lines and branches of engine and library that the host tests run (gcov)
	@selftests/guest/vm/setup build check
	$(MAKE) -s -j$(JOBS) coverage-tests B=$(B)/coverage CFLAGS='$(COVERAGE)' LDFLAGS=--coverage
	find $(B)/coverage -name '*.gcda' -delete
	selftests/kit/tap-summary --jobs $(JOBS) $(call again,$(B)/coverage) \
		'selftests/host/oracle/run-perf --softpt $(B)/coverage/softpt' \
		'selftests/host/port/run-model --softpt $(B)/coverage/softpt' \
		'$(B)/coverage/packets-oracle 30000' \
		'$(B)/coverage/history 30' \
		--rest 'selftests/quality/coverage $(B)/coverage'

.PHONY: coverage-module
coverage-module: guest-tests ## lines of the module that the guest tests run (gcov, in QEMU)
	selftests/kit/tap-summary 'selftests/guest/vm/run 6.1-kasan:all' \
		'selftests/quality/coverage --guest --lines 80 --branches 0 $(B)/guest/6.1-kasan/out'

MUTANTS ?= 300
MUTANTS_SEED ?= 1

.PHONY: mutants
mutants: ## would the tests notice? MUTANTS=300 small changes to engine and decoder (hours; goes on where it was)
	@selftests/guest/vm/setup build check
	selftests/quality/mutants/run-mutants --seed $(MUTANTS_SEED) --count $(MUTANTS)

# ---- fuzzing ----

FUZZ_SECONDS ?= 70
FUZZERS := capture decoder events flow import packets perf port tables time
FUZZ := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all

# Who calls a target: libFuzzer in `make fuzz`, else replay.c, once for each file of a corpus
FUZZ_MAIN ?= $(B)/obj/selftests/fuzz/replay.o

$(B)/fuzz/%: $(B)/obj/selftests/fuzz/%.o $(FUZZ_MAIN) $(TEST_LIB) $(B)/libsoftpt.a
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS) -lm
$(B)/fuzz/packets: $(B)/obj/selftests/host/oracle/facts.o

.PHONY: fuzz-targets
fuzz-targets: $(FUZZERS:%=$(B)/fuzz/%)

.PHONY: fuzz
fuzz: userspace ## the readers, and engine and decoder as one, under libFuzzer (FUZZ_SECONDS=70)
	@selftests/guest/vm/setup check
	$(MAKE) -s -j$(JOBS) fuzz-targets B=$(B)/libfuzzer CC=clang CFLAGS='$(FUZZ)' \
		LDFLAGS=-fsanitize=fuzzer FUZZ_MAIN=
	selftests/fuzz/run-fuzz $(B)/libfuzzer $(B)/softpt $(FUZZ_SECONDS) $(FUZZERS)

# Numbers instead: short inputs, no ASan, what UBSan finds is a trap, and comparisons guide nothing.
FUZZ_FAST := -O2 -g -fsanitize-coverage=inline-8bit-counters,pc-table -fsanitize=undefined -fsanitize-trap=undefined
FUZZERS_FAST := decoder packets

.PHONY: fuzz-fast
fuzz-fast: userspace ## what decodes, ten times as often as by `fuzz`, without ASan (FUZZ_SECONDS=70)
	@selftests/guest/vm/setup check
	$(MAKE) -s -j$(JOBS) fuzz-targets B=$(B)/libfuzzer-fast CC=clang CFLAGS='$(FUZZ_FAST)' \
		LDFLAGS=-fsanitize=fuzzer FUZZ_MAIN=
	LONGEST=160 selftests/fuzz/run-fuzz $(B)/libfuzzer-fast $(B)/softpt $(FUZZ_SECONDS) $(FUZZERS_FAST)

.PHONY: fuzz-corpus
fuzz-corpus: ## what `make fuzz` has found, minimised, into selftests/fuzz/corpus
	selftests/fuzz/keep-corpus $(B)/libfuzzer $(FUZZERS)

# For what runs that long: a test's limit is six times as long on a sanitised kernel, and the guest's is behind it
fuzz_guest = selftests/guest/vm/boot -k 6.1-kasan -m "$$(selftests/guest/vm/module 6.1-kasan)" \
	-d $(B)/selftests --timeout $$(($(1) * 6 + 1200))

FUZZ_SEED ?= $(shell date +%s)

.PHONY: fuzz-device
fuzz-device: guest-tests ## the device under a fuzzer that KCOV guides, in QEMU (FUZZ_SECONDS=70 FUZZ_SEED=N)
	$(call fuzz_guest,$(FUZZ_SECONDS)) \
		-t "@$$(($(FUZZ_SECONDS) + 60)) $(B)/selftests/device-fuzz $(FUZZ_SECONDS) $(FUZZ_SEED)"

SOAK_SECONDS ?= 3600

.PHONY: soak
soak: guest-tests ## that, killed and stopped, with CPUs that go and come; then lost memory is looked for (SOAK_SECONDS=3600)
	$(call fuzz_guest,$(SOAK_SECONDS)) --append kmemleak=on \
		-t "@$$(($(SOAK_SECONDS) + 120)) selftests/fuzz/soak $(SOAK_SECONDS) $(FUZZ_SEED)"

.PHONY: check-lint
check-lint: ## W=1 with gcc and clang, sparse, checkpatch, shellcheck, messages of commits
	selftests/quality/lint 6.1 6.12 newest

.PHONY: guest-tests
# gdb without Python, which the guest has not: unpacked, for to install it removes another gdb
$(B)/selftests/gdb:
	$(call say,GET)
	$(Q)mkdir -p $(B)/gdb $(@D) && cd $(B)/gdb && apt-get -qq download gdb-minimal 2>/dev/null && \
		dpkg -x gdb-minimal_*.deb . && cp usr/bin/gdb ../selftests/ || \
		echo 'gdb-minimal cannot be downloaded: its test is skipped'

guest-tests: userspace step-tests $(B)/selftests/gdb
	$(MAKE) -s -C selftests/guest/device

# The slowest first: there are as many guests at a time as there are CPUs.
GUESTS ?= 6.1-kasan 6.12

.PHONY: check-guest
check-guest: guest-tests ## device, step and record tests in QEMU (GUESTS="6.1-kasan 6.12"; 6.1:all for all of one kernel)
	selftests/guest/vm/run $(GUESTS)

.PHONY: check
check: ## every test that fits in 20 minutes: sets up what it needs
	@selftests/guest/vm/setup build check guest kasan newest
	@$(MAKE) -s -j$(JOBS) userspace step-tests
	selftests/kit/tap-summary '$(MAKE) -s check-host' '$(MAKE) -s check-asan' \
		'$(MAKE) -s check-lint' '$(MAKE) -s check-guest'

.PHONY: arm64
arm64: ## the module without what is x86's, compiled for arm64
	selftests/quality/arm64

# Where PREEMPT_RT makes locks sleep: what is entered from interrupts, probes and perf
RT := abi$$|device|lifetime|inherit|record/(output|system)

# What is drawn anew each time comes last: all before it says the same of the same tree.
.PHONY: check-full
check-full: ## what `check` has no time for: more events, all guest tests, KCSAN, PREEMPT_RT, long programs, an idle minute, leaks
	@selftests/guest/vm/setup full
	selftests/kit/tap-summary \
		'$(MAKE) -s check-guest GUESTS="newest:all 6.1:all 6.1-kasan:rest 6.12:rest"' \
		'$(MAKE) -s check-host TIME_EVENTS=100000000 LOST_SCENES=10000 WIDTH_EVENTS=100000000 RANDOM_EVENTS=2000000 ORACLE_CASES=5000 DECODE_OF="/usr/bin/*" COUNTER_FILES=100000 ADDRESS_CASES=100000 TRIGGER_CASES=10000' \
		'$(MAKE) -s check-asan ASAN_EVENTS=50000 ASAN_MORE=y' \
		'$(MAKE) -s proof' \
		'selftests/quality/arm64' \
		'selftests/guest/vm/fred' \
		'selftests/host/port/run-port --softpt $(B)/softpt --all' \
		'selftests/guest/vm/run 6.1-kcsan:all' \
		'selftests/guest/vm/run -g "$(RT)" 6.12-rt:all 6.1-rt:all 6.12-rt-debug:all' \
		'selftests/guest/vm/run -l selftests/guest/tests-full.list 6.12 6.1 6.1-kasan' \
		'$(MAKE) -s idle IDLE_MTC_FREQ=9' \
		'selftests/guest/vm/run --memory 6.1-kasan:all' \
		'$(MAKE) -s fuzz FUZZ_SECONDS=600' \
		'$(MAKE) -s fuzz-device' \
		'$(MAKE) -s soak SOAK_SECONDS=180'

IDLE_SECONDS ?= 60
IDLE_MTC_FREQ ?= 3 6 9

.PHONY: idle
idle: userspace ## a minute of an idle guest with 4 CPUs: what suppression saves, against ftrace's times
	selftests/guest/vm/boot -s 4 --mem 2048 -m "$$(selftests/guest/vm/module 6.1)" -f $(B)/softpt \
		-d selftests/guest/record -t '@1200 selftests/guest/record/idle $(IDLE_SECONDS) $(IDLE_MTC_FREQ)'

.PHONY: bench
bench: userspace $(B)/packets-bench ## engine and decoders against libipt, as ratios
	$(B)/softpt bench
	$(B)/packets-bench
	selftests/quality/bench/run-cost $(B)

# ---- documentation ----

SPHINXBUILD ?= sphinx-build

.PHONY: htmldocs
htmldocs: ## Documentation as build/html (python3-sphinx); installs nothing
	@command -v $(SPHINXBUILD) > /dev/null || \
		{ echo 'sphinx-build is missing: apt-get install python3-sphinx'; exit 1; }
	$(SPHINXBUILD) -W --keep-going -q -b html Documentation $(B)/html

.PHONY: study
study: userspace ## the tables and pictures of Documentation/eval.rst and study.rst, once more
	Documentation/pictures/study $(B)/softpt Documentation/eval.rst Documentation/study.rst

.PHONY: study-record
study-record: userspace ## the recordings that the study is of, once more, in QEMU: their events, packed
	Documentation/pictures/study-record

.PHONY: pictures
pictures: userspace ## the pictures in Documentation, from programs recorded in QEMU
	Documentation/pictures/perfetto

# ---- style ----

CHECKPATCH ?= checkpatch.pl
STYLE_SRC = $(shell git ls-files '*.c' '*.h')

.PHONY: style
style: ## checkpatch over every C file (CHECKPATCH=path of checkpatch.pl)
	@command -v $(CHECKPATCH) > /dev/null || \
		{ echo 'checkpatch.pl is missing: make style CHECKPATCH=LINUX/scripts/checkpatch.pl'; exit 1; }
	$(CHECKPATCH) --no-tree --strict --terse -q -f $(STYLE_SRC)

.PHONY: clean
clean: ## forget what was built in user space
	$(RM) -r $(B)/obj $(B)/unit $(B)/asan $(B)/libfuzzer $(B)/libfuzzer-fast $(B)/coverage $(B)/mutants $(B)/fuzz $(B)/lint $(B)/bounds $(B)/lost $(B)/widths $(B)/reference $(B)/packets-* $(B)/softpt $(B)/softpt.bash $(B)/libsoftpt.*

-include $(shell find $(B)/obj -name "*.d" 2>/dev/null)
