//! C11 itself, in the form of RC11 (Lahav, Vafeiadis, Kang, Hur and Dreyer, PLDI 2017): what the standard promises to
//! whoever compiles for any machine.
//!
//! sb is program order, with fences; mo is co, rb is fr; an *update* is a read-modify-write, one element. With
//! eco = (rf ∪ mo ∪ rb)⁺ and scb for the rows below:
//!
//! - release sequence: a write, perhaps a later atomic write of its thread to the location (a rule that C++20 has dropped:
//!   [`Annotations::CONTINUES`]), and the updates that read from it, one from the other;
//! - sw: from a release, or a release fence before the head of a release sequence, to an acquire that reads from the
//!   sequence, or to an acquire fence behind an atomic read that does; hb = (sb ∪ sw)⁺;
//! - coherence: no hb;eco? from an access to itself; atomicity, as under every model;
//! - SC: psc is acyclic, with scb = sb ∪ (sb to another location);hb;(sb to another location) ∪ (hb at one location) ∪ mo ∪ rb;
//!   psc-base = (SC ∪ `F_sc`;hb?);scb;(SC ∪ hb?;`F_sc`); psc-fence = `F_sc`;(hb ∪ hb;eco;hb);`F_sc`;
//! - no value out of thin air: sb ∪ rf is acyclic. So accesses are committed in program order.
//!
//! Two accesses of different threads to a location, one of which writes and one of which is not atomic, *race* if hb orders
//! them neither way. Then the program means nothing; its executions are counted all the same.
//!
//! # Fences
//! Labels count a thread's fences: `full` those that are sequentially consistent, `read_read` acquire ones, `write_write`
//! release ones, and `read_write` the acquire fences before the last release fence; a stronger one counts as each that it
//! is. The fences between two accesses become one element, when the access behind them is committed.

use super::{Model, Past};
use crate::graph::lifetime::{Lifetimes, Moment, Sides};
use crate::graph::set::Set;
use crate::graph::trace::{Part, Trace};
use crate::graph::{Annotations, EventId, Fences, Label, Labels};

/// An element of C11's relations: an access, or all fences between two accesses.
#[derive(Clone, Copy, Debug)]
struct Element<const W: usize> {
    /// The access's first node; none for fences.
    node: Option<usize>,
    thread: u16,
    annotations: Annotations,
    /// The fences of the thread before the element; fences count themselves.
    fences: Fences,
    /// How many release fences of the thread are before the element; fences do not count themselves.
    releases_before: u16,
    /// The elements that are hb-before it.
    before: Set<W>,
    /// The element itself and what is hb-before it, if it is a release that writes.
    released: Set<W>,
    /// The elements that become hb-before an acquire that reads from it.
    handed: Set<W>,
    /// The elements that become hb-before an acquire fence behind it.
    pending: Set<W>,
}

/// What is sc-before an element whatever is committed later, and what that is made of.
#[derive(Clone, Copy, Debug)]
struct Sequenced<const W: usize> {
    /// What comes before the element in its thread.
    own: Set<W>,
    /// What comes before the element in its thread and is at another location than it, or at none.
    elsewhere: Set<W>,
    /// What is so before something that is hb-before the element.
    ahead: Set<W>,
    /// What is scb-before the element, but for mo and rb.
    scb: Set<W>,
}

/// The memory model of C11.
#[derive(Debug, Default)]
pub struct C11<const W: usize> {
    elements: Vec<Element<W>>,
    /// What is known of the first elements; of all that there were when sc was looked at.
    sequenced: Vec<Sequenced<W>>,
    /// The element of each node.
    of_node: Vec<u16>,
    /// The elements that are sequentially consistent, and those of them that are fences.
    strong: Set<W>,
    strong_fences: Set<W>,
}

/// The numbers of elements and of nodes before a commit: what is known of an element is final once its access is committed.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    elements: usize,
    nodes: usize,
}

impl<const W: usize> Past<C11<W>> for Counts {
    fn keep(&mut self, model: &C11<W>) {
        *self = Counts { elements: model.elements.len(), nodes: model.of_node.len() };
    }

    fn take_back(&mut self, model: &mut C11<W>) {
        model.elements.truncate(self.elements);
        model.sequenced.truncate(self.elements);
        model.of_node.truncate(self.nodes);
        let left = Set::below(self.elements);
        model.strong = model.strong.and(&left);
        model.strong_fences = model.strong_fences.and(&left);
    }
}

impl<const W: usize> Model<W> for C11<W> {
    type Past = Counts;

    const COMMITS_IN_ORDER: bool = true;
    const ORDERS_BY_OUTCOME: bool = true;

    fn awaits(_labels: &Labels<W>, index: usize) -> Option<Set<W>> {
        Some(Set::below(index))
    }

    fn size(&self, _trace: &Trace<W>) -> usize {
        // A fence may come with an access.
        self.elements.len() + 1
    }

    fn admits(&mut self, trace: &Trace<W>, labels: &Labels<W>) -> bool {
        let number = trace.nodes().len() - 1;
        let node = trace.node(number);
        let label = &labels[usize::from(node.event.index)];
        if node.part.updates() {
            self.of_node.push(self.of_node[number - 1]);
        } else {
            self.add(trace, label, number);
        }
        let element = usize::from(self.of_node[number]);
        if node.writes() {
            self.write(trace, element, number);
        }
        self.is_coherent(trace, element, number) && self.is_consistent(trace, number)
    }

    fn keeps(&self, trace: &Trace<W>, first: usize, second: usize) -> bool {
        let [one, other] = [first, second].map(|node| &self.elements[usize::from(self.of_node[node])]);
        let both = |annotation| one.annotations.has(annotation) && other.annotations.has(annotation);
        // An acquire fence is behind a read, a release fence in front of a write.
        let fenced = one.fences.full < other.fences.full
            || (one.fences.read_read < other.fences.read_read && !trace.node(first).writes())
            || (one.fences.write_write < other.fences.write_write && trace.node(second).writes());
        fenced
            || both(Annotations::SEQUENTIALLY_CONSISTENT)
            || one.annotations.has(Annotations::ACQUIRE)
            || other.annotations.has(Annotations::RELEASE)
    }

    /// Returns all pairs of accesses that race. What happens before an element is final when it is committed.
    fn races(&self, trace: &Trace<W>) -> Vec<(EventId, EventId)> {
        let event = |element: usize| self.elements[element].node.map(|node| trace.node(node).event);
        let all = (0..self.elements.len())
            .flat_map(|element| self.races_of(trace, element).into_iter().map(move |other| (other, element)));
        all.filter_map(|(one, other)| Some((event(one)?, event(other)?))).collect()
    }

    /// Returns hb of accesses, fences and ends: where an acquire fence is between the last access and an end, more is before the end
    /// than before that access, and where a release fence is between an end and the next access, what is before others may be that
    /// fence alone.
    fn lifetimes<'t>(&self, trace: &'t Trace<W>, ends: &[Moment]) -> Lifetimes<'t, W> {
        let before = self.elements.iter().map(|element| element.before).collect();
        let points = self.of_node.iter().map(|&element| usize::from(element)).collect();
        Lifetimes::ordered(trace, points, before, ends, |end| {
            let is_early = |&&node: &&usize| trace.node(node).event.index < end.accesses;
            let own: Vec<usize> = trace.of_thread(end.thread).iter().collect();
            let last = own.iter().filter(is_early).map(|&node| self.of_node[node]).max();
            let behind = last.map_or(0, |last| usize::from(last) + 1);
            let is_after = |&number: &usize| {
                let element = &self.elements[number];
                let released = element.node.is_some() || element.fences.write_write > end.fences.write_write;
                element.thread == end.thread && released
            };
            Sides {
                before: Self::before(&self.elements[..behind], end.thread, &end.fences),
                after: (behind..self.elements.len()).filter(is_after).collect(),
            }
        })
    }
}

impl<const W: usize> C11<W> {
    /// Adds the element of an access, together with its read if it reads, and before it that of the fences since the last access.
    fn add(&mut self, trace: &Trace<W>, label: &Label<W>, number: usize) {
        let thread = trace.node(number).event.thread;
        let fences = label.fences;
        let last = self.elements.iter().rev().find(|element| element.thread == thread);
        let last = last.map_or(Fences::default(), |last| last.fences);
        if last != fences {
            let before = Self::before(&self.elements, thread, &fences);
            let is_strong = last.full < fences.full;
            if is_strong {
                self.strong.insert(self.elements.len());
                self.strong_fences.insert(self.elements.len());
            }
            self.elements.push(Element {
                node: None,
                thread,
                annotations: if is_strong { Annotations::SEQUENTIALLY_CONSISTENT } else { Annotations::NONE },
                fences,
                releases_before: last.write_write,
                before,
                released: Set::EMPTY,
                handed: Set::EMPTY,
                pending: Set::EMPTY,
            });
        }
        let mut before = Self::before(&self.elements, thread, &fences);
        let mut pending = Set::EMPTY;
        if let Part::Read(Some(source)) = trace.node(number).part
            && label.annotations.has(Annotations::ATOMIC)
        {
            pending = self.elements[usize::from(self.of_node[source])].handed;
            if label.annotations.has(Annotations::ACQUIRE) {
                before.add(&pending);
            }
        }
        if label.annotations.has(Annotations::SEQUENTIALLY_CONSISTENT) {
            self.strong.insert(self.elements.len());
        }
        self.of_node.push(u16::try_from(self.elements.len()).expect("fewer than 65536 elements"));
        self.elements.push(Element {
            node: Some(number),
            thread,
            annotations: label.annotations,
            fences,
            releases_before: fences.write_write,
            before,
            released: Set::EMPTY,
            handed: Set::EMPTY,
            pending,
        });
    }

    /// Returns what is hb-before an element of a thread by sb and by acquire fences, given the elements up to then.
    fn before(elements: &[Element<W>], thread: u16, fences: &Fences) -> Set<W> {
        let mut before = Set::EMPTY;
        for (number, element) in elements.iter().enumerate().rev().filter(|(_, element)| element.thread == thread) {
            before.insert(number);
            before.add(&element.before);
            if element.fences.read_read == fences.read_read {
                // Without an acquire fence since then, the rest is before this one already.
                return before;
            }
            before.add(&element.pending);
        }
        before
    }

    /// Computes what becomes hb-before others by way of the element's write.
    fn write(&mut self, trace: &Trace<W>, element: usize, number: usize) {
        let this = self.elements[element];
        if !this.annotations.has(Annotations::ATOMIC) {
            return;
        }
        if this.annotations.has(Annotations::RELEASE) {
            let mut released = this.before;
            released.insert(element);
            self.elements[element].released = released;
        }
        let mut handed = self.elements[element].released.or(&self.fenced(&this));
        let node = trace.node(number);
        if this.annotations.has(Annotations::CONTINUES) {
            for earlier in trace.of_thread(node.event.thread).and(trace.at(node.location)).and(trace.writes()).iter() {
                handed.add(&self.elements[usize::from(self.of_node[earlier])].released);
            }
        }
        if node.part.updates() {
            handed.add(&self.elements[element].pending);
        }
        self.elements[element].handed = handed;
    }

    /// Returns the last release fence before an element, and what is hb-before that fence.
    fn fenced(&self, this: &Element<W>) -> Set<W> {
        let mut past = Set::EMPTY;
        if this.fences.write_write == 0 {
            return past;
        }
        for (number, earlier) in self.elements.iter().enumerate().filter(|(_, one)| one.thread == this.thread) {
            if earlier.releases_before >= this.fences.write_write {
                continue;
            }
            past.insert(number);
            // Only accesses are asked for what is before them: a fence has what is before it from the accesses before it.
            if earlier.node.is_some() {
                past.add(&earlier.before);
                if earlier.fences.read_read < this.fences.read_write {
                    past.add(&earlier.pending);
                }
            }
        }
        past
    }

    /// Returns the elements before this one that race with it.
    fn races_of(&self, trace: &Trace<W>, element: usize) -> Vec<usize> {
        let this = &self.elements[element];
        let Some(node) = this.node else { return Vec::new() };
        let is_atomic = |element: &Element<W>| element.annotations.has(Annotations::ATOMIC);
        let writes = |node: usize| trace.write_of(trace.node(node).event).is_some();
        let mut all = Vec::new();
        for other in trace.at(trace.node(node).location).iter() {
            let number = usize::from(self.of_node[other]);
            let one = &self.elements[number];
            let is_unordered = number < element && one.thread != this.thread && !this.before.contains(number);
            let is_plain = !(is_atomic(this) && is_atomic(one));
            if is_unordered && is_plain && (writes(node) || writes(other)) && all.last() != Some(&number) {
                all.push(number);
            }
        }
        all
    }

    /// Whether no eco leads from the last node to something that is hb-before it.
    fn is_coherent(&self, trace: &Trace<W>, element: usize, number: usize) -> bool {
        let before = &self.elements[element].before;
        trace.at(trace.node(number).location).iter().all(|other| {
            !before.contains(usize::from(self.of_node[other])) || !trace.node(number).communicates(trace.node(other))
        })
    }

    /// Returns the elements of these nodes.
    fn elements_of(&self, nodes: &Set<W>) -> Set<W> {
        let mut elements = Set::EMPTY;
        for node in nodes.iter() {
            elements.insert(self.of_node[node].into());
        }
        elements
    }

    /// Whether psc is acyclic, if it was before the last node. All new edges are from or to that, or lead through it; if nothing
    /// at its location comes behind it, none leads on from it.
    fn is_consistent(&mut self, trace: &Trace<W>, number: usize) -> bool {
        let node = trace.node(number);
        let mut behind = Set::EMPTY;
        for other in trace.coherence(node.location).skip(node.rank.into()) {
            behind.insert(self.of_node[other].into());
        }
        if behind.is_empty() {
            return true;
        }
        let (strong, fences) = (self.strong, self.strong_fences);
        if fences.is_empty() {
            let element = usize::from(self.of_node[number]);
            return !strong.contains(element) || self.is_consistent_without_fences(trace, element, &strong, &behind);
        }
        strong.iter().nth(1).is_none() || self.is_consistent_with_fences(trace, &strong, &fences)
    }

    /// Whether no path of scb, from one SC access to the next, leads back to this one, which is the last, from one of those behind
    /// it at its location.
    fn is_consistent_without_fences(
        &mut self,
        trace: &Trace<W>,
        element: usize,
        strong: &Set<W>,
        behind: &Set<W>,
    ) -> bool {
        self.sequence(trace);
        let mut reached = Set::of(element);
        let mut open = reached;
        while let Some(to) = open.iter().next() {
            open.remove(to);
            let before = self.scb(trace, to, || self.communicating(trace, to)).and(strong);
            if before.meets(behind) {
                return false;
            }
            open.add(&before.without(&reached));
            reached.add(&before);
        }
        true
    }

    /// Whether psc is acyclic, with these SC elements, some of which are fences.
    fn is_consistent_with_fences(&mut self, trace: &Trace<W>, strong: &Set<W>, fences: &Set<W>) -> bool {
        self.sequence(trace);
        let count = self.elements.len();
        let eco: Vec<Set<W>> = (0..count).map(|element| self.communicating(trace, element)).collect();
        let scb: Vec<Set<W>> = (0..count).map(|element| self.scb(trace, element, || eco[element])).collect();
        let mut psc: Vec<Set<W>> = vec![Set::EMPTY; count];
        for to in strong.iter() {
            let mut reached = scb[to];
            if fences.contains(to) {
                for earlier in self.elements[to].before.iter() {
                    reached.add(&scb[earlier]);
                }
            }
            psc[to] = self.sources(&reached, strong, fences);
            if fences.contains(to) {
                psc[to].add(&self.fences_before(to, fences, &eco));
            }
        }
        is_acyclic(&psc, *strong)
    }

    /// Takes in what is sc-before the elements of which that is not known yet.
    fn sequence(&mut self, trace: &Trace<W>) {
        for element in self.sequenced.len()..self.elements.len() {
            let this = &self.elements[element];
            let same = this.node.map_or(Set::EMPTY, |node| self.elements_of(trace.at(trace.node(node).location)));
            let mut own = Set::EMPTY;
            if let Some(last) = this.before.iter_back().find(|&other| self.elements[other].thread == this.thread) {
                own = self.sequenced[last].own;
                own.insert(last);
            }
            let elsewhere = own.without(&same);
            let (mut ahead, mut covered) = (Set::EMPTY, Set::EMPTY);
            for middle in this.before.iter_back() {
                // What is ahead of something that is before the middle is ahead of that.
                if !covered.contains(middle) {
                    covered.add(&self.elements[middle].before);
                    ahead.add(&self.sequenced[middle].elsewhere);
                    ahead.add(&self.sequenced[middle].ahead);
                }
            }
            let mut scb = own.or(&this.before.and(&same));
            // What is ahead of the others in the thread is ahead of the last one.
            if let Some(last) = elsewhere.iter_back().next() {
                scb.add(&self.sequenced[last].ahead);
            }
            self.sequenced.push(Sequenced { own, elsewhere, ahead, scb });
        }
    }

    /// Returns the SC elements of the set, and the fences that are hb-before one of its elements.
    fn sources(&self, reached: &Set<W>, strong: &Set<W>, fences: &Set<W>) -> Set<W> {
        let mut sources = reached.and(strong);
        for element in reached.iter() {
            sources.add(&self.elements[element].before.and(fences));
        }
        sources
    }

    /// Returns the fences before a fence by hb and by hb;eco;hb.
    fn fences_before(&self, to: usize, fences: &Set<W>, eco: &[Set<W>]) -> Set<W> {
        let before = &self.elements[to].before;
        let mut all = before.and(fences);
        for middle in before.iter() {
            for first in eco[middle].iter() {
                all.add(&self.elements[first].before.and(fences));
            }
        }
        all
    }

    /// Returns what is eco-before an element.
    fn communicating(&self, trace: &Trace<W>, element: usize) -> Set<W> {
        let Some(node) = self.elements[element].node else { return Set::EMPTY };
        let mut others = Set::EMPTY;
        for node in trace.nodes_of(trace.node(node).event) {
            others.add(&self.elements_of(&trace.communicating_with(node)));
        }
        others.remove(element);
        others
    }

    /// Returns what is scb-before an element; `eco` has what is eco-before it.
    fn scb(&self, trace: &Trace<W>, element: usize, eco: impl Fn() -> Set<W>) -> Set<W> {
        let mut all = self.sequenced[element].scb;
        // mo and rb: eco to a write, but what it reads from, and reads of that.
        let is_write = |node: usize| trace.write_of(trace.node(node).event).is_some();
        if self.elements[element].node.is_some_and(is_write) {
            all.add(&eco());
        }
        all
    }
}

/// Whether these elements, each of which has others before it, have no cycle.
fn is_acyclic<const W: usize>(before: &[Set<W>], mut left: Set<W>) -> bool {
    loop {
        let mut progress = false;
        for element in left.iter() {
            if !before[element].meets(&left) {
                left.remove(element);
                progress = true;
            }
        }
        if !progress {
            return left.is_empty();
        }
    }
}
