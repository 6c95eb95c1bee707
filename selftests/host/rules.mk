# SPDX-License-Identifier: BSD-2-Clause
# Tests that need no guest, and no root

# ---- unit tests: build/unit/NAME-test of unit/ROOM/NAME-test.c ----

UNIT_ALL := $(wildcard selftests/host/unit/*/*-test.c)
unit_bin = $(patsubst %.c,$(B)/unit/%,$(notdir $(1)))
# Beside another decoder, if that is there; some of them take executables
UNIT_PEER := $(patsubst %,$(B)/unit/%-test,insn operand decode port-insn)
UNIT_BIN := $(filter-out $(UNIT_PEER),$(call unit_bin,$(UNIT_ALL)))
# Those that need neither the command nor the engine are the first to give a result
UNIT_LIB := $(patsubst %,$(B)/unit/%-test,packet encode config spec device perf)

$(B)/obj/selftests/host/unit/code/demangle-test.o: ALL_CFLAGS += $(filter -DHAVE_%,$(TOOL_CFLAGS))

$(foreach test,$(UNIT_ALL),$(eval $(call unit_bin,$(test)): $(B)/obj/$(test:.c=.o)))
$(addprefix $(B)/unit/,decoder-test describe-test anchor-test): $(B)/obj/selftests/host/unit/lib/stream.o
$(addprefix $(B)/unit/,perf-test crashes-test jitdump-test perfmap-test): $(B)/obj/selftests/kit/file.o
$(UNIT_LIB): $(B)/obj/selftests/kit/tap.o $(B)/libsoftpt.a
$(UNIT_LIB): LIBS :=
$(filter-out $(UNIT_LIB),$(UNIT_BIN)) $(UNIT_PEER): $(TEST_LIB) $(B)/libsoftpt.a
$(B)/unit/insn-test $(B)/unit/operand-test $(B)/unit/port-insn-test: LIBS += -lcapstone
$(B)/unit/decode-test: LIBS += -lZydis
$(UNIT_BIN) $(UNIT_PEER):
	$(link)

# Real binaries, whose code is compared
INSN_OF := /bin/bash $(wildcard /lib/x86_64-linux-gnu/libc.so.6 /usr/lib32/libc.so.6)

.PHONY: check-unit
check-unit: ## unit tests of library and command, each case by name (no root)
	@$(MAKE) -s -j$(JOBS) $(UNIT_LIB)
	@selftests/host/unit/run -v -x $(B) $(UNIT_LIB)
	@$(MAKE) -s -j$(JOBS) userspace $(UNIT_BIN)
	@selftests/host/unit/run -v $(B) $(filter-out $(UNIT_LIB),$(UNIT_BIN))

# ---- engine and library beside another ----

# The engine beside the decoder: millions of random events, each with its truth
TIME_BIN := $(addprefix $(B)/,bounds lost widths reference)
$(TIME_BIN): $(B)/%: $(B)/obj/selftests/host/time/%.o
$(B)/bounds $(B)/lost $(B)/reference: $(B)/obj/selftests/host/time/scene.o

# Packet by packet against libipt: what is read, and how fast
$(B)/packets-oracle: $(addprefix $(B)/obj/selftests/host/oracle/,packets.o facts.o)
$(B)/packets-bench: $(B)/obj/selftests/quality/bench/packets.o
# Both decoders of paths
$(B)/walks: $(B)/obj/selftests/host/oracle/walks.o

# Random triggers: what is left of the history before each
$(B)/history: $(B)/obj/selftests/host/trigger/history.o

$(B)/packets-oracle $(B)/packets-bench $(B)/history $(B)/walks: LIBS += -lipt
$(TIME_BIN) $(B)/packets-oracle $(B)/packets-bench $(B)/history $(B)/walks: $(TEST_LIB) $(B)/libsoftpt.a
	$(link)

# ---- all of them ----

# Executables whose instructions are taken apart: `make check-full` takes all
DECODE_OF ?= $(INSN_OF) $(wildcard /usr/bin/perl /usr/bin/gcc)
TIME_EVENTS ?= 3000000
WIDTH_EVENTS ?= 1000000
LOST_SCENES ?= 300
RANDOM_EVENTS ?= 100000
RANDOM_PROGRAMS ?= 16
# Of the command lines each N-th
COMMANDS ?= 12
ORACLE_CASES ?= 400
COUNTER_FILES ?= 2000
ADDRESS_CASES ?= 2000
TRIGGER_CASES ?= 300
ATTACH_TIMES ?= 3

# The longest first, behind the unit tests: short ones at the end leave no CPU without work
.PHONY: check-host
check-host: userspace step-tests $(UNIT_BIN) $(UNIT_PEER) $(TIME_BIN) $(addprefix $(B)/,history packets-oracle walks ipt-oracle) ## unit, golden, model, oracle and time tests (no root)
	selftests/kit/tap-summary --jobs $(JOBS) 'selftests/host/unit/run $(B) $(UNIT_BIN)' \
		'selftests/guest/record/no-module $(B)' \
		'selftests/host/translate/run-attach $(B) $(ATTACH_TIMES)' \
		'selftests/host/model/run-model --softpt $(B)/softpt' \
		'selftests/host/command/run-workflows --softpt $(B)/softpt' \
		'selftests/proof/run-proof --quick' \
		'selftests/host/command/run-install $(B)' \
		'selftests/host/command/run-files $(abspath $(B)/softpt)' \
		'selftests/host/command/run-formats $(B)/softpt' \
		'selftests/host/command/run-notes $(abspath $(B)/softpt)' \
		'selftests/host/command/run-doctor $(B)/softpt' \
		'selftests/host/command/run-completion --softpt $(B)/softpt' \
		'selftests/host/command/run-archive $(B)/softpt' \
		'selftests/host/command/run-counters $(abspath $(B)/softpt)' \
		'$(B)/unit/insn-test $(INSN_OF)' \
		'$(B)/unit/operand-test' \
		'$(B)/unit/decode-test $(DECODE_OF)' \
		'selftests/host/translate/run-translate $(B)' \
		'selftests/host/translate/run-commands $(B) 1 $(COMMANDS)' \
		'selftests/host/translate/run-flight $(B)' \
		'selftests/host/translate/run-inside $(B)' \
		'selftests/host/translate/inside/run-if $(B)' \
		'selftests/host/translate/inside/run-lines $(B)' \
		'selftests/host/translate/inside/run-stretches $(B)' \
		'selftests/host/translate/inside/run-launch $(B)' \
		'selftests/host/translate/run-compress $(B)' \
		'selftests/host/translate/run-stat $(B)' \
		'selftests/host/translate/random/run-random $(B) $(RANDOM_PROGRAMS)' \
		'$(B)/unit/port-insn-test' \
		'selftests/host/golden/run-golden --softpt $(B)/softpt' \
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
		'selftests/conformance/run-conformance --softpt $(B)/softpt' \
		'selftests/host/eval/run-eval --softpt $(B)/softpt' \
		'selftests/host/oracle/run-perf --softpt $(B)/softpt' \
		'selftests/host/oracle/run-walks $(B)' \
		'selftests/host/flow/run-flow --softpt $(B)/softpt' \
		'selftests/host/flow/run-lost --softpt $(B)/softpt' \
		'selftests/host/flow/run-kernel --softpt $(B)/softpt' \
		'selftests/host/flow/run-perfetto --softpt $(B)/softpt' \
		'selftests/host/flow/run-lines --softpt $(B)/softpt' \
		'selftests/host/flow/run-strides --softpt $(B)/softpt' \
		'selftests/host/flow/run-slices --softpt $(B)/softpt' \
		'selftests/host/flow/run-jobs --softpt $(B)/softpt' \
		'selftests/host/crash/run-crash --softpt $(B)/softpt' \
		'selftests/host/crash/run-registers --softpt $(B)/softpt' \
		'selftests/host/gdb/run-gdb --softpt $(B)/softpt' \
		'selftests/host/report/run-bolt --softpt $(B)/softpt' \
		'selftests/host/python/run-python $(B)' \
		'selftests/host/report/run-report --softpt $(B)/softpt' \
		'selftests/host/report/run-waits --softpt $(B)/softpt' \
		'selftests/host/report/run-profiles --softpt $(B)/softpt' \
		'selftests/host/report/run-sqlite --softpt $(B)/softpt' \
		'selftests/host/report/run-sqlite-file --softpt $(B)/softpt' \
		'selftests/host/report/run-arrow --softpt $(B)/softpt' \
		'selftests/host/annotate/run-annotate --softpt $(B)/softpt' \
		'selftests/host/annotate/run-autofdo --softpt $(B)/softpt' \
		'selftests/host/propeller/run-propeller --softpt $(B)/softpt' \
		'selftests/host/view/run-view --softpt $(B)/softpt' \
		'selftests/host/view/run-source --softpt $(B)/softpt' \
		'selftests/host/view/run-insns --softpt $(B)/softpt' \
		'selftests/host/view/run-keys --softpt $(B)/softpt' \
		'selftests/host/view/run-waits --softpt $(B)/softpt' \
		'selftests/host/diff/run-diff --softpt $(abspath $(B)/softpt)' \
		'selftests/host/import/run-import --softpt $(B)/softpt' \
		'selftests/host/port/run-model --softpt $(B)/softpt' \
		'selftests/host/port/run-capture --softpt $(B)/softpt' \
		'selftests/host/port/run-trigger $(abspath $(B)/softpt)' \
		'selftests/host/port/run-port --softpt $(B)/softpt' \
		'SOFTPT=$(abspath $(B)/softpt) $(B)/selftests/step no-module' \
		'selftests/guest/record/jit $(B)' \
		'selftests/guest/record/perf-tools $(B)' \
		'selftests/guest/vm/check-races' \
		'selftests/guest/vm/check-leaks' \
		'selftests/guest/vm/check-newest' \
		'selftests/guest/vm/check-matrix' \
		'selftests/fuzz/check-syzlang' \
		'selftests/quality/doc/run-doc'

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
	'selftests/host/flow/run-lost --softpt $(1)/softpt' \
	'selftests/host/flow/run-kernel --softpt $(1)/softpt' \
	'selftests/host/report/run-report --softpt $(1)/softpt $(if $(ASAN_MORE),,--no-node)' \
	'selftests/host/report/run-waits --softpt $(1)/softpt' \
	'selftests/host/report/run-profiles --softpt $(1)/softpt' \
	'selftests/host/report/run-sqlite --softpt $(1)/softpt' \
	'selftests/host/report/run-sqlite-file --softpt $(1)/softpt' \
	'selftests/host/report/run-arrow --softpt $(1)/softpt' \
	'selftests/host/view/run-view --softpt $(1)/softpt' \
	'selftests/host/view/run-source --softpt $(1)/softpt' \
	'selftests/host/view/run-insns --softpt $(1)/softpt' \
	'selftests/host/view/run-keys --softpt $(1)/softpt' \
	'selftests/host/view/run-waits --softpt $(1)/softpt' \
	'selftests/host/diff/run-diff --softpt $(abspath $(1)/softpt)'

ASAN_EVENTS ?= 20000
ASAN_MORE ?=

.PHONY: check-asan
check-asan: ## unit, golden, time and oracle tests again, with ASan and UBSan; the corpora of the fuzzers
	$(MAKE) -s -j$(JOBS) step-tests
	$(MAKE) -s -j$(JOBS) again-tests B=$(B)/asan CFLAGS='$(SANITIZE)' LDFLAGS='$(SANITIZE)'
	selftests/kit/tap-summary --jobs $(JOBS) $(call again,$(B)/asan) \
		'selftests/host/flow/run-slices --softpt $(B)/asan/softpt' \
		'selftests/host/flow/run-jobs --softpt $(B)/asan/softpt' \
		'selftests/host/gdb/run-gdb --softpt $(B)/asan/softpt' \
		'selftests/host/time/run-time --softpt $(B)/asan/softpt --count $(ASAN_EVENTS) $(if $(ASAN_MORE),,--no-gaps)' \
		'selftests/host/flow/run-perfetto --softpt $(B)/asan/softpt' \
		'selftests/host/flow/run-lines --softpt $(B)/asan/softpt' \
		'selftests/host/annotate/run-autofdo --softpt $(B)/asan/softpt' \
		'selftests/host/propeller/run-propeller --softpt $(B)/asan/softpt' \
		'selftests/host/flow/run-strides --softpt $(B)/asan/softpt' \
		'selftests/host/crash/run-crash --softpt $(B)/asan/softpt' \
		$(if $(ASAN_MORE),'selftests/host/eval/run-eval --softpt $(B)/asan/softpt --count 4' \
			'selftests/conformance/run-conformance --softpt $(B)/asan/softpt' \
			'selftests/host/import/run-import --softpt $(B)/asan/softpt')
