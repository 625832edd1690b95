//@ why: Each execution begins with the files that were open at first, whatever the last one left
//@      open: the lowest free descriptor is the same one each time, and getopt begins anew.
//@      There are as many executions as values to choose, more than a process may have files
//@      open at once.
//@ run: --preemptions none -- -n 3
//@ verdict: clean
//@ executions: 3000
//@ uninstrumented: getopt open
#include <assert.h>
#include <fcntl.h>
#include <fencehound.h>
#include <stdlib.h>
#include <unistd.h>

int lowest;

int main(int count, char **arguments) {
    fh_choose(3000);
    lowest = open("/dev/null", O_RDONLY);
    assert(lowest > 2 && lowest < 20);
    int options = 0;
    while (getopt(count, arguments, "n:") == 'n')
        options += atoi(optarg);
    assert(options == 3);
    return 0;
}
