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
# softpt looks for its runtime there, from the folder on that it is in itself.
LIBEXECDIR = $(BINDIR)/../libexec/softpt
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share

B := build
# make V=1 shows whole commands
ifneq ($(V),1)
Q := @
say = @printf '  %-8s%s\n' $(1) $@
endif
WARN := -Wall -Wextra -Werror -Wmissing-prototypes -Wmissing-declarations -Wshadow
# gcc clears a struct of 100 bytes by REP STOS, which takes longer than the C library's memset().
STRINGOP := $(shell $(CC) -mstringop-strategy=libcall -E -x c /dev/null > /dev/null 2>&1 && \
	echo -mstringop-strategy=libcall)
# Debug information names sources from here on: two trees of the same make the same files.
ALL_CFLAGS = -std=gnu11 $(WARN) $(STRINGOP) -fdebug-prefix-map=$(CURDIR)=. $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE \
	-D_FILE_OFFSET_BITS=64 \
	-DSOFTPT_VERSION='"$(VERSION)"' -Iuapi -Iuserspace/include -Iuserspace/lib -MMD -MP

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
ALONE := help arm64 clean style proof demo check check-full check-lint check-asan coverage mutants htmldocs modules modules_install \
	deb rpm dkms-install dkms-remove
ifneq ($(filter-out $(ALONE),$(or $(MAKECMDGOALS),all)),)
$(foreach package,$(PACKAGES),$(call need,$(package)))
TOOL_LIBS := $(if $(PACKAGES),$(shell pkg-config --libs $(PACKAGES)))
TOOL_CFLAGS := $(if $(PACKAGES),$(shell pkg-config --cflags $(PACKAGES)))
endif

# Used where it is there: another decoder to compare with (bench, oracle tests)
HAVE_LIBIPT := $(shell echo '\#include <intel-pt.h>' | $(CC) -E -x c - > /dev/null 2>&1 && echo y)

# And for instructions as text (softpt flow --insn)
HAVE_ZYDIS := $(shell echo '\#include <Zydis/Zydis.h>' | $(CC) -E -x c - > /dev/null 2>&1 && echo y)

# And for names of C++ and Rust as people write them
HAVE_LIBIBERTY := $(shell echo '\#include <libiberty/demangle.h>' | $(CC) -E -x c - > /dev/null 2>&1 && echo y)

# And for recordings that are compressed (softpt record -z): only its headers, it is loaded when it is needed
HAVE_ZSTD := $(shell echo '\#include <zstd.h>' | $(CC) -E -x c - > /dev/null 2>&1 && echo y)

# And for databases (softpt export --to sqlite): only its header, too
HAVE_SQLITE := $(shell echo '\#include <sqlite3.h>' | $(CC) -E -x c - > /dev/null 2>&1 && echo y)

# And for pictures in pixels (softpt eval --png)
HAVE_RSVG := $(shell pkg-config --exists 'librsvg-2.0 >= 2.46' && echo y)

# Sources of folders and of what is below them; sorted, so that every build links in the same order
sources = $(sort $(shell find $(1) -name '*.c'))

# ---- libraries: libsoftpt needs the C library alone; of control flow; with the engine of the module in it ----

FLOW_SRC := $(call sources,userspace/lib/code userspace/lib/flow userspace/lib/report userspace/lib/coverage userspace/lib/archive userspace/lib/diff userspace/lib/export userspace/lib/chart)
SIM_SRC := $(call sources,userspace/lib/sim userspace/lib/source)
LIB_SRC := $(filter-out $(FLOW_SRC) $(SIM_SRC),$(call sources,userspace/lib))
ENGINE_SRC := $(call sources,kmod/engine kmod/x86)
ifeq ($(HAVE_LIBIPT),y)
TOOL_CFLAGS += -DHAVE_LIBIPT
TOOL_LIBS += -lipt
else
FLOW_SRC := $(filter-out $(addprefix userspace/lib/flow/,ipt.c copy.c times.c),$(FLOW_SRC))
endif
ifeq ($(HAVE_ZYDIS),y)
TOOL_CFLAGS += -DHAVE_ZYDIS
TOOL_LIBS += -lZydis
endif
ifeq ($(HAVE_LIBIBERTY),y)
TOOL_CFLAGS += -DHAVE_LIBIBERTY
TOOL_LIBS += -liberty
endif
ifeq ($(HAVE_SQLITE),y)
TOOL_CFLAGS += -DHAVE_SQLITE
else
FLOW_SRC := $(filter-out userspace/lib/export/sqlite/%,$(FLOW_SRC)) userspace/lib/export/sqlite/sqlite.c
endif
ifeq ($(HAVE_ZSTD),y)
ALL_CFLAGS += -DHAVE_ZSTD
endif
LIB_OBJ := $(LIB_SRC:%.c=$(B)/obj/%.o)
FLOW_OBJ := $(FLOW_SRC:%.c=$(B)/obj/%.o)
SIM_OBJ := $(SIM_SRC:%.c=$(B)/obj/%.o)
ENGINE_OBJ := $(ENGINE_SRC:%.c=$(B)/obj/%.o)
X86_OBJ := $(filter $(B)/obj/kmod/x86/%,$(ENGINE_OBJ))
SHARED := libsoftpt libsoftpt-flow libsoftpt-sim

$(B)/obj/userspace/lib/%.o: userspace/lib/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) $(ROOM_CFLAGS) -fPIC -fvisibility=hidden -c -o $@ $<
$(FLOW_OBJ): ROOM_CFLAGS = $(TOOL_CFLAGS)

# Names of system calls, as the kernel's header numbers them
$(B)/gen/syscalls.inc: Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)echo '#include <asm/unistd_64.h>' | $(CC) -E -dM -x c - | \
		sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9]*\)$$/[\2] = "\1",/p' | LC_ALL=C sort > $@.new && mv $@.new $@
$(B)/obj/userspace/lib/flow/kernel/names.o: $(B)/gen/syscalls.inc
$(B)/obj/userspace/lib/flow/kernel/names.o: TOOL_CFLAGS += -I$(B)/gen

$(B)/obj/kmod/%.o: kmod/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIC -fvisibility=hidden -c -o $@ $<

$(B)/libsoftpt.a: $(LIB_OBJ)
$(B)/libsoftpt-flow.a: $(FLOW_OBJ) $(X86_OBJ)
$(B)/libsoftpt-sim.a: $(SIM_OBJ) $(ENGINE_OBJ)
$(B)/libsoftpt.a $(B)/libsoftpt-flow.a $(B)/libsoftpt-sim.a:
	$(call say,AR)
	$(Q)$(RM) $@
	$(Q)$(AR) qcs $@ $^

# The other two have a copy of what they need of libsoftpt: no shared library knows the inside of another.
$(B)/libsoftpt.so.$(SOVERSION): $(LIB_OBJ)
$(B)/libsoftpt-flow.so.$(SOVERSION): $(FLOW_OBJ) $(X86_OBJ) $(B)/libsoftpt.a
$(B)/libsoftpt-flow.so.$(SOVERSION): SHARED_LIBS = $(TOOL_LIBS)
$(B)/libsoftpt-sim.so.$(SOVERSION): $(SIM_OBJ) $(ENGINE_OBJ) $(B)/libsoftpt.a
$(B)/%.so.$(SOVERSION): userspace/lib/%.map
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,--version-script=$< -Wl,--no-undefined \
		-Wl,--as-needed -o $@ $(filter %.o,$^) $(filter %.a,$^) $(SHARED_LIBS)

$(B)/%.so: $(B)/%.so.$(SOVERSION)
	$(Q)ln -sf $(<F) $@

WHAT_libsoftpt := processor trace packets, and when they happened
WHAT_libsoftpt-flow := the path of a recorded program, with times
WHAT_libsoftpt-sim := a processor trace unit in software

# Written anew each time: `make install PREFIX=...` may follow a `make` without it
.PHONY: FORCE
$(B)/%.pc: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$(INCLUDEDIR)' '' \
		'Name: $*' 'Description: $(WHAT_$*)' 'Version: $(VERSION)' \
		$(if $(filter %-sim,$*),'Requires: libsoftpt = $(VERSION)') \
		'Libs: -L$${libdir} -l$(*:lib%=%)' 'Cflags: -I$${includedir}' > $@

# ---- command ----

TOOL_SRC := $(call sources,userspace/tool)
ifneq ($(HAVE_LIBIPT),y)
TOOL_SRC := $(filter-out %/ipt.c,$(TOOL_SRC))
endif
ifeq ($(HAVE_RSVG),y)
# Only its headers: it is loaded when it is needed
$(B)/obj/userspace/tool/eval/png.o: TOOL_CFLAGS += -DHAVE_RSVG $(shell pkg-config --cflags librsvg-2.0)
endif
TOOL_OBJ := $(TOOL_SRC:%.c=$(B)/obj/%.o)

# The page of softpt view, of its parts: the script is these, in this order, each without the line of its licence
PAGE := userspace/tool/view/page
PAGE_SCRIPT := $(patsubst %,$(PAGE)/%.js,data text colour canvas timeline waits flame functions code choice search move address paint \
	pointer keys begin)
$(B)/gen/page.html: $(PAGE)/page.html $(PAGE)/style.css $(PAGE_SCRIPT) Makefile
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)sed -s 1d $(PAGE_SCRIPT) > $@.script && sed 1d $(PAGE)/style.css > $@.style && \
		sed -e '/^@STYLE@$$/{r $@.style' -e 'd}' -e '/^@SCRIPT@$$/{r $@.script' -e 'd}' $< > $@.new && \
		$(RM) $@.script $@.style && mv $@.new $@
$(B)/obj/userspace/tool/view/page.o: $(B)/gen/page.html
$(B)/obj/userspace/tool/view/page.o: TOOL_CFLAGS += -DPAGE='"$(B)/gen/page.html"'

$(B)/obj/userspace/tool/%.o: userspace/tool/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(ALL_CFLAGS) $(TOOL_CFLAGS) -c -o $@ $<

# Those that need others are in front of them.
LIBRARIES := $(B)/libsoftpt-flow.a $(B)/libsoftpt-sim.a $(B)/libsoftpt.a

$(B)/softpt: $(TOOL_OBJ) $(LIBRARIES)
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(TOOL_OBJ) -Wl,--start-group $(LIBRARIES) -Wl,--end-group $(TOOL_LIBS) -lm

# ---- the runtime of a translated program: no C library, general registers only ----

XL_SRC := $(call sources,userspace/translate) userspace/translate/entry.S kmod/x86/decode.c
XL_OBJ := $(patsubst %,$(B)/obj/translate/%.o,$(basename $(XL_SRC)))
XL_CFLAGS := -std=gnu11 $(WARN) -O2 -g -fdebug-prefix-map=$(CURDIR)=. -ffreestanding -fno-stack-protector -mgeneral-regs-only \
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

COMPLETIONS := $(addprefix $(B)/softpt.,bash zsh fish)
$(COMPLETIONS): $(B)/softpt
	$(call say,GEN)
	$(Q)$< completion $(@:$(B)/softpt.%=%) > $@

.PHONY: userspace
userspace: $(B)/softpt $(B)/softpt-translate $(B)/libsoftpt.a $(SHARED:%=$(B)/%.so) $(SHARED:%=$(B)/%.pc) $(COMPLETIONS) ## build/softpt and build/libsoftpt*

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

# ---- install ----

HEADERS := $(wildcard userspace/include/softpt/*.h) uapi/softpt/packets.h uapi/softpt/retire.h

# Of each public function and struct; there are none where the kernel's kernel-doc is missing.
$(B)/man3: $(wildcard userspace/include/softpt/*.h) userspace/man/man3
	$(call say,MAN)
	$(Q)userspace/man/man3 $(VERSION) \
		"$$(date -u -d "@$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || date +%s)}" +%F)" $@ \
		$(filter %.h,$^) || { [ $$? = 3 ] && mkdir -p $@ && \
		echo 'no manual pages of the library: kernel-doc is missing (apt-get install linux-kbuild-6.1)'; }

# Where Debian's Python looks
ZSHDIR ?= $(DATADIR)/zsh/site-functions
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages

.PHONY: install
install: userspace $(B)/man3 ## command, library, headers, manual, completion, Python module (PREFIX, DESTDIR)
	install -d $(addprefix $(DESTDIR),$(BINDIR) $(LIBEXECDIR) $(LIBDIR)/pkgconfig \
		$(INCLUDEDIR)/softpt $(INCLUDEDIR)/linux $(PYTHONDIR) \
		$(DATADIR)/bash-completion/completions $(DATADIR)/fish/vendor_completions.d $(ZSHDIR) \
		$(addprefix $(DATADIR)/man/man,1 3 4 5 7))
	install -m 755 $(B)/softpt $(DESTDIR)$(BINDIR)
	install -m 755 $(B)/softpt-translate $(DESTDIR)$(LIBEXECDIR)
	install -m 755 $(SHARED:%=$(B)/%.so.$(SOVERSION)) $(DESTDIR)$(LIBDIR)
	for lib in $(SHARED); do ln -sf $$lib.so.$(SOVERSION) $(DESTDIR)$(LIBDIR)/$$lib.so; done
	install -m 644 $(B)/libsoftpt.a $(DESTDIR)$(LIBDIR)
	install -m 644 $(SHARED:%=$(B)/%.pc) $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 644 $(HEADERS) $(DESTDIR)$(INCLUDEDIR)/softpt
	install -m 644 uapi/linux/softpt.h uapi/linux/softpt-events.h $(DESTDIR)$(INCLUDEDIR)/linux
	install -m 644 $(B)/softpt.bash $(DESTDIR)$(DATADIR)/bash-completion/completions/softpt
	install -m 644 $(B)/softpt.fish $(DESTDIR)$(DATADIR)/fish/vendor_completions.d
	install -m 644 $(B)/softpt.zsh $(DESTDIR)$(ZSHDIR)/_softpt
	install -m 644 userspace/python/softpt.py $(DESTDIR)$(PYTHONDIR)
	for n in 1 4 5 7; do install -m 644 userspace/man/*.$$n $(DESTDIR)$(DATADIR)/man/man$$n || exit; done
	find $(B)/man3 -name '*.3*' -exec install -m 644 -t $(DESTDIR)$(DATADIR)/man/man3 {} +

# ---- packages ----

.PHONY: deb
deb: ## Debian packages in build/deb: command, libraries, module for DKMS, documentation
	@selftests/guest/vm/setup deb
	@$(RM) -r $(B)/deb
	@mkdir -p $(B)/deb/softpt-$(VERSION)
	git ls-files -z | xargs -0 cp -P --parents -t $(B)/deb/softpt-$(VERSION)
	cd $(B)/deb/softpt-$(VERSION) && dpkg-buildpackage -us -uc
	@$(RM) -r $(B)/deb/softpt-$(VERSION)
	@echo && ls $(B)/deb/*.deb

# Debian has what they are built with, under names that they do not know.
.PHONY: rpm
rpm: ## RPM packages in build/rpm: the same
	@[ ! -e /etc/debian_version ] || selftests/guest/vm/setup rpm
	@$(RM) -r $(B)/rpm
	@mkdir -p $(B)/rpm/SOURCES
	git ls-files -z | tar --null -T - --transform 's,^,softpt-$(VERSION)/,S' -czf $(B)/rpm/SOURCES/softpt-$(VERSION).tar.gz
	MAKEFLAGS= rpmbuild -ba $(if $(wildcard /etc/debian_version),--nodeps) --define '_topdir $(abspath $(B))/rpm' rpm/softpt.spec
	@$(RM) -r $(B)/rpm/BUILD $(B)/rpm/BUILDROOT
	@echo && ls $(B)/rpm/RPMS/*/*.rpm

.PHONY: sbom
sbom: userspace ## what the tree and the programs are made of, with licences and checksums: build/softpt.spdx.json
	$(Q)selftests/quality/sbom $(VERSION) $(B) > $(B)/softpt.spdx.json

# As the package softpt-dkms does, from this tree
DKMS := /usr/src/softpt-$(VERSION)

.PHONY: dkms-install
dkms-install: ## the module for this kernel and those to come, by DKMS (as root)
	install -d $(DKMS)
	cp -r --parents Kbuild uapi $(shell find kmod -name '*.[ch]') $(DKMS)
	sed 's/#MODULE_VERSION#/$(VERSION)/' debian/softpt-dkms.dkms > $(DKMS)/dkms.conf
	dkms install softpt/$(VERSION)

.PHONY: dkms-remove
dkms-remove: ## take it away again (as root)
	dkms remove softpt/$(VERSION) --all
	$(RM) -r $(DKMS)

# ---- tests ----

JOBS := $(shell nproc)
include $(patsubst %,selftests/%/rules.mk,kit conformance host fuzz guest quality)

.PHONY: check
check: ## every test that fits in 20 minutes: sets up what it needs
	@selftests/guest/vm/setup build check guest kasan newest
	@$(MAKE) -s -j$(JOBS) userspace step-tests
	selftests/kit/tap-summary '$(MAKE) -s check-host' '$(MAKE) -s check-asan' \
		'$(MAKE) -s check-lint' '$(MAKE) -s check-guest'

# Where PREEMPT_RT makes locks sleep: what is entered from interrupts, probes and perf
RT := abi$$|device|lifetime|inherit|record/(output|system)

# What is drawn anew each time comes last: all before it says the same of the same tree.
.PHONY: check-full
check-full: ## what `check` has no time for: more events, all guest tests, KCSAN, PREEMPT_RT, long programs, an idle minute, leaks
	@selftests/guest/vm/setup full
	selftests/kit/tap-summary \
		'$(MAKE) -s check-guest GUESTS="newest:all 6.1:all 6.1-kasan:rest 6.12:rest"' \
		'$(MAKE) -s check-host TIME_EVENTS=100000000 LOST_SCENES=10000 WIDTH_EVENTS=100000000 RANDOM_EVENTS=2000000 RANDOM_PROGRAMS=200 COMMANDS=3 ORACLE_CASES=1500 DECODE_OF="/usr/bin/*" COUNTER_FILES=10000 ADDRESS_CASES=5000 TRIGGER_CASES=10000 ATTACH_TIMES=8' \
		'$(MAKE) -s check-asan ASAN_EVENTS=50000 ASAN_MORE=y' \
		'selftests/quality/run-packages $(B) --build' \
		'selftests/quality/run-rpm $(B)' \
		'selftests/quality/run-reproducible' \
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
		'$(MAKE) -s oss-fuzz' \
		'$(MAKE) -s fuzz-device' \
		'$(MAKE) -s soak SOAK_SECONDS=180'

# ---- documentation ----

SPHINXBUILD ?= sphinx-build

.PHONY: htmldocs
htmldocs: ## Documentation as build/html (python3-sphinx); installs nothing
	@command -v $(SPHINXBUILD) > /dev/null || \
		{ echo 'sphinx-build is missing: apt-get install python3-sphinx'; exit 1; }
	$(SPHINXBUILD) -W --keep-going -q -b html Documentation $(B)/html

.PHONY: study
study: userspace ## the tables and pictures of Documentation/studies/eval.rst and study.rst, once more
	Documentation/pictures/study $(B)/softpt Documentation/studies/eval.rst Documentation/studies/study.rst

.PHONY: study-record
study-record: userspace ## the recordings that the study is of, once more, in QEMU: their events, packed
	Documentation/pictures/study-record

.PHONY: pictures
pictures: userspace ## the pictures in Documentation, from programs recorded in QEMU
	Documentation/pictures/perfetto

.PHONY: clean
clean: ## forget what was built in user space; what guests boot stays (build/guest)
	[ ! -d $(B) ] || find $(B) -mindepth 1 -maxdepth 1 ! -name guest -exec $(RM) -r {} +

-include $(shell find $(B)/obj -name "*.d" 2>/dev/null)
