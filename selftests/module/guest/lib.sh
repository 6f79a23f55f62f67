# shellcheck shell=sh
# shellcheck disable=SC2034 # what is set here is for those that source it
# SPDX-License-Identifier: GPL-2.0
#
# lib.sh - what the subjects share: tests, disks, cgroups, workers, the log.
# Sourced, never run. Prints what ktap.awk reads.

CG=/cg
TMP=/tmp/module
failed=0
mkdir -p $CG $TMP

note() { echo "# $*"; }

# t NAME COMMAND...: a test; it runs in a shell of its own.
t() {
	t_name=$1
	shift
	if [ -n "$ONLY" ] && ! echo "$t_name" | grep -qE -e "$ONLY"; then return; fi
	if ( "$@" ); then
		printf "ok - %s\n" "$t_name"
	else
		printf "not ok - %s\n" "$t_name"
		failed=1
	fi
}

skip() { echo "ok - $1 # SKIP $2"; }

# same WHAT GOT WANTED
same() {
	[ "$2" = "$3" ] && return 0
	note "$1: got '$2', want '$3'"
	return 1
}

# holds EXPRESSION: of awk, with its figures filled in.
holds() {
	awk "BEGIN { exit !($1) }" && return 0
	note "does not hold: $1"
	return 1
}

# rounds SHORT LONG
rounds() { if [ -n "$LONG" ]; then echo "$2"; else echo "$1"; fi; }

# until_true SECONDS COMMAND...
until_true() {
	tries=$(($1 * 10))
	shift
	while ! "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

# ---- the log

mark_log() { echo "module-test: mark $$" >/dev/kmsg; }

since_mark() {
	dmesg "$@" | awk -v m="module-test: mark $$" 'index($0, m) { n = NR }
		{ line[NR] = $0 } END { for (i = n + 1; i <= NR; i++) print line[i] }'
}

# What other parts of the kernel say at this level when nothing is wrong.
LOG_USUAL='taints kernel|module verification|module-test|blk_update_request'
LOG_USUAL=$LOG_USUAL'|Power-on or device reset|scsi_debug|Asking for cache data'
LOG_USUAL=$LOG_USUAL'|No Caching mode page|Assuming drive cache|hrtimer: interrupt took'

# clean_log [REGEX]: since the start no message above info, but for REGEX.
clean_log() {
	dmesg --level=emerg,alert,crit,err,warn >$TMP/log
	sed "1,${LOG_START}d" $TMP/log | grep -vE "$LOG_USUAL|${1:-^\$}" >$TMP/bad || return 0
	head -n 20 $TMP/bad | sed 's/^/# /'
	return 1
}

LOG_START=$(dmesg --level=emerg,alert,crit,err,warn | wc -l)

# ---- disks

# use NAME [SCHEDULER]: DISK, DEV, Q, DEVNO for a disk that is there.
use() {
	DISK=$1 DEV=/dev/$1 Q=/sys/block/$1/queue
	until_true 5 [ -b "$DEV" ] || { note "no $DEV"; return 1; }
	DEVNO=$(cat "/sys/block/$1/dev")
	[ -z "${2-}" ] || scheduler "$2"
}

# model [OPTION]...: the modelled disk, under cfqx
model() {
	modprobe modeldisk size_mib=8192 "$@" || return 1
	use modeldisk0 cfqx
}

# null [OPTION]...: null_blk
null() {
	modprobe null_blk nr_devices=1 gb=1 irqmode=2 memory_backed=1 "$@" || return 1
	use nullb0
}

# scsi [OPTION]...: scsi_debug
scsi() {
	modprobe sd_mod
	modprobe scsi_debug dev_size_mb=64 "$@" || return 1
	until_true 5 scsi_disk >/dev/null || { note 'no scsi_debug disk'; return 1; }
	use "$(scsi_disk)"
}

# its name, if it is there
scsi_disk() {
	for d in /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*:*/block/*; do
		[ -d "$d" ] || return 1
		echo "${d##*/}"
		return
	done
}

scheduler() {
	/bin/echo "$1" 2>$TMP/scheduler.err >"$Q/scheduler" && return 0
	note "scheduler $1: $(cat $TMP/scheduler.err)"
	return 1
}

current_scheduler() { sed 's/.*\[\(.*\)\].*/\1/' "$Q/scheduler"; }

no_disks() {
	for m in modeldisk null_blk scsi_debug; do
		[ ! -d /sys/module/$m ] || until_true 10 rmmod $m 2>/dev/null ||
			{ note "$m does not unload"; return 1; }
	done
}

no_module() {
	[ ! -d /sys/module/cfqx ] || until_true 10 rmmod cfqx 2>$TMP/rmmod || {
		note "$(tail -n 1 $TMP/rmmod)"
		return 1
	}
}

# ---- cgroups

mount_cgroups() {
	if [ "$HIERARCHY" = v1 ]; then
		mount -t cgroup -o blkio blkio $CG
	else
		mount -t cgroup2 cgroup2 $CG && echo '+io +memory' >$CG/cgroup.subtree_control
	fi
}

mountpoint -q $CG || mount_cgroups || note 'no cgroups'

# cg NAME [WEIGHT]: make it
cg() {
	mkdir -p "$CG/$1"
	[ -z "${2-}" ] || echo "$2" >"$CG/$1/io.cfqx.weight"
}

# un_cg NAME...: remove them, once empty
un_cg() {
	for g in "$@"; do
		[ ! -d "$CG/$g" ] || until_true 10 rmdir "$CG/$g" 2>/dev/null ||
			{ note "cgroup $g stays"; return 1; }
	done
}

# inside NAME COMMAND...: run it in the cgroup; use with & too
inside() {
	in_group=$CG/$1
	shift
	# shellcheck disable=SC2016
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$in_group" "$@" </dev/null
}

dying() { awk '$1 == "nr_dying_descendants" { print $2 }' $CG/cgroup.stat; }

# Memory of a cgroup's pages holds it; nothing else should.
drop_caches() { sync; echo 3 >/proc/sys/vm/drop_caches; }

# Those that were there before, held by the pages of some file, do not count.
none_dying() {
	drop_caches
	[ "$(dying)" -le "${DYING_BEFORE:-0}" ]
}

# stat_of CGROUP KEY: from io.cfqx.stat, for the disk in use
stat_of() {
	awk -v d="$DEVNO" -v k="$2=" '$1 == d { for (i = 2; i <= NF; i++)
		if (index($i, k) == 1) print substr($i, length(k) + 1) }' "$CG/$1/io.cfqx.stat"
}

# device_time CGROUP: on the disk in use, in the unit of its file
device_time() {
	if [ "$HIERARCHY" = v1 ]; then
		awk -v d="$DEVNO" '$1 == d { print $2 }' "$CG/$1/blkio.time"
	else
		stat_of "$1" time
	fi
}

# refused FILE VALUE ERROR: below $CG; writing fails and changes nothing
refused() {
	before=$(cat "$CG/$1")
	if /bin/echo "$2" 2>$TMP/error >"$CG/$1"; then note "$1: '$2' was accepted"; return 1; fi
	grep -q ": $3\$" $TMP/error || { note "$(cat $TMP/error)"; return 1; }
	same "$1" "$(cat "$CG/$1")" "$before"
}

# ---- workers

quiet_dd() { dd "$@" 2>/dev/null; }

# readers SECONDS CGROUP CGROUP: read sequentially in both, after a second that does
# not count. GOT: how many thousandths of the time of both the first had.
readers() {
	inside "$2" timeout $(($1 + 3)) dd if="$DEV" of=/dev/null bs=512k iflag=direct 2>/dev/null &
	inside "$3" timeout $(($1 + 3)) dd if="$DEV" of=/dev/null bs=512k skip=8000 iflag=direct 2>/dev/null &
	sleep 1
	first=$(device_time "$2") second=$(device_time "$3")
	sleep "$1"
	first=$(($(device_time "$2") - first)) second=$(($(device_time "$3") - second))
	wait
	GOT=$((first * 1000 / (first + second)))
	note "device time of $2 and $3: $first, $second: $GOT to $((1000 - GOT))"
}

# load SECONDS NAME: random mixed direct and buffered writers, with fsync; each
# on its own 16 MiB of the first 48, since the page cache fails what is mixed
load() {
	fio --filename="$DEV" --size=16m --time_based --runtime="$1" \
		--randrepeat=1 --fallocate=none --thread \
		--name=direct --rw=randrw --direct=1 --bsrange=4k-64k \
		--ioengine=libaio --iodepth=32 \
		--name=buffered --rw=randwrite --bsrange=4k-64k --fsync=50 --offset=16m \
		--name=stream --rw=write --bs=64k --direct=1 --offset=32m >"$TMP/fio.$2" 2>&1 && return 0
	grep -E 'error|err=' "$TMP/fio.$2" | sed 's/^/# /'
	return 1
}

finish() {
	no_disks
	exit $failed
}

[ "$HIERARCHY" = v1 ] || DYING_BEFORE=$(dying)
