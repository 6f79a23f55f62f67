// SPDX-License-Identifier: GPL-2.0
/*
 * share-io: two tasks read a disk that share an io_context, or have one each.
 *
 *	share-io shared|own DISK SECONDS
 *
 * Each reads 64 KiB at a time in order, the second from 1 GiB on.  Runs in a test
 * machine, so it is linked statically.
 *
 * Takes no locks.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SIZE		65536
#define BEST_EFFORT_4	((2 << 13) | 4)

static void read_for(const char *disk, off_t from, int seconds)
{
	int fd = open(disk, O_RDONLY | O_DIRECT);
	struct timespec begin, now;
	void *buffer;

	if (fd < 0 || posix_memalign(&buffer, 4096, SIZE)) {
		perror(disk);
		exit(1);
	}
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		if (pread(fd, buffer, SIZE, from) != SIZE) {
			perror(disk);
			exit(1);
		}
		from += SIZE;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec < seconds);
	exit(0);
}

int main(int argc, char **argv)
{
	int i, status, bad = 0;
	unsigned long flags;

	if (argc != 4) {
		fprintf(stderr, "usage: share-io shared|own DISK SECONDS\n");
		return 2;
	}
	flags = SIGCHLD | (strcmp(argv[1], "shared") ? 0 : CLONE_IO);
	/* There is nothing to share before it is needed: for a priority, say. */
	if (syscall(SYS_ioprio_set, 1, 0, BEST_EFFORT_4)) {
		perror("ioprio_set");
		return 1;
	}
	for (i = 0; i < 2; i++)
		if (!syscall(SYS_clone, flags, 0, 0, 0, 0))
			read_for(argv[2], (off_t)i << 30, atoi(argv[3]));
	while (wait(&status) > 0)
		bad |= status;
	return !!bad;
}
