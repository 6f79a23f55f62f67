// SPDX-License-Identifier: GPL-2.0
/*
 * btf2h: writes a C header with the types of a kernel that its public headers
 * lack, from the kernel's own BTF; see --help.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "btf2h.h"

static const char usage[] =
"Usage: btf2h --list FILE --includes\n"
"       btf2h --list FILE --btf FILE --public FILE --symvers FILE [--release R] -o FILE\n"
"       btf2h --btf FILE --print-release\n"
"\n"
"Writes a C header with the kernel types that a module needs and the kernel's\n"
"public headers lack, out of the BTF of that kernel; with macros that tell what\n"
"the kernel has, and assertions by which it fits no other.\n"
"\n"
"  -l, --list FILE      what the header shall hold, see list.c\n"
"  -b, --btf FILE       vmlinuz, vmlinux or raw BTF of the kernel to build for\n"
"  -p, --public FILE    the output of --includes, preprocessed for that kernel\n"
"  -s, --symvers FILE   Module.symvers of that kernel\n"
"  -r, --release R      its release; a --btf that says another is refused\n"
"  -o, --output FILE    the header\n"
"      --includes       print the public headers of the list as C, and stop\n"
"      --print-release  print the release that the --btf file says, and stop\n"
"  -h, --help           this text\n"
"\n"
"Exit status: 0 done, 1 not possible (one sentence says why), 2 wrong usage.\n";

struct options {
	const char *list, *btf, *public, *symvers, *release, *output;
	bool includes, print_release;
};

static void bad_usage(const char *why)
{
	fprintf(stderr, "btf2h: %s; see btf2h --help.\n", why);
	exit(2);
}

static void parse_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "list", required_argument, NULL, 'l' },
		{ "btf", required_argument, NULL, 'b' },
		{ "public", required_argument, NULL, 'p' },
		{ "symvers", required_argument, NULL, 's' },
		{ "release", required_argument, NULL, 'r' },
		{ "output", required_argument, NULL, 'o' },
		{ "includes", no_argument, NULL, 'I' },
		{ "print-release", no_argument, NULL, 'R' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "l:b:p:s:r:o:h", longs, NULL)) != -1) {
		switch (c) {
		case 'l':
			o->list = optarg;
			break;
		case 'b':
			o->btf = optarg;
			break;
		case 'p':
			o->public = optarg;
			break;
		case 's':
			o->symvers = optarg;
			break;
		case 'r':
			o->release = optarg;
			break;
		case 'o':
			o->output = optarg;
			break;
		case 'I':
			o->includes = true;
			break;
		case 'R':
			o->print_release = true;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			bad_usage("wrong option");
		}
	}
	if (optind < argc)
		bad_usage("too many arguments");
}

static void print_release(const char *path)
{
	struct image image;

	image_load(&image, path);
	if (!image.release)
		die("%s does not say of which kernel it is.", path);
	puts(image.release);
}

static void check_release(const struct image *image, const char *release)
{
	if (release && image->release && strcmp(release, image->release))
		die("%s is of kernel %s, but the build is for %s.", image->path,
		    image->release, release);
}

static void write_header(struct job *job, const struct options *o)
{
	fprintf(job->out, "/* Written by btf2h for kernel %s: do not edit. */\n",
		o->release ? o->release : "(unknown)");
	fprintf(job->out, "#ifndef CFQX_BLK_PRIVATE_TYPES_H\n");
	fprintf(job->out, "#define CFQX_BLK_PRIVATE_TYPES_H\n\n");
	list_print_includes(job->list, job->out);
	emit_facts(job);
	emit_types(job);
	emit_functions(job);
	emit_asserts(job);
	fprintf(job->out, "\n#endif\n");
}

static void write_file(const char *path, const char *text, size_t size)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(text, 1, size, f) != size || fclose(f))
		die("cannot write %s: %s.", path, strerror(errno));
}

/* The header appears whole or not at all. */
static void generate(const struct options *o)
{
	const char *tmp = xasprintf("%s.tmp", o->output);
	struct known known = { 0 };
	struct set exported = { 0 };
	struct image image;
	struct list list;
	struct btf btf;
	struct job job = {
		.btf = &btf, .list = &list, .known = &known, .exported = &exported,
	};
	char *text = NULL;
	size_t size;

	list_read(&list, o->list);
	image_load(&image, o->btf);
	check_release(&image, o->release);
	btf_parse(&btf, &image);
	known_scan(&known, o->public);
	symvers_read(&exported, o->symvers);

	/* In memory first: an error leaves no file behind. */
	job.out = open_memstream(&text, &size);
	if (!job.out)
		die("out of memory for the header.");
	write_header(&job, o);
	if (fclose(job.out))
		die("out of memory for the header.");
	write_file(tmp, text, size);
	if (rename(tmp, o->output))
		die("cannot write %s: %s.", o->output, strerror(errno));
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	struct list list;

	parse_options(&o, argc, argv);
	if (o.print_release) {
		if (!o.btf)
			bad_usage("--print-release needs --btf");
		print_release(o.btf);
	} else if (o.includes) {
		if (!o.list)
			bad_usage("--includes needs --list");
		list_read(&list, o.list);
		list_print_includes(&list, stdout);
	} else if (o.list && o.btf && o.public && o.symvers && o.output) {
		generate(&o);
	} else {
		bad_usage("--list, --btf, --public, --symvers and --output are needed");
	}
	if (fflush(stdout))
		die("cannot write the output: %s.", strerror(errno));
	return 0;
}
