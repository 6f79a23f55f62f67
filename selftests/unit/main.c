// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the unit tests and prints KTAP; the exit status tells whether all went
 * as they should.  Takes no locks.
 */
#include <stdio.h>

#include "unit.h"

static const struct unit_suite *const suites[] = {
	&tree_suite,
	&slices_suite,
	&shares_suite,
	&lag_suite,
	&wrap_suite,
	&device_time_suite,
	&writers_suite,
	&write_cache_suite,
};

/* Return: whether the test went as it should. */
static bool run_test(const struct unit_suite *suite,
		     const struct unit_test *test, unsigned int number)
{
	bool failed;

	expect_begin();
	random_seed(1);
	test->run();
	failed = expect_failed();
	printf("%s %u %s: %s", failed ? "not ok" : "ok", number, suite->name,
	       test->name);
	if (failed && test->xfail)
		printf(" # XFAIL %s", test->xfail);
	printf("\n");
	if (!failed && test->xfail)
		printf("# %s holds now: drop its xfail\n", test->name);
	return !failed || test->xfail;
}

int main(void)
{
	const struct unit_test *test;
	unsigned int i, nr = 0, bad = 0;

	for (i = 0; i < ARRAY_SIZE(suites); i++)
		for (test = suites[i]->tests; test->name; test++)
			nr++;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%u\n", nr);
	nr = 0;
	for (i = 0; i < ARRAY_SIZE(suites); i++)
		for (test = suites[i]->tests; test->name; test++)
			bad += !run_test(suites[i], test, ++nr);
	return bad != 0;
}
