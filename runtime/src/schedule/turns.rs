//! Turns: a thread stands before an operation, and goes on when it is chosen.

use engine::event::Thread;
use engine::execution::{Ending, Heeds, Next, Pending};
use engine::explore::Notice;
use protocol::{FailureKind, Operation, Role};

use crate::graph::stops;
use crate::process::fiber::{self, Switch};
use crate::process::sites::{Record, RecordPointer};
use crate::process::{busy, foreign, layout, sections};
use crate::run::{Runtime, STACK_OF_THE_PROGRAM, at_the_end, at_work, stack_pointer, with};
use crate::schedule::{commits, committers, diverging, events, steps, wakes};
use crate::state::ends::Cancellation;
use crate::state::failure::{Failure, part, site_use};
use crate::state::globals;
use crate::state::objects::Class;
use crate::state::operation::Note;
use crate::state::turn::{End, Turn, Way};
use crate::state::unmodelled::Unmodelled;

/// Notes that the running thread has come to an operation, and returns who goes on.
#[inline(always)]
pub(crate) fn arrive(runtime: &mut Runtime, pending: Pending, site: RecordPointer) -> Turn {
    let thread = runtime.running;
    runtime.threads.at(thread).stands_at = Record::known(site);
    let plain = pending == Pending::Access && runtime.way == Way::Plain && runtime.execution.state.waiting() == 0;
    if !plain || runtime.execution.history.length() >= runtime.settings.max_events || is_off_stack(runtime) {
        return arrive_otherwise(runtime, pending, site);
    }
    match runtime.execution.pass() {
        Next::Run(next) if next == thread => Turn::Ours,
        next => gives_way_to(runtime, next),
    }
}

/// Whether the stack pointer is outside of the running thread's stack, or near its end.
#[inline(always)]
fn is_off_stack(runtime: &Runtime) -> bool {
    stack_pointer().wrapping_sub(runtime.stack_floor) >= STACK_OF_THE_PROGRAM
}

/// Performs [`arrive`] in all cases but the plain one.
#[inline(never)]
fn arrive_otherwise(runtime: &mut Runtime, pending: Pending, site: RecordPointer) -> Turn {
    if is_off_stack(runtime) {
        if !layout::is_stack(stack_pointer()) {
            busy::set(false);
            foreign::refuse(site);
        }
        runtime.conclusion.end = Some(End::StackOverflow);
        return Turn::Other(Switch::End);
    }
    if runtime.way == Way::Alone {
        return Turn::Alone;
    }
    runtime.threads.at(runtime.running).block.arrive();
    if runtime.way == Way::Within && pending != Pending::Access && !runtime.execution.state.can_perform(pending) {
        return waits_in_block(runtime, pending, site);
    }
    if pending != Pending::Access {
        let state = runtime.threads.at(runtime.running);
        state.blocking.push((state.events, pending));
    }
    if is_cancellation_point(pending) && !waits_at_point(runtime) {
        let what = "a wait of a thread that is cancelled, under --explorer dpor".to_owned();
        runtime.conclusion.end = Some(End::Unsupported { what, place: Record::behind(site).place() });
        return Turn::Other(Switch::End);
    }
    if runtime.execution.history.length() >= runtime.settings.max_events {
        runtime.conclusion.end = Some(End::MaxEvents);
        return Turn::Other(Switch::End);
    }
    match runtime.way {
        Way::Granted if steps::is_held(runtime) => {
            runtime.way = way_of(runtime, runtime.running);
            runtime.execution.state.arrive(runtime.running, pending);
            who_goes_on(runtime)
        }
        Way::Granted => {
            runtime.way = way_of(runtime, runtime.running);
            Turn::Ours
        }
        Way::Within => match runtime.execution.goes_on() {
            Next::Run(_) => Turn::Ours,
            next => gives_way_to(runtime, next),
        },
        _ => {
            runtime.execution.state.arrive(runtime.running, pending);
            who_goes_on(runtime)
        }
    }
}

/// Returns the way in which a thread that performs an operation now comes to its next one.
fn way_of(runtime: &mut Runtime, thread: Thread) -> Way {
    if runtime.threads.at(thread).block.is_entered() { Way::Within } else { Way::Plain }
}

/// Returns who goes on, since the running thread cannot by itself.
pub(crate) fn who_goes_on(runtime: &mut Runtime) -> Turn {
    if let Way::FromStart(parent) = runtime.way {
        runtime.way = Way::Plain;
        return switch(runtime, parent, Switch::To(parent));
    }
    if runtime.execution.state.waiting() > 0 {
        wakes::wake_waiting(runtime);
    }
    if runtime.execution.state.is_stuck() {
        // What commits now is decided before the explorer hears of the end.
        let turn = commits::drain_all(runtime);
        if turn != Turn::Ours {
            return turn;
        }
    }
    let next = runtime.execution.choose();
    gives_way_to(runtime, next)
}

/// Hands the turn to the thread that was chosen, or ends the execution.
#[inline(never)]
fn gives_way_to(runtime: &mut Runtime, mut next: Next) -> Turn {
    while let Next::Run(committer) = next
        && steps::is_committer(runtime, committer)
    {
        let turn = committers::commits(runtime, committer);
        if turn != Turn::Ours {
            return turn;
        }
        if runtime.execution.state.waiting() > 0 {
            wakes::wake_waiting(runtime);
        }
        next = runtime.execution.choose();
    }
    match next {
        Next::Run(thread) => {
            let turn = commits::goes_on(runtime, thread);
            if turn != Turn::Ours {
                return turn;
            }
            let waits = std::mem::take(&mut runtime.threads.at(thread).waits);
            runtime.way = if waits { Way::Granted } else { way_of(runtime, thread) };
            switch(runtime, thread, Switch::To(thread))
        }
        Next::End(Ending::Diverged) => diverging::diverges(runtime),
        Next::End(ending) => {
            runtime.conclusion.end = Some(End::Nobody(ending));
            Turn::Other(Switch::End)
        }
    }
}

/// Makes this thread the running one.
#[inline]
fn switch(runtime: &mut Runtime, thread: Thread, switch: Switch) -> Turn {
    if thread == runtime.running && switch == Switch::To(thread) {
        return Turn::Ours;
    }
    runtime.run_on(thread);
    Turn::Other(switch)
}

/// Starts a thread that the running one has created, and which runs up to its first operation before anything else
/// happens.
pub(crate) fn start(runtime: &mut Runtime, child: Thread) -> Turn {
    runtime.way = Way::FromStart(runtime.running);
    globals::start_thread(child);
    switch(runtime, child, Switch::Start(child))
}

/// Ends the running thread; returns who runs next.
pub(crate) fn end_thread(runtime: &mut Runtime) -> Switch {
    if let Some(failure) = block_left_open(runtime).or_else(|| unfinished(runtime, runtime.running)) {
        runtime.conclusion.end = Some(End::Failed(failure));
        return Switch::End;
    }
    if matches!(runtime.way, Way::Granted | Way::Opening | Way::Within) {
        runtime.way = Way::Plain;
    }
    runtime.execution.state.end_thread(runtime.running);
    match who_goes_on(runtime) {
        Turn::Other(switch) => switch,
        Turn::Ours | Turn::Alone => unreachable!("a thread that has ended is not chosen"),
    }
}

/// Gives up the running thread, which has left its fiber without coming to its end; returns who goes on.
pub(crate) fn give_up(runtime: &mut Runtime) -> Turn {
    leave_open_block(runtime);
    runtime.execution.state.give_up(runtime.running);
    who_goes_on(runtime)
}

/// Notes that the running thread does not go on, if it is in the middle of an atomic block.
pub(crate) fn leave_open_block(runtime: &mut Runtime) {
    if matches!(runtime.way, Way::Granted | Way::Opening | Way::Within) {
        runtime.way = Way::Plain;
    }
    if runtime.threads.of(runtime.running).block.is_entered() {
        runtime.execution.notify(Notice::BlockLeft);
        runtime.watch.reports_before_left_block.get_or_insert(runtime.watch.reports.len());
    }
}

/// Lets the running thread yield. One that was chosen out of a wait loop has its turn already.
pub(crate) fn yields(runtime: &mut Runtime) {
    if !matches!(runtime.way, Way::Granted | Way::Within) {
        runtime.execution.state.yields(runtime.running);
    }
}

/// Notes that the running thread has come to a wait that is a cancellation point; returns whether that can be explored.
pub(crate) fn waits_at_point(runtime: &mut Runtime) -> bool {
    let state = &mut runtime.threads.at(runtime.running).ends.cancellation;
    state.waits = true;
    !(state.requested && runtime.steps_aside())
}

/// Ends the execution, or lets the running thread wait, as its operation in the middle of an atomic block has to.
#[cold]
pub(crate) fn waits_in_block(runtime: &mut Runtime, pending: Pending, site: RecordPointer) -> Turn {
    if runtime.steps_aside() {
        let what = "an operation that has to wait in an atomic block, under --explorer dpor".to_owned();
        runtime.conclusion.end = Some(End::Unsupported { what, place: Record::behind(site).place() });
        return Turn::Other(Switch::End);
    }
    if runtime.execution.state.waiting() > 0 {
        wakes::wake_waiting(runtime);
    }
    if runtime.execution.state.others_can_go_on() {
        runtime.conclusion.end = Some(End::Assumed);
        return Turn::Other(Switch::End);
    }
    runtime.execution.state.arrive(runtime.running, pending);
    who_goes_on(runtime)
}

/// Returns the failure that the end of the running thread is, if it is in an atomic block.
pub(crate) fn block_left_open(runtime: &mut Runtime) -> Option<Failure> {
    let (thread, state) = (runtime.running, runtime.threads.at(runtime.running));
    let begun = state.block.begun.filter(|_| state.block.is_open())?;
    let message = "a thread ends in an atomic block".to_owned();
    let sites = vec![part(Role::At, (thread, begun), Operation::call("__VERIFIER_atomic_begin"))];
    Some(Failure::new(FailureKind::Misuse, message, sites))
}

/// Returns the failure that the end of a thread is, if it is in a transaction.
pub(crate) fn unfinished(runtime: &mut Runtime, thread: Thread) -> Option<Failure> {
    let open = runtime.threads.at(thread).transaction?;
    Some(misuse("a thread ends in the transaction that begins here", thread, open.begun, Operation::BeginTransaction))
}

/// Waits for the running thread's turn before a visible operation at this place.
#[inline]
pub(crate) fn turn(pending: Pending, site: RecordPointer) {
    let Some(mut runtime) = at_work() else { return };
    let turn = arrive(&mut runtime, pending, site);
    drop(runtime);
    match turn {
        Turn::Alone => stops::refuse(Unmodelled::Step, site),
        turn => turn.obey(),
    }
}

/// Whether this is a wait in which a thread that is cancelled ends.
pub(crate) const fn is_cancellation_point(pending: Pending) -> bool {
    match pending {
        Pending::Join(_) => true,
        Pending::Wait(wish, _) => wish.is_cancellation_point(),
        Pending::Access | Pending::Lock(_) => false,
    }
}

/// Makes a failure of a thread that misuses something at this place.
pub(crate) fn misuse(message: &str, thread: Thread, site: RecordPointer, operation: Operation) -> Failure {
    let sites = vec![site_use(Role::At, thread, site, operation)];
    Failure::new(FailureKind::Misuse, message.to_owned(), sites)
}

/// Lets the running thread, which ends, ignore requests that it be cancelled.
pub(crate) fn ignore_cancellation() {
    if sections::calls_cancel() {
        with(|runtime| change_cancellation(runtime, runtime.running, |state| state.ending = true));
    }
}

/// Changes the state of a thread's cancellation, and tells the engine.
pub(crate) fn change_cancellation(runtime: &mut Runtime, thread: Thread, change: impl FnOnce(&mut Cancellation)) {
    let state = &mut runtime.threads.at(thread).ends.cancellation;
    change(state);
    let heeds = if state.is_due() { Heeds::Cancellation } else { Heeds::Nothing };
    runtime.execution.state.interrupt(thread, heeds);
}

/// Ends the running thread from within.
pub(crate) fn leave_thread() -> ! {
    ends_aside();
    let switch = with(end_thread).unwrap_or(Switch::End);
    fiber::abandon(switch)
}

/// Reports the end of the running thread to those who ask for it, if threads are asked whether they have ended.
pub(crate) fn ends_aside() {
    if !sections::asks_for_ends() {
        return;
    }
    let call = at_the_end();
    if with(|runtime| runtime.steps_aside()) == Some(true) {
        turn(Pending::Access, call.site);
    }
    let turn = with(|runtime| {
        let object = runtime.objects.number(Class::End, runtime.running.index());
        let note = Note { site: call.site, operation: Operation::End };
        events::concerns(runtime, &[], &[object], note, 0)
    });
    if let Some(turn) = turn {
        turn.obey();
    }
}
