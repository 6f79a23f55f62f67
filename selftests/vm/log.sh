# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# log.sh - which lines of a kernel log are a failure.
#
# log_bad ALLOWED FILE...: prints the bad lines of the files, less those that
# match one of the regular expressions in ALLOWED (one a line).

LOG_BAD='BUG:|WARNING:|Oops|general protection fault|Kernel panic|Call Trace'
LOG_BAD=$LOG_BAD'|possible (circular|recursive|irq)|inconsistent lock|suspicious'
LOG_BAD=$LOG_BAD'|INFO: (task|rcu|trying)|KASAN|KCSAN|UBSAN|ODEBUG|kmemleak|DEADLOCK'
LOG_BAD=$LOG_BAD'|refcount_t|list_(add|del) corruption|soft lockup|hard LOCKUP'
LOG_BAD=$LOG_BAD'|Unable to handle|invalid opcode|detected stall|page allocation failure'
LOG_BAD=$LOG_BAD'|unreferenced object|I/O error|Unknown symbol|disagrees about version'

log_bad() {
	allowed=$1; shift
	if [ -n "$allowed" ]; then
		grep -hE "$LOG_BAD" "$@" | grep -vE "$(printf '%s' "$allowed" | paste -sd'|' -)"
	else
		grep -hE "$LOG_BAD" "$@"
	fi
}
