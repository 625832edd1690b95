/* A runtime that explores nothing: it answers each job with the messages in a file.
 *
 *   PROGRAM EXPLORED REPLAYED [HOW [READY]]
 *
 * sends the file EXPLORED to a job that explores and REPLAYED to a replay. HOW: `segv` dies after
 * that, `wait` first creates READY and waits for SIGINT, `stubborn` does so, removes READY again
 * and never answers, `slow` takes longer than half a second, `print` says something on the standard
 * output.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* BUILD: what the tool looks for, given by the test. */
__attribute__((section("fh_version"), used)) static const char build[16] = BUILD;

static void await_interrupt(const char *how, const char *ready) {
    sigset_t interrupt;
    int number;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, NULL);
    close(open(ready, O_CREAT | O_WRONLY, 0600));
    sigwait(&interrupt, &number);
    if (strcmp(how, "stubborn") == 0) {
        unlink(ready);
        for (;;)
            pause();
    }
}

int fake_main(int count, char **arguments) {
    static char job[1 << 20], answer[1 << 20];
    const char *control = getenv("FENCEHOUND_CONTROL");
    const char *how = count > 3 ? arguments[3] : "";
    if (control == NULL || count < 3)
        return 9;
    int socket = atoi(control);
    for (size_t length = 0; length + 1 < sizeof job; length++)
        if (read(socket, job + length, 1) != 1 || job[length] == '\n')
            break;
    if (strcmp(how, "wait") == 0 || strcmp(how, "stubborn") == 0)
        await_interrupt(how, arguments[4]);
    if (strcmp(how, "slow") == 0)
        usleep(600000);
    if (strcmp(how, "print") == 0)
        puts("the program's own words"), fflush(stdout);
    int file = open(strstr(job, "\"explore\"") ? arguments[1] : arguments[2], O_RDONLY);
    ssize_t length = file < 0 ? 0 : read(file, answer, sizeof answer);
    if (write(socket, answer, (size_t)length) != length)
        return 8;
    if (strcmp(how, "segv") == 0)
        signal(SIGSEGV, SIG_DFL), raise(SIGSEGV);
    return 0;
}
