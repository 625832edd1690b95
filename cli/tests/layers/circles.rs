//! Which modules are in circles.

use std::collections::BTreeSet;

use crate::modules::Name;
use crate::paths::Edges;

/// The modules that a walk along the edges can come back to.
pub(crate) fn in_circles(edges: &Edges) -> BTreeSet<Name> {
    edges.keys().filter(|name| comes_back(edges, name)).cloned().collect()
}

fn comes_back(edges: &Edges, from: &Name) -> bool {
    let mut seen: BTreeSet<&Name> = BTreeSet::new();
    let mut open: Vec<&Name> = edges[from].iter().collect();
    while let Some(name) = open.pop() {
        if name == from {
            return true;
        }
        if seen.insert(name) {
            open.extend(&edges[name]);
        }
    }
    false
}

#[test]
fn a_circle_is_found_and_what_leads_to_it_is_not_in_it() {
    let edges = [("a", vec!["b"]), ("b", vec!["c"]), ("c", vec!["b", "d"]), ("d", vec![])];
    let edges: Edges =
        edges.into_iter().map(|(from, to)| (from.to_owned(), to.into_iter().map(str::to_owned).collect())).collect();
    assert_eq!(in_circles(&edges).into_iter().collect::<Vec<_>>(), ["b", "c"]);
}
