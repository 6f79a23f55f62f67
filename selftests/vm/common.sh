# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# common.sh - what the scripts of selftests/vm share: where things are kept,
# how they speak, and how a directory becomes a cpio archive.
#
# Sourced, never run.  The caller sets `me` (its own name, for messages) and
# `here` (the directory of selftests/vm).

top=$(cd "$here/../.." && pwd)
cache=${CFQX_CACHE:-$top/.cache}
mkdir -p "$cache/vm" && cache=$(cd "$cache" && pwd)
vmcache=$cache/vm

# Exit codes of our own; everything else is the guest command's.
E_SETUP=120	# wrong usage, or something is missing on the host
E_LOG=121	# the guest's kernel log has a line that must not be there
E_DIED=122	# the guest ended without a result: panic, triple fault, kill
E_TIMEOUT=124	# the guest did not end in time
export E_LOG E_DIED E_TIMEOUT

say() { printf '%s: %s\n' "$me" "$*" >&2; }
die() { say "$*"; exit "$E_SETUP"; }

need() {
	for tool in "$@"; do
		command -v "$tool" >/dev/null 2>&1 ||
			die "$tool is needed on this host and was not found"
	done
}

# find_kernel SERIES: sets and exports VMLINUZ, MODDIR and RELEASE: what the
# environment names, or the newest Debian kernel of that series.
find_kernel() {
	if [ -z "${VMLINUZ-}" ] || [ -z "${MODDIR-}" ]; then
		found=$("$top/tools/setup/kernel" "$1") ||
			die "tools/setup/kernel $1 failed"
		eval "$found"
	fi
	[ -r "$VMLINUZ" ] || die "no kernel image $VMLINUZ"
	[ -d "$MODDIR/kernel" ] || die "no modules in $MODDIR"
	RELEASE=$(basename "$MODDIR")
	export VMLINUZ MODDIR RELEASE
}

# scratch: a directory beside the final place (so that a rename is atomic),
# named in $scratch and removed however we end.
scratch() {
	scratch=$(mktemp -d "$vmcache/tmp.XXXXXX") || exit "$E_SETUP"
	trap 'rm -rf "$scratch"' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# Debris: scratch directories of killed runs after a day, old images after three.
sweep() {
	find "$vmcache" -maxdepth 1 \( -name 'tmp.*' -mtime +1 -o \
		-name 'image-*' -mtime +3 -o -name 'modules-*' -mtime +3 \) \
		-exec rm -rf {} + 2>/dev/null || :
}

# pack DIR FILE: DIR as a newc cpio archive that is the same for the same
# content (times and owners zero, names sorted), padded so that archives can be
# concatenated.  $busybox is the static one out of the image.
pack() {
	find "$1" -exec touch -h -d @0 {} + &&
	(cd "$1" && find . | LC_ALL=C sort |
		"$busybox" cpio -o -H newc -R 0:0 \
			--ignore-devno --renumber-inodes 2>/dev/null) >"$2"
}
