// SPDX-License-Identifier: GPL-2.0
/*
 * btf2h: reads the list file, which says what the header shall hold.
 *
 * One entry a line, '#' starts a comment. A '?' after the first word means:
 * some kernels lack it, leave it out there. Without, its absence is an error.
 *
 *	include linux/blkdev.h		public header that our code includes
 *	struct elevator_type		define it unless public; assert its layout
 *	union NAME, enum NAME, typedef NAME
 *	func elv_register		declare it if exported and not public
 *	var blkcg_root struct blkcg	the same for a variable; its type follows
 *	tracepoint block_bio_queue	signature of its probes
 *	fact request_queue.async_depth	CFQX_HAVE_request_queue__async_depth
 *	ops elevator_mq_ops		signature of each function pointer in it
 *	mark blkcg_gq.iostat_cpu __percpu	attribute behind the member's '*'
 */
#include <stdlib.h>
#include <string.h>

#include "btf2h.h"

static const struct {
	const char *word;
	unsigned int words;	/* that follow */
} keywords[] = {
	[I_INCLUDE]	= { "include", 1 },
	[I_STRUCT]	= { "struct", 1 },
	[I_UNION]	= { "union", 1 },
	[I_ENUM]	= { "enum", 1 },
	[I_TYPEDEF]	= { "typedef", 1 },
	[I_FUNC]	= { "func", 1 },
	[I_VAR]		= { "var", 2 },
	[I_TRACEPOINT]	= { "tracepoint", 1 },
	[I_FACT]	= { "fact", 1 },
	[I_OPS]		= { "ops", 1 },
	[I_MARK]	= { "mark", 2 },
};

static char *next_word(char **line)
{
	char *start = *line + strspn(*line, " \t\r");
	size_t len = strcspn(start, " \t\r");

	*line = start + len;
	if (!len)
		return NULL;
	return xstrndup(start, len);
}

static char *rest_of(char *line)
{
	size_t len;

	line += strspn(line, " \t\r");
	len = strlen(line);
	while (len && strchr(" \t\r", line[len - 1]))
		len--;
	return len ? xstrndup(line, len) : NULL;
}

static void bad_line(const struct list *list, unsigned int line, const char *why)
{
	die("%s:%u: %s.", list->path, line, why);
}

static void split_member(const struct list *list, struct item *item)
{
	char *dot = strchr(item->name, '.');

	if (!dot || !dot[1] || dot == item->name)
		bad_line(list, item->line, "STRUCT.MEMBER expected");
	*dot = '\0';
	item->member = dot + 1;
}

static struct item parse(const struct list *list, char *line, unsigned int nr)
{
	char *word = next_word(&line);
	struct item item = { .line = nr };
	size_t len = strlen(word), i;
	char *rest;

	if (word[len - 1] == '?') {
		item.optional = true;
		word[len - 1] = '\0';
	}
	for (i = 0; i < ARRAY_SIZE(keywords); i++)
		if (!strcmp(keywords[i].word, word))
			break;
	if (i == ARRAY_SIZE(keywords))
		bad_line(list, nr, xasprintf("unknown word \"%s\"", word));
	item.kind = i;
	item.name = next_word(&line);
	rest = rest_of(line);
	if (!item.name || (rest ? 2 : 1) != keywords[i].words)
		bad_line(list, nr, xasprintf("\"%s\" takes %u word%s", word, keywords[i].words,
					     keywords[i].words == 1 ? "" : "s or more"));
	if (item.kind == I_VAR)
		item.type = rest;
	else if (item.kind == I_MARK)
		item.text = rest;
	if (item.kind == I_FACT || item.kind == I_MARK)
		split_member(list, &item);
	return item;
}

void list_read(struct list *list, const char *path)
{
	struct blob in = read_file(path);
	char *line = (char *)in.data, *end;
	unsigned int nr = 0;

	*list = (struct list){ .path = path };
	for (; *line; line = end) {
		end = strchrnul(line, '\n');
		if (*end)
			*end++ = '\0';
		nr++;
		*strchrnul(line, '#') = '\0';
		if (!line[strspn(line, " \t\r")])
			continue;
		list->items = realloc(list->items, (list->nr + 1) * sizeof(*list->items));
		if (!list->items)
			die("out of memory for %s.", path);
		list->items[list->nr++] = parse(list, line, nr);
	}
	if (!list->nr)
		die("%s lists nothing.", path);
}

void list_print_includes(const struct list *list, FILE *out)
{
	const struct item *item;

	for (item = list->items; item < list->items + list->nr; item++) {
		if (item->kind != I_INCLUDE)
			continue;
		if (item->optional)
			fprintf(out, "#if __has_include(<%s>)\n", item->name);
		fprintf(out, "#include <%s>\n", item->name);
		if (item->optional)
			fprintf(out, "#endif\n");
	}
}
