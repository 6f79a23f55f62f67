#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Does the modelled disk keep its word? Run as root in a guest, in virtual time,
# with the module's path in $MODELDISK; prints KTAP. Arguments name the tests to
# run, default all. Needs dd, blockdev, fio, awk, sha256sum. Takes no locks.
#
# Rates come from the disk's own account, and those from bytes that the test
# itself counted: a figure below is bytes (known) over busy time (asked for).
#
# shellcheck disable=SC2317 # tests are called by name
# shellcheck disable=SC2086 # no path here has blanks

MODELDISK=${MODELDISK:-modeldisk.ko}
DEV=/dev/modeldisk0
SYS=/sys/block/modeldisk0/queue
DIR=/sys/kernel/debug/modeldisk/modeldisk0
TMP=${TMPDIR:-/tmp}/modeldisk.$$
MIB=1048576

note() { echo "# $*"; }

# near NAME GOT WANT PERCENT
near() {
	awk -v g="$2" -v w="$3" -v p="$4" \
		'BEGIN { d = g - w; exit !((d < 0 ? -d : d) <= w * p / 100) }' &&
		return 0
	note "$1: got $2, want $3 +- $4 %"
	return 1
}

# holds EXPRESSION: of awk, with its figures filled in
holds() {
	awk "BEGIN { exit !($1) }" && return 0
	note "does not hold: $1"
	return 1
}

same() {
	[ "$2" = "$3" ] && return 0
	note "$1: got '$2', want '$3'"
	return 1
}

load() {
	insmod "$MODELDISK" "$@" || return 1
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -b "$DEV" ] && break
		sleep 0.1
	done
	# the rates are the device's only if nobody reorders in front of it
	echo none > "$SYS/scheduler"
}

# A line in the kernel's log, to find what came after it.
mark() {
	marks=$((${marks:-0} + 1))
	marked="modeldisk-test $$.$marks."
	echo "$marked" > /dev/kmsg
}

# All of the log if the line is lost: better an old complaint than none.
since() {
	dmesg | awk -v m="$1" '{ line[NR] = $0 } index($0, m) { at = NR }
		END { for (i = at + 1; i <= NR; i++) print line[i] }'
}

unload() { rmmod modeldisk 2>/dev/null; }

reset() { echo > "$DIR/reset"; }

# field REGION COLUMN (2 busy, 3 read, 4 write, 5 rbytes, 6 wbytes, 7 reads,
# 8 writes), or field TOTAL
field() { awk -v n="$1" -v c="${2:-2}" '$1 == n { print $c; exit }' "$DIR/stats"; }

# MB/s of BYTES over the disk's busy time
rate() { awk -v b="$1" -v ns="$(field busy_ns)" 'BEGIN { print b * 1000 / ns }'; }

# requests a second of busy time
iops() { awk -v n="$1" -v ns="$(field busy_ns)" 'BEGIN { print n * 1e9 / ns }'; }

drop_caches() { sync; echo 3 > /proc/sys/vm/drop_caches; }

quiet_dd() { dd "$@" 2>/dev/null; }

# randread DEPTH SECONDS
randread() {
	fio --name=r --filename=$DEV --rw=randread --bs=4k --direct=1 \
		--ioengine=libaio --iodepth="$1" --norandommap --time_based \
		--runtime="$2" >/dev/null
}

# ---- parameters and identity

# The module must say why, and must be gone.
refused() {
	mark
	if insmod "$MODELDISK" "$@" 2>/dev/null; then
		unload
		note "$* was accepted"
		return 1
	fi
	since "$marked" | grep -q 'modeldisk.*refused' && return 0
	note "$* was refused without a word"
	return 1
}

test_parameters_refused() {
	for p in size_mib=0 size_mib=99999999 depth=0 depth=257 max_kib=3 \
		rpm=0 zones=0 zones=65 rate_outer=0 rate_inner=121 \
		seek_avg_us=100 seek_full_us=8000 readahead_kib=99999999 \
		iface_rate=0 reorder=2 age_ms=0 disks=0 disks=17 ssd=2 \
		cache_kib=9999999 overhead_us=200000; do
		refused $p || return 1
	done
	refused ssd=1 cache_kib=1024 && refused ssd=1 ssd_channels=65
}

test_identity() {
	load size_mib=1000 depth=16 max_kib=256 || return 1
	same sectors "$(cat /sys/block/modeldisk0/size)" 2048000 &&
		same rotational "$(cat $SYS/rotational)" 1 &&
		same cache "$(cat $SYS/write_cache)" "write through" &&
		same request "$(cat $SYS/max_sectors_kb)" 256 &&
		same block "$(cat $SYS/logical_block_size)" 512 &&
		same depth "$(cat /sys/module/modeldisk/parameters/depth)" 16
}

# ---- rates

# seqwrite SEEK_MIB: buffered, so that the queue is kept full
seqwrite() {
	drop_caches
	reset
	quiet_dd if=/dev/zero of=$DEV bs=1M count=128 seek="$1" conv=fsync
}

test_sequential_write() {
	load || return 1
	seqwrite 64
	near "outer zone, MB/s" "$(rate $((128 * MIB)))" 120 2 || return 1
	seqwrite $((65536 - 128))
	near "inner zone, MB/s" "$(rate $((128 * MIB)))" 60 2 || return 1
	holds "$(field transfer_ns) > 0.98 * $(field busy_ns)" || return 1
	near "data moved, ns" "$(field transfer_ns)" $((128 * MIB * 1000 / 60)) 1
}

# A write that comes after the one before has ended loses a turn: 512 KiB take
# 4.4 ms, and 8.3 ms until they may begin.
test_write_depth_1() {
	load || return 1
	quiet_dd if=/dev/zero of=$DEV bs=512k count=100 oflag=direct
	near "MB/s" "$(rate $((100 * MIB / 2)))" 41.3 3
}

test_sequential_read() {
	load || return 1
	reset
	quiet_dd if=$DEV of=/dev/null bs=128k count=512 iflag=direct
	holds "$(field clock_ns) < 64 * $MIB * 1000 / 114" || return 1
	reset
	quiet_dd if=$DEV of=/dev/null bs=1M count=64 skip=128
	near "buffered, MB/s" "$(rate $((64 * MIB)))" 120 4
}

test_no_readahead() {
	load readahead_kib=0 || return 1
	quiet_dd if=$DEV of=/dev/null bs=128k count=100 iflag=direct
	near "MB/s" "$(rate $((100 * MIB / 8)))" 13.9 3
}

test_random_read() {
	load || return 1
	reset
	randread 1 6
	one=$(iops "$(field other 7)")
	# seek, half a turn, command, 4 KiB at the mean rate
	near "reads/s at depth 1" "$one" \
		"$(awk 'BEGIN { print 1000 / (8.5 + 4.17 + 0.1 + 0.05) }')" 6 ||
		return 1
	holds "$(field transfer_ns) < 0.01 * $(field busy_ns)" || return 1
	reset
	randread 4 6
	four=$(iops "$(field other 7)")
	reset
	randread 32 6
	many=$(iops "$(field other 7)")
	note "reads/s at depth 1, 4, 32: $one $four $many"
	holds "$four > 1.2 * $one && $many > 1.4 * $four" || return 1
	holds "$(field mean_depth_milli) > 26000" || return 1
	# nobody starves
	holds "$(field response_max_ns) < 480e6"
}

test_random_read_in_order() {
	load reorder=0 || return 1
	randread 32 6
	near "reads/s" "$(iops "$(field other 7)")" 78 6
}

# ---- accounting

sums() {
	awk 'NR == 1 { next }
	NF == 8 && $1 != "total" { for (i = 2; i <= 8; i++) s[i] += $i; next }
	NF == 8 { for (i = 2; i <= 8; i++) t[i] = $i; next }
	{ v[$1] = $2 }
	END {
		for (i = 2; i <= 8; i++)
			if (s[i] != t[i])
				bad = 1
		exit bad || t[2] != v["busy_ns"] || t[2] != t[3] + t[4] ||
			v["busy_ns"] + v["idle_ns"] != v["clock_ns"] ||
			!t[2]
	}' "$1" && return 0
	note "sums do not match:"
	sed 's/^/# /' "$1"
	return 1
}

# two readers and a writer, two of them in regions
mixed_load() {
	fio --direct=1 --ioengine=libaio --iodepth=4 --time_based --runtime="$1" \
		--filename=$DEV --size=512m --norandommap --zero_buffers=1 \
		--name=a --rw=randread --bs=4k --offset=0 \
		--name=b --rw=write --bs=64k --offset=8g \
		--name=c --rw=randread --bs=16k --offset=32g >/dev/null
}

test_accounting_sums() {
	load || return 1
	printf 'add a 0 1048576\nadd b 16777216 1048576\n' > $DIR/regions
	mixed_load 3 &
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		holds "$(field b 8) > 10" >/dev/null && break
		sleep 0.5
	done
	reset
	for i in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.1
		cat $DIR/stats > "$TMP/stats$i"
	done
	wait
	cat $DIR/stats > "$TMP/stats11"
	for i in 1 2 3 4 5 6 7 8 9 10 11; do
		sums "$TMP/stats$i" || return 1
	done
	holds "$(field a 3) > 0 && $(field a 4) == 0" &&
		holds "$(field b 3) == 0 && $(field b 4) > 0" &&
		holds "$(field other 3) > 0" &&
		holds "$(field a 5) == 4096 * $(field a 7)" &&
		holds "$(field b 6) == 65536 * $(field b 8)"
}

# 96 sectors, a third of them on this side of the border
test_request_across_a_border() {
	load || return 1
	printf 'add a 0 32\nadd b 32 1000\n' > $DIR/regions
	reset
	quiet_dd if=/dev/zero of=$DEV bs=48k count=1 oflag=direct
	same "bytes in a" "$(field a 6)" 16384 &&
		same "bytes in b" "$(field b 6)" 32768 &&
		same "requests in a" "$(field a 8)" 1 &&
		same "requests in b" "$(field b 8)" 0 &&
		near "time in b" "$(field b 4)" \
			"$(awk -v a="$(field a 4)" 'BEGIN { print 2 * a }')" 0.1 &&
		sums $DIR/stats
}

test_several_extents() {
	load || return 1
	printf 'add a 0 8\nadd a 1000000 8\nadd b 8 8\n' > $DIR/regions
	reset
	for s in 0 1 125000 125001; do
		quiet_dd if=$DEV of=/dev/null bs=4k count=1 skip=$s iflag=direct
	done
	same "reads of a" "$(field a 7)" 2 && same "reads of b" "$(field b 7)" 1 &&
		same "other reads" "$(field other 7)" 1
}

# Every other 4 KiB block of a range is an extent.
test_thousands_of_extents() {
	load || return 1
	awk 'BEGIN { for (i = 0; i < 6000; i++)
		print "add r" i % 100, i * 16, 8 }' > "$TMP/extents"
	dd if="$TMP/extents" of=$DIR/regions bs=1M 2>/dev/null || return 1
	same extents "$(wc -l < $DIR/regions)" 6000 || return 1
	reset
	for i in 0 1 57 199 5999; do
		quiet_dd if=$DEV of=/dev/null bs=4k count=2 skip=$((i * 2)) \
			iflag=direct
	done
	same "reads of r0" "$(field r0 7)" 1 && same "reads of r1" "$(field r1 7)" 1 &&
		same "reads of r57" "$(field r57 7)" 1 &&
		same "reads of r99" "$(field r99 7)" 2 &&
		same "other reads" "$(field other 7)" 5
}

# bad TEXT: refused, and nothing has changed
bad() {
	cat $DIR/regions > "$TMP/before"
	if printf '%b' "$1" > $DIR/regions 2>/dev/null; then
		note "accepted: $1"
		return 1
	fi
	cat $DIR/regions > "$TMP/after"
	cmp -s "$TMP/before" "$TMP/after" && return 0
	note "refused, but changed something: $1"
	return 1
}

test_bad_regions() {
	load size_mib=1000 || return 1
	echo 'add a 1000 1000' > $DIR/regions
	bad 'add' && bad 'add b' && bad 'add b 1' && bad 'add b 1 2 3' &&
		bad 'add b x 2' && bad 'add b 1 -2' && bad 'add b 1 0' &&
		bad 'sub b 1 2' && bad 'add b/* 1 2' &&
		bad 'add 12345678901234567890123456789012 1 2' &&
		bad 'add b 2048000 1' && bad 'add b 2047999 2' &&
		bad 'add b 0 99999999999999999999999' &&
		bad 'add b 1 18446744073709551615' &&
		bad 'add b 0 1001' && bad 'add b 1999 1' && bad 'add a 1500 1' &&
		bad 'add b 0 5000' && bad 'add other 1 2' && bad 'add total 1 2' &&
		bad 'add busy_ns 1 2' && bad 'clear it' &&
		bad 'add b 1 2\nadd c 3 4\nadd d 999 2\n' || return 1
	same regions "$(cat $DIR/regions)" "a 1000 1000" || return 1
	awk '{ n++ } $1 ~ /^[bcd]$/ { bad = 1 } END { exit bad || !n }' $DIR/stats ||
		{ note "a refused region is in stats"; return 1; }
	# neighbours are no overlap
	echo 'add b 0 1000' > $DIR/regions && echo 'add c 2000 1' > $DIR/regions
}

test_reset_and_clear() {
	load || return 1
	echo 'add a 0 2048' > $DIR/regions
	quiet_dd if=/dev/zero of=$DEV bs=64k count=8 oflag=direct
	busy=$(field total 2)
	holds "$busy > 0 && $(field a 6) == 524288" || return 1
	echo clear > $DIR/regions || return 1
	same "regions after clear" "$(cat $DIR/regions)" "" &&
		same "what they cost" "$(field other 6)" \
			"$(field total 6)" &&
		holds "$(field other 2) >= $busy" && sums $DIR/stats || return 1
	reset
	same "busy after reset" "$(field total 2)" 0 &&
		same "bytes after reset" "$(field total 6)" 0 &&
		holds "$(field clock_ns) < 1e9" || return 1
	clock=$(field clock_ns)
	sleep 0.3
	holds "$(field clock_ns) - $clock >= 3e8"
}

# ---- data

test_zeroes_cost_no_memory() {
	load || return 1
	quiet_dd if=/dev/zero of=$DEV bs=1M count=256 conv=fsync
	same "KiB held" "$(field store_kib)" 0
}

# patch FILE OFFSET LENGTH: the same random bytes there and on the disk
patch() {
	quiet_dd if=/dev/urandom of="$TMP/piece" bs=512 count="$3"
	quiet_dd if="$TMP/piece" of="$1" bs=512 seek="$2" conv=notrunc
	quiet_dd if="$TMP/piece" of=$DEV bs=512 seek="$2" count="$3" oflag=direct
}

sums_equal() {
	drop_caches
	a=$(sha256sum < "$1")
	b=$(quiet_dd if=$DEV bs=1M count=8 iflag=direct | sha256sum)
	same "sum of $2" "$b" "$a"
}

# Sector by sector, unaligned to pages, and across the leaves of the table. On an
# SSD, as thousands of single sectors would take half a minute on a disk.
test_data() {
	load ssd=1 || return 1
	quiet_dd if=/dev/zero of="$TMP/image" bs=1M count=8
	sums_equal "$TMP/image" "an empty disk" || return 1
	# some dd give up direct I/O of less than a page, in silence
	reset
	patch "$TMP/image" 5 1
	same "bytes of one sector" "$(field total 6)" 512 || return 1
	for at in 0 1 7 8 13 1023 4090 4095 8191 9999 16383; do
		patch "$TMP/image" $at 1
	done
	patch "$TMP/image" 4093 17
	patch "$TMP/image" 2001 2500
	patch "$TMP/image" 12288 1024
	sums_equal "$TMP/image" "scattered sectors" || return 1
	# half a page of zeroes, then the other half
	quiet_dd if=/dev/zero of="$TMP/image" bs=512 seek=12288 count=4 conv=notrunc
	quiet_dd if=/dev/zero of=$DEV bs=512 seek=12288 count=4 oflag=direct
	sums_equal "$TMP/image" "half a page" || return 1
	held=$(field store_kib)
	quiet_dd if=/dev/zero of="$TMP/image" bs=512 seek=12292 count=4 conv=notrunc
	quiet_dd if=/dev/zero of=$DEV bs=512 seek=12292 count=4 oflag=direct
	sums_equal "$TMP/image" "a dropped page" || return 1
	same "KiB held" "$(field store_kib)" $((held - 4)) || return 1
	quiet_dd if=/dev/zero of=$DEV bs=1M count=8 oflag=direct
	same "KiB held in the end" "$(field store_kib)" 0
}

test_data_in_parallel() {
	load || return 1
	fio --name=v --filename=$DEV --rw=randwrite --bsrange=512-64k \
		--blockalign=512 --size=16m --direct=1 \
		--ioengine=libaio --iodepth=16 --verify=crc32c \
		--do_verify=1 --verify_fatal=1 > "$TMP/fio" 2>&1 && return 0
	sed 's/^/# /' "$TMP/fio"
	return 1
}

# No memory is an I/O error for the writer, and for nobody else.
test_no_memory() {
	load store_mib=2 || return 1
	quiet_dd if=/dev/urandom of="$TMP/random" bs=1M count=3
	quiet_dd if="$TMP/random" of=$DEV bs=64k count=32 oflag=direct || return 1
	if quiet_dd if="$TMP/random" of=$DEV bs=64k seek=100 count=1 oflag=direct
	then
		note "wrote more than fits"
		return 1
	fi
	holds "$(field errors) > 0 && $(field store_failed) > 0" || return 1
	same "KiB held" "$(field store_kib)" 2048 || return 1
	a=$(quiet_dd if="$TMP/random" bs=1M count=2 | sha256sum)
	b=$(quiet_dd if=$DEV bs=1M count=2 iflag=direct | sha256sum)
	same "sum of what fitted" "$b" "$a"
}

# ---- write cache

test_cache_takes_writes() {
	load cache_kib=8192 || return 1
	same cache "$(cat $SYS/write_cache)" "write back" || return 1
	echo 'add a 0 65536' > $DIR/regions
	reset
	# 4 MiB fit: complete at the interface's pace, written back later
	quiet_dd if=/dev/zero of=$DEV bs=128k count=32 oflag=direct
	holds "$(field response_mean_ns) < 700e3" || return 1
	holds "$(field cache_dirty_kib) > 1024" || return 1
	early=$(field a 4)
	sleep 0.5
	holds "$(field a 4) > $early + 10e6" &&
		same "dirty in the end" "$(field cache_dirty_kib)" 0 &&
		same "busy outside" "$(field other 2)" 0 && sums $DIR/stats
}

# A run of writes at depth 1 loses no turn any more; and the cache fills up.
test_cache_fills_up() {
	load cache_kib=2048 || return 1
	reset
	quiet_dd if=/dev/zero of=$DEV bs=512k count=128 oflag=direct
	holds "$(field cache_dirty_kib) <= 2048" || return 1
	near "MB/s" "$(rate $((64 * MIB)))" 120 6 || return 1
	near "MB/s of the writer" "$(awk -v ns="$(field clock_ns)" \
		'BEGIN { print 64 * 1048576 * 1000 / ns }')" 120 8
}

test_cache_flush() {
	load cache_kib=8192 || return 1
	reset
	# 4 KiB here and there: more than a second of work
	fio --name=w --filename=$DEV --rw=randwrite --bs=4k --direct=1 \
		--number_ios=150 --zero_buffers=1 --norandommap >/dev/null
	holds "$(field response_mean_ns) < 1e6" || return 1
	dirty=$(field cache_dirty_kib)
	holds "$dirty > 300" || return 1
	before=$(field clock_ns)
	flushes=$(field flushes)
	quiet_dd if=/dev/zero of=$DEV bs=4k count=1 conv=fsync
	holds "$(field flushes) > $flushes" &&
		same "dirty after a flush" "$(field cache_dirty_kib)" 0 &&
		holds "$(field clock_ns) - $before > $dirty / 4 * 2e6" &&
		sums $DIR/stats
}

# The medium's pace, not the cache's: a turn for each, and nothing ever dirty.
test_cache_fua() {
	load cache_kib=8192 || return 1
	reset
	fio --name=w --filename=$DEV --rw=write --bs=4k --size=400k --direct=1 \
		--sync=dsync --zero_buffers=1 >/dev/null &
	dirty=0
	while [ "$(field total 8)" -lt 100 ]; do
		dirty=$((dirty + $(field cache_dirty_kib)))
		sleep 0.01
	done
	wait
	near "ms a write" "$(awk -v ns="$(field busy_ns)" \
		'BEGIN { print ns / 100e6 }')" 8.3 5 &&
		same writes "$(field total 8)" 100 &&
		same "dirty KiB" "$dirty" 0
}

# A full cache is written back between reads, not before them.
test_cache_and_readers() {
	load cache_kib=8192 || return 1
	printf 'add w 0 2097152\n' > $DIR/regions
	reset
	fio --filename=$DEV --direct=1 --time_based --runtime=4 --zero_buffers=1 \
		--ioengine=libaio --norandommap \
		--name=w --rw=randwrite --bs=4k --size=1g --iodepth=4 \
		--name=r --rw=randread --bs=4k --offset=16g --size=1g \
		>/dev/null
	holds "$(field w 8) > 100 && $(field other 7) > 100" &&
		holds "$(field response_max_ns) < 1500e6" && sums $DIR/stats
}

# ---- SSD

test_ssd() {
	load ssd=1 || return 1
	same rotational "$(cat $SYS/rotational)" 0 || return 1
	reset
	randread 1 1
	# 80 us, and 100 us for the command, and 4 KiB at 200 MB/s
	near "ns a read" "$(field service_mean_ns)" 200480 2 || return 1
	near "of it moving data" \
		"$(($(field transfer_ns) / $(field other 7)))" 20480 2 || return 1
	one=$(iops "$(field other 7)")
	reset
	randread 8 1
	many=$(iops "$(field other 7)")
	note "reads/s at depth 1, 8: $one $many"
	holds "$many > 4 * $one" && sums $DIR/stats || return 1
	reset
	mixed_load 1
	sums $DIR/stats
}

# ---- life cycle

test_several_disks() {
	load disks=3 size_mib=1024 || return 1
	quiet_dd if=/dev/urandom of=/dev/modeldisk2 bs=4k count=3 oflag=direct
	same "writes of 0" "$(field total 8)" 0 || return 1
	DIR=${DIR%0}2
	same "writes of 2" "$(field total 8)" 3
	ok=$?
	DIR=${DIR%2}0
	return $ok
}

# One primary partition, sectors 2048 to 4095; the second disk keeps its number.
test_partition() {
	load size_mib=1024 disks=2 || return 1
	{
		quiet_dd if=/dev/zero bs=446 count=1
		printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\010\0\0'
		quiet_dd if=/dev/zero bs=48 count=1
		printf '\125\252'
	} > "$TMP/mbr"
	quiet_dd if="$TMP/mbr" of=$DEV bs=512 conv=fsync
	blockdev --rereadpt $DEV || return 1
	sleep 0.2
	echo 'add p 2048 2048' > $DIR/regions
	reset
	quiet_dd if=/dev/zero of=${DEV}p1 bs=4k count=1 oflag=direct
	same "writes of the partition" "$(field p 8)" 1 &&
		same "other writes" "$(field other 8)" 0
}

test_load_and_unload() {
	for i in 1 2 3 4 5 6 7 8 9 10; do
		load cache_kib=$((i % 2 * 4096)) disks=$((i % 3 + 1)) || return 1
		echo 'add a 0 2048' > $DIR/regions
		quiet_dd if=/dev/urandom of=$DEV bs=64k count=4 oflag=direct
		exec 3< $DEV
		if unload; then
			note "unloaded while open"
			return 1
		fi
		exec 3<&-
		# with a dirty cache, every other time
		unload || { note "cannot unload"; return 1; }
	done
	[ ! -d /sys/kernel/debug/modeldisk ]
}

# Must be the last.
test_nothing_in_the_log() {
	! since "$begun" | grep -E \
		'BUG|WARNING|Oops|possible .*deadlock|inconsistent lock' |
		sed 's/^/# /' | grep .
}

tests="parameters_refused identity
sequential_write write_depth_1 sequential_read no_readahead
random_read random_read_in_order
accounting_sums request_across_a_border several_extents thousands_of_extents
bad_regions reset_and_clear
zeroes_cost_no_memory data data_in_parallel no_memory
cache_takes_writes cache_fills_up cache_flush cache_fua cache_and_readers
ssd several_disks partition load_and_unload nothing_in_the_log"

mkdir -p "$TMP"
trap 'unload; rm -rf "$TMP"' EXIT
[ $# -gt 0 ] || set -- $tests
mark
begun=$marked
echo "KTAP version 1"
echo "1..$#"
n=0
status=0
for t in "$@"; do
	n=$((n + 1))
	unload
	if "test_$t"; then
		echo "ok $n $t"
	else
		echo "not ok $n $t"
		status=1
	fi
done
exit $status
