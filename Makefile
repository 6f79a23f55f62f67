# SPDX-License-Identifier: GPL-2.0
#
# Builds, installs and tests cfqx; "make help" tells what there is.
#
# Kbuild beside this file tells kbuild what the module consists of. All that a
# build leaves behind stays in this folder, ignored by git, or in BUILD.

KERNEL ?= $(shell uname -r)
KDIR ?= $(firstword $(wildcard /lib/modules/$(KERNEL)/build) \
	/usr/src/linux-headers-$(KERNEL))
BTF ?=
BUILD ?=

kdir := $(abspath $(KDIR))
btf := $(if $(BTF),$(abspath $(BTF)))
build := $(if $(BUILD),$(abspath $(BUILD)),$(CURDIR))
disk := selftests/disk
unit-tests := $(patsubst %/Makefile,%,$(wildcard $(disk)/test/Makefile \
	selftests/unit/Makefile))

all: modules

# In another place the sources are symbolic links, so nothing is made here.
mirror:
ifneq ($(build),$(CURDIR))
	@tools/mirror $(build) Kbuild iosched $(disk)
endif

btf2h: mirror
	@$(MAKE) --no-print-directory -s -f tools/btf2h/Makefile O=$(build)/tools/btf2h

types: btf2h
	+@tools/btf2h/generate $(kdir) $(build) $(btf)

modules: types
	$(MAKE) -C $(kdir) M=$(build) modules

modeldisk: mirror
	$(MAKE) -C $(kdir) M=$(build)/$(disk) modules

install: modules
	$(MAKE) -C $(kdir) M=$(build) modules_install
	depmod $(if $(INSTALL_MOD_PATH),-b $(INSTALL_MOD_PATH)) \
		$$(sed -n 's/^#define UTS_RELEASE "\(.*\)"$$/\1/p' \
		$(kdir)/include/generated/utsrelease.h)

demo check check-long:
	selftests/run $@

unit:
	tools/btf2h/test
	for dir in $(unit-tests); do $(MAKE) -C $$dir check || exit 1; done

style:
	+@KDIR=$(kdir) BTF=$(btf) tools/style

clean:
	rm -rf $(build)/iosched/generated
	find $(build)/iosched $(build)/$(disk) \( -name '*.o' -o -name '*.ko' \
		-o -name '*.mod' -o -name '*.mod.c' -o -name '.*.cmd' \
		-o -name modules.order -o -name Module.symvers \) \
		-type f -delete 2>/dev/null || true
	rm -f $(build)/cfqx.o $(build)/cfqx.ko $(build)/cfqx.mod* $(build)/.*.cmd $(build)/.*.o \
		$(build)/modules.order $(build)/Module.symvers
	$(MAKE) --no-print-directory -s -f tools/btf2h/Makefile O=$(build)/tools/btf2h clean

help:
	@echo 'make               build cfqx.ko for the running kernel'
	@echo 'make install       install it'
	@echo 'make demo          see it at work in a virtual machine, a few minutes'
	@echo 'make unit          tests in user space, seconds'
	@echo 'make check         all tests of a commit'
	@echo 'make check-long    all tests and experiments, hours'
	@echo 'make style         checkpatch, sparse, shellcheck, codespell'
	@echo 'make modeldisk     build modeldisk.ko, the disk the tests run on'
	@echo 'make clean         remove what was built'
	@echo
	@echo 'KERNEL=RELEASE     build for this kernel, whose headers are installed'
	@echo 'KDIR=FOLDER        build with these kernel headers'
	@echo 'BTF=FILE           vmlinuz or vmlinux of that kernel, if it is not found'
	@echo 'BUILD=FOLDER       build there; several kernels can be built at a time'

.PHONY: all mirror btf2h types modules modeldisk install demo check check-long unit \
	style clean help
