//! Holds a result against what the header expects, and against what is true of every result.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::header::{ATOMICITY, CONSEQUENCES, Cycle, Line, MONITORS, Run};
use crate::installation::Check;

/// All that is not as expected, in words.
pub(crate) fn differences(check: &Check, run: &Run) -> Vec<String> {
    let json = &check.json;
    let mut problems = Vec::new();
    let mut same = |what: &str, found: String, wanted: String| {
        if found != wanted {
            problems.push(format!("{what}: {found} instead of {wanted}"));
        }
    };
    same("verdict", json["verdict"].to_string(), Value::from(run.verdict.as_str()).to_string());
    same("exit status", format!("{:?}", check.status), format!("{:?}", Some(status(&run.verdict))));
    if let Some(executions) = run.executions {
        same("executions", json["executions"].to_string(), executions.to_string());
    }
    if let Some(most) = run.runs {
        same("runs", json["runs"].as_u64().map_or(u64::MAX, |runs| runs.max(most)).to_string(), most.to_string());
    }
    // What a search for graphs gives up follows from its method, not from the program.
    if run.blocked > 0 || json["explorer"] != "rsmc" {
        same("blocked", json["blocked"].to_string(), run.blocked.to_string());
    }
    same("stopped_by", json["stopped_by"].to_string(), Value::from(run.stopped_by.clone()).to_string());
    let busiest = run.busiest_loop.map_or(Value::Null, Value::from);
    same("busiest_loop", json["busiest_loop"]["line"].to_string(), busiest.to_string());
    same("uninstrumented", json["uninstrumented"].to_string(), Value::from(run.uninstrumented.clone()).to_string());
    // The judgements stand for what is judged.
    for monitor in MONITORS.into_iter().filter(|_| !run.is_judged) {
        let wanted = run.pairs.get(monitor).cloned().unwrap_or_default();
        same(monitor, format!("{:?}", pairs(json, monitor)), format!("{wanted:?}"));
    }
    for (word, key) in CONSEQUENCES.into_iter().filter(|_| !run.is_judged) {
        let wanted = run.consequences.get(key).cloned().unwrap_or_default();
        same(key, format!("{:?}", consequences(json, word)), format!("{wanted:?}"));
    }
    same("models", format!("{:?}", judgements(json)), format!("{:?}", run.models));
    for monitor in ATOMICITY {
        let wanted = run.cycles.get(monitor).cloned().unwrap_or_default();
        same(monitor, format!("{:?}", cycles(json, monitor)), format!("{wanted:?}"));
    }
    let outcomes = json["outcomes"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_string);
    same("outcomes", format!("{:?}", outcomes.collect::<BTreeSet<_>>()), format!("{:?}", run.outcomes));
    same("undecided", (json["undecided"] != 0).to_string(), run.is_undecided.to_string());
    same("failures", format!("{:?}", failures(json)), format!("{:?}", run.failures));
    problems.extend(unsupported(json, run));
    problems.extend(unlawful(check));
    problems
}

fn status(verdict: &str) -> i32 {
    match verdict {
        "clean" => 0,
        "violations" => 1,
        "incomplete" => 3,
        _ => 4,
    }
}

fn violations(json: &Value) -> impl Iterator<Item = &Value> {
    json["violations"].as_array().into_iter().flatten()
}

/// The lines of the sites with one of these roles, or of all.
fn lines<'a>(violation: &'a Value, role: Option<&'a str>) -> impl Iterator<Item = Line> + 'a {
    let sites = violation["sites"].as_array().into_iter().flatten();
    let wanted = sites.filter(move |site| role.is_none_or(|role| site["role"] == role));
    wanted.map(|site| site["line"].as_u64().unwrap_or_default())
}

/// The distinct pairs of lines that a monitor reported.
fn pairs(json: &Value, monitor: &str) -> BTreeSet<(Line, Line)> {
    let line = |violation, role| lines(violation, Some(role)).next().unwrap_or_default();
    violations(json)
        .filter(|violation| violation["monitor"] == monitor)
        .map(|violation| (line(violation, "delayed"), line(violation, "overtaking")))
        .collect()
}

/// The distinct pairs of lines of which this comes in relaxed executions.
fn consequences(json: &Value, word: &str) -> BTreeSet<(Line, Line)> {
    let line = |violation, role| lines(violation, Some(role)).next().unwrap_or_default();
    violations(json)
        .filter(|violation| violation["consequence"]["verdict"] == word)
        .map(|violation| (line(violation, "delayed"), line(violation, "overtaking")))
        .collect()
}

/// The judgement under each model.
fn judgements(json: &Value) -> BTreeMap<String, String> {
    let models = json["models"].as_object().into_iter().flatten();
    models.map(|(model, entry)| (model.clone(), entry["judgement"].as_str().unwrap_or_default().to_string())).collect()
}

/// The cycles of transactions that a monitor reported.
fn cycles(json: &Value, monitor: &str) -> BTreeSet<Cycle> {
    let edges = |violation: &Value| {
        let ends = |roles: &[&str]| -> Vec<Line> {
            let sites = violation["sites"].as_array().into_iter().flatten();
            let of = sites.filter(|site| roles.iter().any(|role| site["role"] == *role));
            of.map(|site| site["line"].as_u64().unwrap_or_default()).collect()
        };
        ends(&["from"]).into_iter().zip(ends(&["to", "overtaken"])).collect()
    };
    violations(json).filter(|violation| violation["monitor"] == monitor).map(edges).collect()
}

/// What no monitor of a memory model reported: the lines of each violation by kind, sorted.
fn failures(json: &Value) -> BTreeMap<String, Vec<BTreeSet<Line>>> {
    let watched = ["sc-violation", "atomicity"];
    let mut failures: BTreeMap<String, Vec<BTreeSet<Line>>> = BTreeMap::new();
    for violation in violations(json).filter(|violation| !watched.iter().any(|kind| violation["kind"] == *kind)) {
        let kind = violation["kind"].as_str().unwrap_or_default().to_string();
        failures.entry(kind).or_default().push(lines(violation, None).collect());
    }
    failures.values_mut().for_each(|lines| lines.sort());
    failures
}

fn unsupported(json: &Value, run: &Run) -> Option<String> {
    let found: Vec<(Line, &str)> = json["unsupported"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| (one["line"].as_u64().unwrap_or_default(), one["what"].as_str().unwrap_or_default()))
        .collect();
    let as_wanted = match (&run.unsupported, found.as_slice()) {
        (None, []) => true,
        (Some((line, words)), [(at, what)]) => line == at && what.contains(words.as_str()),
        _ => false,
    };
    (!as_wanted).then(|| format!("unsupported: {found:?} instead of {:?}", run.unsupported))
}

/// What is true of every result and not of this one.
fn unlawful(check: &Check) -> Vec<String> {
    let json = &check.json;
    let mut problems = Vec::new();
    let mut law = |holds: bool, words: &str| {
        if !holds {
            problems.push(format!("the result contradicts itself: {words}"));
        }
    };
    let verdict = json["verdict"].as_str().unwrap_or_default();
    let last = check.text.lines().last().unwrap_or_default();
    let is_judged = json["models"].is_object();
    let begins = format!("{verdict}: ");
    let is_beside = is_judged && json["explorer"] != "rsmc";
    law(last.starts_with(if is_beside { "x86 (TSO): " } else { &begins }), "the last line said is not the verdict");
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let executions = number(&json["executions"]);
    let rows = || json["by_bound"].as_array().into_iter().flatten();
    let bounded = !json["bound"]["preemptions"].is_null() && json["explorer"] == "bounded";
    let sum: u64 = rows().map(|row| number(&row["executions"])).sum();
    law(!bounded || sum == executions, "the executions by preemptions are not all executions");
    law(verdict != "clean" || json["complete"] == true, "clean, but not complete");
    law(json["complete"] != true || json["stopped_by"].is_null(), "complete, but stopped");
    for monitor in json["monitors"].as_array().into_iter().flatten() {
        let monitor = monitor.as_str().unwrap_or_default();
        let listed = violations(json).filter(|violation| violation["monitor"] == monitor).count() as u64;
        let distinct = number(&json["distinct"][monitor]);
        let reporting = number(&json["reporting"][monitor]);
        law(listed == distinct, "as many violations as distinct ones");
        law(distinct <= number(&json["distinct_triples"][monitor]), "no fewer triples than pairs");
        law((distinct > 0) == (reporting > 0), "a violation has an execution");
        law(reporting <= executions, "an execution that reports is one");
        law((reporting > 0) == json["first"][monitor].is_object(), "a report has a first one");
        let sum: u64 = rows().map(|row| number(&row["reporting"][monitor])).sum();
        law(!bounded || sum == reporting, "the reports by preemptions are not all reports");
    }
    for violation in violations(json) {
        let (count, message) = (number(&violation["executions"]), violation["message"].as_str().unwrap_or_default());
        law(count >= 1 && (count <= executions || is_judged), "a violation is of at least one execution");
        law(!message.is_empty(), "a violation has a message");
        law(lines(violation, None).next().is_some(), "a violation has a place");
    }
    problems
}

/// A result without what may differ from run to run: its times.
pub(crate) fn without_times(mut json: Value) -> Value {
    fn visit(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.retain(|key, _| key != "seconds");
                map.values_mut().for_each(visit);
            }
            Value::Array(values) => values.iter_mut().for_each(visit),
            _ => {}
        }
    }
    visit(&mut json);
    json
}
