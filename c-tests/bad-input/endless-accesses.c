//@ why: A loop that changes shared memory again and again is no wait loop; the limit of events ends
//@      the search, which is then not complete.
//@ run: --max-events 1000
//@ verdict: incomplete
//@ stopped-by: events
//@ busiest-loop: loop
volatile unsigned counter;

int main(void) {
    for (;;)
        counter++; // @loop
}
