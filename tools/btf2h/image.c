// SPDX-License-Identifier: GPL-2.0
/*
 * btf2h: finds BTF, and the release it belongs to, in a file that is
 *   - raw BTF, as /sys/kernel/btf/vmlinux,
 *   - an ELF file with a .BTF section, as vmlinux,
 *   - an x86 bzImage, as /boot/vmlinuz-*, whose payload is such an ELF file,
 *   - any of these compressed by a tool that the kernel build can use.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "btf2h.h"

#define MAX_UNPACKED	(1UL << 30)

static const struct packer {
	const char *magic;
	size_t len;
	const char *argv[4];
} packers[] = {
	{ "\x1f\x8b\x08",	3, { "gzip", "-dc" } },
	{ "\xfd" "7zXZ\0",	6, { "xz", "-dc" } },
	{ "\x28\xb5\x2f\xfd",	4, { "zstd", "-dcq" } },
	{ "\x02\x21\x4c\x18",	4, { "lz4", "-dcq" } },
	{ "\x04\x22\x4d\x18",	4, { "lz4", "-dcq" } },
	{ "BZh",		3, { "bzip2", "-dc" } },
	{ "\x5d\0\0",		3, { "xz", "--format=lzma", "-dc" } },
	{ "\x89LZO\0",		5, { "lzop", "-dc" } },
};

static uint16_t get16(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

static uint32_t get32(const uint8_t *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static const struct packer *find_packer(struct blob in)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(packers); i++)
		if (in.size > packers[i].len &&
		    !memcmp(in.data, packers[i].magic, packers[i].len))
			return &packers[i];
	return NULL;
}

static void run_packer(const struct packer *p, int in, int out)
{
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0)
		_exit(126);
	execvp(p->argv[0], (char **)p->argv);
	_exit(127);
}

static struct blob read_pipe(int fd)
{
	struct blob out = { 0 };
	size_t room = 0;
	ssize_t got;

	for (;;) {
		if (out.size == room) {
			room = room ? room * 2 : 1 << 24;
			out.data = realloc(out.data, room);
			if (!out.data || room > MAX_UNPACKED)
				break;
		}
		got = read(fd, out.data + out.size, room - out.size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		out.size += got;
	}
	close(fd);
	return out;
}

/* The tool reads a temporary file, so neither side can wait for the other. */
static struct blob unpack(const char *path, const struct packer *p, struct blob in)
{
	struct blob out;
	FILE *tmp = tmpfile();
	int fds[2], status;
	pid_t pid;

	if (!tmp || fwrite(in.data, 1, in.size, tmp) != in.size ||
	    fflush(tmp) || lseek(fileno(tmp), 0, SEEK_SET))
		die("cannot write a temporary file: %s.", strerror(errno));
	if (pipe(fds))
		die("cannot make a pipe: %s.", strerror(errno));
	pid = fork();
	if (pid < 0)
		die("cannot start %s: %s.", p->argv[0], strerror(errno));
	if (!pid) {
		close(fds[0]);
		run_packer(p, fileno(tmp), fds[1]);
	}
	close(fds[1]);
	out = read_pipe(fds[0]);
	fclose(tmp);
	if (waitpid(pid, &status, 0) < 0)
		die("cannot wait for %s: %s.", p->argv[0], strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		die("%s is compressed with %s, which is not installed.",
		    path, p->argv[0]);
	if (!out.size || status)
		die("%s cannot be unpacked by %s: it is damaged or cut short.",
		    path, p->argv[0]);
	return out;
}

/* Boot protocol: the payload's place is in the header since 2.08. */
static bool is_bzimage(struct blob in)
{
	return in.size > 0x260 && !memcmp(in.data + 0x202, "HdrS", 4) &&
	       get16(in.data + 0x206) >= 0x208;
}

static char *bzimage_release(struct blob in)
{
	size_t at = (size_t)get16(in.data + 0x20e) + 0x200;
	size_t len = 0;

	if (at == 0x200)
		return NULL;
	while (at + len < in.size && in.data[at + len] > ' ' && len < 200)
		len++;
	return len ? xstrndup((char *)in.data + at, len) : NULL;
}

static struct blob bzimage_payload(const char *path, struct blob in)
{
	size_t setup = in.data[0x1f1] ? in.data[0x1f1] : 4;
	size_t start = (setup + 1) * 512 + get32(in.data + 0x248);
	size_t len = get32(in.data + 0x24c);
	const struct packer *p;
	struct blob payload;

	if (start > in.size || len > in.size - start || len < 16)
		die("%s is a kernel image that is cut short.", path);
	payload.data = in.data + start;
	payload.size = len;
	p = find_packer(payload);
	if (!p)
		die("%s is a kernel image with an unknown compression.", path);
	/* All but gzip have the unpacked size appended. */
	if (strcmp(p->argv[0], "gzip"))
		payload.size -= 4;
	return unpack(path, p, payload);
}

/* "Linux version 6.1.0-57-cloud-amd64 (builder@host) ..." */
static char *banner_release(struct blob in)
{
	static const char banner[] = "Linux version ";
	const size_t n = sizeof(banner) - 1;
	uint8_t *p = in.data, *end = in.data + in.size;
	size_t len;

	while ((p = memmem(p, end - p, banner, n))) {
		p += n;
		for (len = 0; p + len < end && p[len] > ' ' && p[len] < 127; len++)
			;
		if (len && p + len < end && p[len] == ' ' && p[0] >= '0' && p[0] <= '9')
			return xstrndup((char *)p, len);
	}
	return NULL;
}

static bool elf_range(struct blob in, uint64_t off, uint64_t len)
{
	return off <= in.size && len <= in.size - off;
}

static struct blob elf_btf(const char *path, struct blob in)
{
	const Elf64_Ehdr *eh = (const void *)in.data;
	const Elf64_Shdr *sh, *names;
	unsigned int i;

	if (in.size < sizeof(*eh) || eh->e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh->e_ident[EI_DATA] != ELFDATA2LSB)
		die("%s is not a 64-bit little-endian ELF file.", path);
	if (eh->e_shentsize != sizeof(*sh) || eh->e_shstrndx >= eh->e_shnum ||
	    !elf_range(in, eh->e_shoff, (uint64_t)eh->e_shnum * sizeof(*sh)))
		die("%s is an ELF file that is cut short.", path);
	sh = (const void *)(in.data + eh->e_shoff);
	names = &sh[eh->e_shstrndx];
	if (!elf_range(in, names->sh_offset, names->sh_size))
		die("%s is an ELF file that is cut short.", path);
	for (i = 0; i < eh->e_shnum; i++) {
		if ((uint64_t)sh[i].sh_name + 5 > names->sh_size ||
		    memcmp(in.data + names->sh_offset + sh[i].sh_name, ".BTF", 5))
			continue;
		if (sh[i].sh_type == SHT_NOBITS || !elf_range(in, sh[i].sh_offset, sh[i].sh_size))
			die("%s is an ELF file that is cut short.", path);
		return (struct blob){ in.data + sh[i].sh_offset, sh[i].sh_size };
	}
	die("%s has no BTF: its kernel was built without CONFIG_DEBUG_INFO_BTF.", path);
}

void image_load(struct image *image, const char *path)
{
	struct blob in = read_file(path);
	const struct packer *p;

	image->path = path;
	image->release = NULL;
	p = find_packer(in);
	if (p)
		in = unpack(path, p, in);
	if (is_bzimage(in)) {
		image->release = bzimage_release(in);
		in = bzimage_payload(path, in);
	}
	if (in.size >= 2 && get16(in.data) == 0xeb9f) {
		image->btf = in;
		return;
	}
	if (in.size < SELFMAG || memcmp(in.data, ELFMAG, SELFMAG))
		die("%s has no BTF: it is neither raw BTF nor ELF nor a kernel image.", path);
	image->btf = elf_btf(path, in);
	if (!image->release)
		image->release = banner_release(in);
}
