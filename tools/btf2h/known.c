// SPDX-License-Identifier: GPL-2.0
/*
 * btf2h: collects what preprocessed C defines and declares, so that the header
 * repeats none of it; reads which symbols the kernel exports.
 *
 * This is no parser of C. It follows braces and parentheses and knows the few
 * shapes that matter: "struct tag {", "typedef ... name", enumerators, and the
 * identifiers of declarations at file scope. Function bodies are skipped.
 */
#include <ctype.h>
#include <string.h>

#include "btf2h.h"

#define MAX_NEST	256
#define MAX_NAME	256

enum scope { S_FILE, S_AGGREGATE, S_ENUM, S_BODY };

struct lexer {
	const char *p;
	const char *end;
	const char *path;
	char text[MAX_NAME];	/* of an identifier, else one character */
	bool ident;
};

/* What the declaration being read has shown so far. */
struct decl {
	bool is_typedef;
	enum scope tag_scope;	/* S_FILE: no struct, union or enum seen */
	struct set *tag_set;
	char tag[MAX_NAME];
	bool after_tag;		/* the next identifier may be the tag */
	char name[MAX_NAME];	/* last candidate for the declared name */
	bool name_fixed;	/* "(*name)(...)": no later one replaces it */
	bool has_body;
};

static void skip_line(struct lexer *lx)
{
	while (lx->p < lx->end && *lx->p != '\n')
		lx->p++;
}

static void skip_literal(struct lexer *lx)
{
	char quote = *lx->p++;

	while (lx->p < lx->end && *lx->p != quote && *lx->p != '\n')
		lx->p += *lx->p == '\\' ? 2 : 1;
	lx->p++;
}

static bool next(struct lexer *lx)
{
	bool line_start = false;
	size_t len = 0;

	for (; lx->p < lx->end; lx->p++) {
		if (*lx->p == '\n')
			line_start = true;
		else if (*lx->p == '#' && line_start)
			skip_line(lx), lx->p--;
		else if (*lx->p == '"' || *lx->p == '\'')
			skip_literal(lx), lx->p--;
		else if (!isspace((unsigned char)*lx->p))
			break;
	}
	if (lx->p >= lx->end)
		return false;
	lx->ident = isalpha((unsigned char)*lx->p) || *lx->p == '_';
	do {
		if (len == MAX_NAME - 1)
			die("%s holds a name of more than %d characters.",
			    lx->path, MAX_NAME - 1);
		lx->text[len++] = *lx->p++;
	} while (lx->p < lx->end &&
		 (isalnum((unsigned char)lx->text[0]) || lx->text[0] == '_') &&
		 (isalnum((unsigned char)*lx->p) || *lx->p == '_'));
	lx->text[len] = '\0';
	return true;
}

static void skip_parens(struct lexer *lx)
{
	int depth = 0;

	while (next(lx)) {
		if (lx->text[0] == '(')
			depth++;
		if (lx->text[0] == ')' && --depth <= 0)
			return;
	}
}

static bool is(const struct lexer *lx, const char *word)
{
	return !strcmp(lx->text, word);
}

/* Words with parentheses behind them that declare nothing. */
static bool takes_parens(const struct lexer *lx)
{
	return is(lx, "__attribute__") || is(lx, "__attribute") || is(lx, "__asm__") ||
	       is(lx, "asm") || is(lx, "__asm") || is(lx, "__typeof__") ||
	       is(lx, "typeof") || is(lx, "__typeof_unqual__") || is(lx, "_Alignas") ||
	       is(lx, "_Static_assert");
}

static void see_tag_word(struct known *known, struct decl *d, const struct lexer *lx)
{
	d->tag_scope = is(lx, "enum") ? S_ENUM : S_AGGREGATE;
	d->tag_set = is(lx, "enum") ? &known->enums :
		     is(lx, "union") ? &known->unions : &known->structs;
	d->tag[0] = '\0';
	d->after_tag = true;
}

static void end_of_decl(struct known *known, struct decl *d)
{
	if (d->name[0] && d->is_typedef)
		set_put(&known->typedefs, d->name, NULL);
	else if (d->name[0] && (d->has_body || !set_has(&known->decls, d->name)))
		set_put(&known->decls, d->name, d->has_body ? "body" : NULL);
	*d = (struct decl){ 0 };
}

/* At file scope; inside aggregates only their own tags count. */
static void see_ident(struct known *known, struct decl *d, struct lexer *lx,
		      enum scope scope, int parens)
{
	if (takes_parens(lx)) {
		skip_parens(lx);
	} else if (is(lx, "struct") || is(lx, "union") || is(lx, "enum")) {
		if (!parens || scope == S_AGGREGATE)
			see_tag_word(known, d, lx);
	} else if (d->after_tag) {
		memcpy(d->tag, lx->text, sizeof(d->tag));
		d->after_tag = false;
	} else {
		d->tag_scope = S_FILE;
		if (scope != S_FILE || parens)
			return;
		if (is(lx, "typedef"))
			d->is_typedef = true;
		else if (!d->name_fixed)
			memcpy(d->name, lx->text, sizeof(d->name));
	}
}

/*
 * The first parenthesis of a declaration: "(*name)" and "(name)(" hold the
 * declared name, otherwise it was the identifier before.
 */
static void see_paren(struct decl *d, struct lexer *lx)
{
	struct lexer ahead = *lx, after;
	bool pointer = false;

	if (d->name_fixed)
		return;
	while (next(&ahead) && (ahead.text[0] == '*' || takes_parens(&ahead) ||
				is(&ahead, "const"))) {
		if (takes_parens(&ahead))
			skip_parens(&ahead);
		pointer |= ahead.text[0] == '*';
	}
	after = ahead;
	if (!pointer && next(&after) && after.text[0] == ')' &&
	    next(&after) && after.text[0] == '(')
		pointer = true;
	if (pointer && ahead.ident)
		memcpy(d->name, ahead.text, sizeof(d->name));
	d->name_fixed = d->name[0];
}

static void see_enumerator(struct known *known, struct lexer *lx)
{
	int depth = 0;

	/* name, then anything up to the comma or the closing brace */
	set_put(&known->enumerators, lx->text, NULL);
	for (;;) {
		const char *before = lx->p;

		if (!next(lx))
			return;
		if (lx->text[0] == '(')
			depth++;
		if (lx->text[0] == ')')
			depth--;
		if (lx->text[0] == ',' && !depth)
			return;
		if (lx->text[0] == '}') {
			lx->p = before;
			return;
		}
	}
}

static enum scope open_brace(struct decl *d, enum scope scope)
{
	enum scope inner = S_BODY;

	if (scope != S_BODY && d->tag_scope != S_FILE) {
		inner = d->tag_scope;
		if (d->tag[0])
			set_put(d->tag_set, d->tag, NULL);
	}
	d->tag_scope = S_FILE;
	d->after_tag = false;
	return inner;
}

void known_scan(struct known *known, const char *path)
{
	struct blob in = read_file(path);
	struct lexer lx = {
		.p = (char *)in.data, .end = (char *)in.data + in.size, .path = path,
	};
	enum scope scopes[MAX_NEST] = { S_FILE };
	int parens[MAX_NEST] = { 0 };
	struct decl d = { 0 };
	int depth = 0;

	while (next(&lx)) {
		enum scope scope = scopes[depth];

		if (lx.text[0] == '{') {
			if (++depth == MAX_NEST)
				die("%s nests braces too deeply.", path);
			scopes[depth] = open_brace(&d, scope);
			parens[depth] = 0;
		} else if (lx.text[0] == '}') {
			if (!depth--)
				die("%s closes a brace that it did not open.", path);
			/* the end of a function: nothing follows its body */
			if (!depth && scope == S_BODY) {
				d.has_body = true;
				end_of_decl(known, &d);
			}
		} else if (scope == S_BODY) {
			continue;
		} else if (scope == S_ENUM) {
			if (lx.ident)
				see_enumerator(known, &lx);
		} else if (lx.text[0] == '(') {
			d.tag_scope = S_FILE;
			if (!parens[depth]++ && scope == S_FILE)
				see_paren(&d, &lx);
		} else if (lx.text[0] == ')') {
			parens[depth]--;
		} else if (lx.text[0] == ';') {
			if (scope == S_FILE)
				end_of_decl(known, &d);
			d.tag_scope = S_FILE;
			d.after_tag = false;
		} else if (lx.ident) {
			see_ident(known, &d, &lx, scope, parens[depth]);
		} else {
			d.tag_scope = S_FILE;
			if (scope == S_FILE && !parens[depth] && strchr("=[", lx.text[0]))
				d.name_fixed = true;
		}
	}
	if (depth)
		die("%s ends inside of braces.", path);
	if (!known->structs.used)
		die("%s defines no types: it is not a preprocessed kernel source.", path);
}

bool known_tag(const struct known *known, enum btf_kind kind, const char *name)
{
	switch (kind) {
	case K_STRUCT:
		return set_has(&known->structs, name);
	case K_UNION:
		return set_has(&known->unions, name);
	case K_ENUM:
	case K_ENUM64:
		return set_has(&known->enums, name);
	case K_TYPEDEF:
		return set_has(&known->typedefs, name);
	default:
		return false;
	}
}

/* Module.symvers: CRC, symbol, module, kind of export, name space. */
void symvers_read(struct set *exported, const char *path)
{
	struct blob in = read_file(path);
	char *line = (char *)in.data, *end;

	for (; *line; line = end) {
		char *field[5] = { "", "", "", "", "" };
		char *p = line;
		size_t i;

		end = strchrnul(line, '\n');
		if (*end)
			*end++ = '\0';
		for (i = 0; i < ARRAY_SIZE(field) && p; i++)
			field[i] = strsep(&p, "\t");
		/* exported to named modules only: not to us */
		if (*field[1] && strncmp(field[4], "module:", 7))
			set_put(exported, field[1], field[2]);
	}
	if (!exported->used)
		die("%s lists no exported symbol.", path);
}
