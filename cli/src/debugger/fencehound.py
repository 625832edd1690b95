"""What gdb knows of an execution that Fencehound runs again: its threads, its events, what waits in store buffers.

`fencehound replay FINDING --gdb` gives this file to gdb, with the execution in `execution.json` beside it
(cli/src/debugger/told.rs). The program's side is runtime/src/process/debugger.rs.

All threads of the program are fibers on one thread of the system. A fiber that does not run has left its registers on its stack.
To show it, an unwinder says that the code that runs was called from there: no register is changed.
"""

import json
import os
import struct

import gdb
import gdb.unwinder

with open(os.path.join(os.path.dirname(__file__), "execution.json"), encoding="utf-8") as told:
    EXECUTION = json.load(told)

EVENTS = EXECUTION["events"]

# The numbers of the events in the order in which they are performed here: in a graph, thread after thread.
ORDER = sorted(range(len(EVENTS)), key=lambda number: (EVENTS[number]["run"], EVENTS[number]["nth"]))

# The registers that a switch leaves, from the top of the stack.
REGISTERS = ["r15", "r14", "r13", "r12", "rbx", "rbp", "rip"]


class Words:
    """The words of `fencehound_debugger` in the program, as they are now."""

    NAMES = ["contexts", "stacks", "stack", "threads", "first", "performed", "ended", "wanted"]

    def __init__(self):
        self.address = int(gdb.parse_and_eval("(unsigned long) &fencehound_debugger"))
        memory = gdb.selected_inferior().read_memory(self.address, 8 * len(self.NAMES))
        self.__dict__.update(zip(self.NAMES, struct.unpack(f"={len(self.NAMES)}Q", memory)))

    def want(self, performed):
        """Lets the program stop after so many events, or at none."""
        place = self.address + 8 * self.NAMES.index("wanted")
        gdb.selected_inferior().write_memory(place, struct.pack("=Q", performed))

    def context(self, thread):
        """Returns the stack pointer of a thread that does not run, or 0."""
        memory = gdb.selected_inferior().read_memory(self.contexts + 8 * thread, 8)
        return struct.unpack("=Q", memory)[0]

    def thread_at(self, stack_pointer):
        """Returns the thread on whose stack this is, if it is on one."""
        thread = (stack_pointer - self.stacks) // self.stack
        return thread if 0 <= thread < self.threads else None


def is_running():
    """Whether there is a process."""
    return gdb.selected_inferior().pid != 0


def require_process():
    if not is_running():
        raise gdb.GdbError("the program does not run: `run` starts the recorded execution")


class Position:
    """How far the execution has come, and where it stops next."""

    def __init__(self):
        self.process = 0
        # The index in ORDER of the event after which the program was stopped last.
        self.reached = -1
        # The index in ORDER of the one event after which it is to stop; without one, it stops at those that are marked.
        self.goal = None
        # Whether the program was stopped at the end of the execution.
        self.has_ended = False

    def now(self):
        """Returns the index in ORDER of the last event; -1 before the first."""
        words = Words()
        place = (words.first, words.performed)
        return max((index for index, number in enumerate(ORDER) if self.place(number) <= place), default=-1)

    @staticmethod
    def place(number):
        return (EVENTS[number]["run"], EVENTS[number]["nth"])

    def is_followed(self):
        """Whether what runs is the execution that is shown, and not what leads to it."""
        return self.process == gdb.selected_inferior().pid

    def begin(self, words):
        """Is told that the execution begins, in a graph a thread of it."""
        if not self.is_followed():
            self.process = gdb.selected_inferior().pid
            self.reached = -1
            self.has_ended = False
        self.arm(words)

    def arm(self, words):
        """Lets the program stop at the next event that is wanted."""
        if self.goal is None:
            wanted = [index for index, number in enumerate(ORDER) if EVENTS[number]["mark"]]
        else:
            wanted = [self.goal]
        places = [self.place(ORDER[index]) for index in wanted if index > self.reached or index == self.goal]
        words.want(min((nth for run, nth in places if run == words.first and nth > words.performed), default=0))

    def stopped(self, words):
        """Is told that the program stops after an event."""
        self.goal = None
        self.reached = self.now()
        self.arm(words)


POSITION = Position()


class EventBreakpoint(gdb.Breakpoint):
    """The breakpoint at which the program says how far it is."""

    def __init__(self):
        super().__init__("*fencehound_event", internal=True)
        self.silent = True

    def stop(self):
        words = Words()
        if words.ended:
            is_new = not POSITION.has_ended
            POSITION.has_ended = True
            return is_new
        if words.performed == 0:
            POSITION.begin(words)
            return False
        # gdb asks again while it goes on from here.
        if words.performed != words.wanted:
            return False
        POSITION.stopped(words)
        return True


class SiteBreakpoint(gdb.Breakpoint):
    """A breakpoint at a line that the finding is about."""

    def stop(self):
        return POSITION.is_followed()


class ReturnBreakpoint(gdb.Breakpoint):
    """The breakpoint at which a thread is back from Fencehound in a frame of its own."""

    def __init__(self, frame):
        super().__init__(f"*{frame.pc():#x}", internal=True, temporary=True)
        self.silent = True
        self.stack_pointer = int(frame.read_register("rsp"))

    def stop(self):
        return int(gdb.newest_frame().read_register("rsp")) == self.stack_pointer


class Fibers(gdb.unwinder.Unwinder):
    """Shows the threads that do not run."""

    def __init__(self):
        super().__init__("fencehound")
        # The stack pointer and the instruction of the code that runs, while another thread is shown.
        self.here = None
        self.registers = {}
        self.context = None
        self.shown = None

    def __call__(self, pending):
        if self.here is None:
            return self.behind_event(pending)
        here = tuple(pending.read_register(name) for name in ("rsp", "rip"))
        if tuple(map(int, here)) != self.here:
            return None
        # gdb wants what calls to lie further out on the stack than what is called.
        unwound = pending.create_unwind_info(FrameId(self.context, here[1]))
        for name, value in self.registers.items():
            unwound.add_saved_register(name, value)
        return unwound

    @staticmethod
    def behind_event(pending):
        """Unwinds `fencehound_event`: registers that calls do not preserve are nobody's there, and gdb would take them as they are."""
        instruction, stack_pointer = (pending.read_register(name) for name in ("rip", "rsp"))
        if int(instruction) != int(gdb.parse_and_eval("(unsigned long) &fencehound_event")):
            return None
        unwound = pending.create_unwind_info(FrameId(stack_pointer, instruction))
        for name in REGISTERS[:-1]:
            unwound.add_saved_register(name, pending.read_register(name))
        memory = gdb.selected_inferior().read_memory(int(stack_pointer), 8)
        values = {"rip": struct.unpack("=Q", memory)[0], "rsp": int(stack_pointer) + 8}
        for name, value in values.items():
            unwound.add_saved_register(name, gdb.Value(value).cast(pending.read_register(name).type))
        return unwound

    def running(self):
        """Returns the number of the thread that runs."""
        gdb.newest_frame().select()
        self.leave()
        return Words().thread_at(int(gdb.newest_frame().read_register("rsp")))

    def leave(self):
        """Shows the thread that runs again."""
        if self.here is not None:
            self.here = None
            self.shown = None
            gdb.invalidate_cached_frames()

    def show(self, thread):
        """Shows a thread; returns whether there is one."""
        words = Words()
        if thread == self.running():
            return True
        context = words.context(thread) if 0 <= thread < words.threads else 0
        if context == 0:
            return False
        newest = gdb.newest_frame()
        # A null of the type that registers have, as gdb takes no plain numbers for them.
        kinds = {name: newest.read_register(name).type for name in REGISTERS + ["rsp"]}
        memory = gdb.selected_inferior().read_memory(context, 8 * len(REGISTERS))
        values = dict(zip(REGISTERS, struct.unpack(f"={len(REGISTERS)}Q", memory)))
        values["rsp"] = context + 8 * len(REGISTERS)
        self.registers = {name: gdb.Value(value).cast(kinds[name]) for name, value in values.items()}
        self.context = gdb.Value(context).cast(kinds["rsp"])
        self.here = (int(newest.read_register("rsp")), int(newest.read_register("rip")))
        self.shown = thread
        gdb.invalidate_cached_frames()
        return True


class FrameId:
    """The name of a frame, as gdb wants it."""

    def __init__(self, sp, pc):
        self.sp = sp
        self.pc = pc


FIBERS = Fibers()


def is_of_runtime(frame):
    """Whether a frame is Fencehound's own."""
    symtab = frame.find_sal().symtab
    if symtab is not None:
        return symtab.filename.endswith(".rs")
    name = frame.name() or ""
    is_ours = name.startswith(("__fh_", "fencehound_")) or "::" in name or name in ("", "main", "_start")
    return is_ours or "libc_start" in name


def own_frames():
    """Returns the frames of the program in the thread that is shown, the newest first."""
    found = []
    frame = gdb.newest_frame()
    while frame is not None and frame.is_valid():
        if not (FIBERS.here is not None and frame.level() == 0) and not is_of_runtime(frame):
            found.append(frame)
        try:
            frame = frame.older()
        except gdb.error:
            break
    return found


class WithoutRuntime:
    """Leaves out of a backtrace what is Fencehound's own."""

    def __init__(self):
        self.name = "fencehound"
        self.priority = 100
        self.enabled = True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (frame for frame in frames if not is_hidden(frame.inferior_frame()))


def is_hidden(frame):
    return (FIBERS.here is not None and frame.level() == 0) or is_of_runtime(frame)


def name_of(thread):
    return "main" if thread == 0 else f"T{thread}"


def line_of(frame):
    """Returns a frame's function and line."""
    place = frame.find_sal()
    where = f" at {place.symtab.filename}:{place.line}" if place.symtab is not None else ""
    return f"{frame.name() or '??'}{where}"


def describe(number):
    """Returns an event in a line."""
    event = EVENTS[number]
    mark = f" ({event['mark']})" if event["mark"] else ""
    return f"event {number}{mark}: {name_of(event['thread'])}: {event['words']}  {event['place']}".rstrip()


def select_own_frame():
    """Selects the newest frame of the program in the thread that is shown."""
    frames = own_frames()
    if frames:
        frames[0].select()
    return bool(frames)


def return_to_program():
    """Lets the thread that runs return from Fencehound into its own code, so that it can be stepped through."""
    if not is_running():
        return
    FIBERS.leave()
    frames = own_frames()
    if frames and gdb.newest_frame().name() == "fencehound_event":
        ReturnBreakpoint(frames[0])
        gdb.execute("continue", to_string=True)


def show_thread(thread):
    """Shows a thread, or says why not."""
    require_process()
    if not FIBERS.show(thread):
        raise gdb.GdbError(f"there is no {name_of(thread)} here: fh-threads lists those that there are")
    if select_own_frame():
        gdb.execute("frame")
    else:
        print(f"{name_of(thread)} has ended")


def threads():
    """Returns the threads that there are."""
    words = Words()
    running = FIBERS.running()
    if EXECUTION["graph"]:
        return [running] if running is not None else []
    found = {thread for thread in range(words.threads) if words.context(thread)}
    return sorted(found | ({running} if running is not None else set()))


def keeping_selection(work):
    """Does something, and shows again what was shown before."""
    shown = FIBERS.shown
    level = gdb.selected_frame().level()
    try:
        return work()
    finally:
        FIBERS.leave()
        if shown is not None:
            FIBERS.show(shown)
        frame = gdb.newest_frame()
        while frame is not None and frame.level() < level:
            frame = frame.older()
        if frame is not None:
            frame.select()


def list_threads():
    """Prints the threads and where they stand."""
    require_process()
    selected = FIBERS.shown

    def show_all():
        running = FIBERS.running()
        for thread in threads():
            FIBERS.show(thread)
            frames = own_frames()
            where = line_of(frames[0]) if frames else "has ended"
            runs = ", runs" if thread == running else ""
            star = "*" if thread == (running if selected is None else selected) else " "
            print(f"{star} {thread:<3} {name_of(thread) + runs:<12} {where}")

    keeping_selection(show_all)
    if EXECUTION["graph"]:
        print("In an execution graph each thread runs alone, and reads what the graph says.")


def go_to(index):
    """Goes to an event, by its index in ORDER: on, or from the beginning."""
    if not ORDER:
        raise gdb.GdbError("the execution has no events")
    if index >= len(ORDER):
        raise gdb.GdbError("this is the last event: `continue` runs to the end")
    if index < 0:
        raise gdb.GdbError("there is no event before this one")
    goes_on = is_running() and POSITION.is_followed() and POSITION.now() < index
    POSITION.goal = index
    if goes_on:
        POSITION.arm(Words())
    gdb.execute("continue" if goes_on else "with confirm off -- run")


def current():
    """Returns the index in ORDER of the last event; -1 if the program does not run."""
    return POSITION.now() if is_running() and POSITION.is_followed() else -1


def command(name, category=gdb.COMMAND_USER, prefix=False):
    """Makes a function a command of gdb, with its text as help."""

    def define(function):
        def invoke(_self, argument, _from_tty):
            function(argument.strip())

        kind = type(function.__name__, (gdb.Command,), {"__doc__": function.__doc__, "invoke": invoke})
        kind(name, category, gdb.COMPLETE_NONE, prefix)
        return function

    return define


@command("fh-threads")
def fh_threads(_argument):
    """Lists the threads of the program, and where each stands."""
    list_threads()


@command("fh-thread")
def fh_thread(argument):
    """Shows another thread: fh-thread 2, fh-thread main. No thread runs by that."""
    show_thread(number_of_thread(argument))


@command("fh-next")
def fh_next(_argument):
    """Runs to the next event, whichever thread performs it."""
    go_to(current() + 1)


@command("fh-back")
def fh_back(_argument):
    """Goes back by one event: runs the execution again, up to there."""
    require_process()
    go_to(current() - 1)


@command("fh-event")
def fh_event(argument):
    """Goes to an event by its number in the report, on or back: fh-event 7. Without a number: says which was the last one."""
    if not argument:
        now = current()
        print(describe(ORDER[now]) if now >= 0 else "no event has been performed")
    elif argument.isdigit() and int(argument) < len(EVENTS):
        go_to(ORDER.index(int(argument)))
    else:
        raise gdb.GdbError(f"there is no event {argument}: they are 0 to {len(EVENTS) - 1}")


@command("fh-events")
def fh_events(_argument):
    """Lists the events of the execution; the last one performed has a star."""
    now = current()
    last = ORDER[now] if now >= 0 else None
    for number in range(len(EVENTS)):
        print(f"{'*' if number == last else ' '} {describe(number)}")


@command("fh-buffers")
def fh_buffers(_argument):
    """Shows the stores that wait in store buffers after the last event."""
    if EXECUTION["buffers"] is None:
        raise gdb.GdbError("this execution was run without store buffers")
    now = current()
    waiting = EVENTS[ORDER[now]]["waiting"] if now >= 0 else []
    print(f"{EXECUTION['buffers']}: {', '.join(waiting) if waiting else 'nothing waits'}")


@command("fh-cycle")
def fh_cycle(_argument):
    """Says why no interleaving explains the execution."""
    print(EXECUTION["cycle"] or "the finding is no SC violation: there is no cycle")


@command("info threads", gdb.COMMAND_STATUS)
def info_threads(_argument):
    """Lists the threads of the program, and where each stands."""
    if is_running():
        list_threads()
    else:
        print("No threads.")


@command("thread", gdb.COMMAND_RUNNING, prefix=True)
def thread(argument):
    """Shows another thread of the program: thread 2. Without a number: says which one is shown."""
    if argument:
        show_thread(number_of_thread(argument))
        return
    require_process()
    shown = FIBERS.shown
    if shown is None:
        shown = keeping_selection(FIBERS.running)
    print(f"[{name_of(shown) if shown is not None else 'no thread of the program runs'}]")


@command("thread apply", gdb.COMMAND_RUNNING)
def thread_apply(argument):
    """Gives a command to several threads: thread apply all bt, thread apply 1 2 info locals."""
    require_process()
    words = argument.split()
    count = 0
    while count < len(words) and words[count].isdigit():
        count += 1
    if words[:1] == ["all"]:
        count = 1
        chosen = threads()
    else:
        chosen = [int(word) for word in words[:count]]
    line = " ".join(words[count:])
    if not chosen or not line:
        raise gdb.GdbError("thread apply wants threads and a command: thread apply all bt")

    def each():
        for number in chosen:
            if FIBERS.show(number):
                print(f"\n{name_of(number)}:")
                if select_own_frame():
                    gdb.execute(line)
                else:
                    print("has ended")

    keeping_selection(each)


def number_of_thread(argument):
    """Reads a thread's number or name."""
    plain = argument[1:] if argument.startswith("T") else argument
    if argument == "main":
        return 0
    if not plain.isdigit():
        raise gdb.GdbError(f"a thread has a number, and not {argument or 'nothing'}: fh-threads lists them")
    return int(plain)


def on_stop(event):
    """Says which event the program stands after, and selects a frame of the program."""
    FIBERS.leave()
    if isinstance(event, gdb.BreakpointEvent) and EVENT_BREAKPOINT in event.breakpoints:
        if POSITION.has_ended:
            print(f"the execution ends here: {EXECUTION['headline']}")
            return
        print(describe(ORDER[POSITION.reached]))
        if select_own_frame():
            gdb.execute("frame")


def on_continue(_event):
    FIBERS.leave()


gdb.execute("set breakpoint pending on")
for stepping in ["next", "step", "until", "advance"]:
    gdb.execute(f"define hook-{stepping}\npython return_to_program()\nend")
for signal in ["SIGALRM", "SIGVTALRM", "SIGPROF"]:
    # These are the runtime's own timers.
    gdb.execute(f"handle {signal} nostop noprint pass", to_string=True)
gdb.unwinder.register_unwinder(None, FIBERS, replace=True)
WithoutRuntime()
EVENT_BREAKPOINT = EventBreakpoint()
for site in EXECUTION["sites"]:
    SiteBreakpoint(source=site["file"], line=str(site["line"]))
gdb.events.stop.connect(on_stop)
gdb.events.cont.connect(on_continue)
print("fencehound: `run` starts the recorded execution; fh-next, fh-back, fh-event N, fh-events, fh-threads, fh-thread N,")
print("fencehound: fh-buffers and fh-cycle show it; `info threads`, `thread N` and `bt` know its threads")
