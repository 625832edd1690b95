//! Whole programs: runs a second, as the tool reports them, and the time from the command to the verdict.
//!
//! Each program explores itself n times over (`fh_choose`), so that the time of one execution can be told from that of
//! starting a process. `scripts/bench` builds what is measured.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::Value;

/// The tool, and the folder of the programs.
struct Setting {
    tool: PathBuf,
    programs: PathBuf,
    built: tempfile::TempDir,
}

impl Setting {
    fn new() -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| here.join("../target"), PathBuf::from);
        let tool = target.join("release/fencehound");
        assert!(tool.exists(), "{} is not there: run scripts/bench", tool.display());
        Self { tool, programs: here.join("programs"), built: tempfile::tempdir().expect("a temporary folder") }
    }

    /// The program, which explores itself `repeats` times over.
    fn compile(&self, program: &str, repeats: u64) -> PathBuf {
        let executable = self.built.path().join(program);
        let source = self.programs.join(format!("{program}.c"));
        let mut compiler = Command::new(&self.tool);
        compiler.args(["cc", "-O2", "-w", &format!("-DREPEAT={repeats}"), "-o"]).arg(&executable).arg(source);
        let status = compiler.status();
        assert!(status.expect("the compiler starts").success());
        executable
    }

    /// Checks the program: runs (executions, and those that only repeat one but for iterations of a wait loop without
    /// effect) and seconds.
    fn check(&self, executable: &Path, preemptions: &str, monitors: &str) -> (f64, f64) {
        let out = self.built.path().join("out");
        let output = Command::new(&self.tool)
            .args([
                "check",
                "-j",
                "1",
                "--preemptions",
                preemptions,
                "--monitor",
                monitors,
                "--no-judge",
                "--explorer",
                "bounded",
                "--json",
                "-",
                "--out",
            ])
            .arg(out)
            .arg(executable)
            .stderr(Stdio::null())
            .output()
            .expect("the tool starts");
        let report: Value = serde_json::from_slice(&output.stdout).expect("a JSON report");
        assert_eq!(report["complete"], Value::Bool(true), "{report}");
        let number = |key: &str| report[key].as_f64().expect("a number");
        (number("runs"), number("seconds"))
    }
}

fn executions(criterion: &mut Criterion) {
    let setting = Setting::new();
    let mut group = criterion.benchmark_group("executions");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    for (program, preemptions) in [("store_buffering", "none"), ("queue", "2"), ("compute", "none")] {
        let (runs, _) = setting.check(&setting.compile(program, 1), preemptions, "none");
        group.throughput(Throughput::Elements(runs as u64));
        for monitors in ["tso,pso", "none"] {
            group.bench_function(format!("{program}/{monitors}"), |bencher| {
                bencher.iter_custom(|repeats| {
                    let (_, seconds) = setting.check(&setting.compile(program, repeats), preemptions, monitors);
                    Duration::from_secs_f64(seconds)
                });
            });
        }
    }
    group.finish();
}

fn verdict(criterion: &mut Criterion) {
    let setting = Setting::new();
    let mut group = criterion.benchmark_group("verdict");
    group.sample_size(10);
    group.bench_function("check store_buffering.c, compile included", |bencher| {
        bencher.iter_custom(|repeats| {
            let start = Instant::now();
            for _ in 0..repeats {
                let status = Command::new(&setting.tool)
                    .args(["check", "--no-judge", "--explorer", "bounded"])
                    .arg(setting.programs.join("store_buffering.c"))
                    .arg("--out")
                    .arg(setting.built.path().join("out"))
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status();
                assert_eq!(status.expect("the tool starts").code(), Some(1));
            }
            start.elapsed()
        });
    });
    group.finish();
}

mod group {
    #![allow(missing_docs, reason = "criterion's macro makes a public function")]

    super::criterion_group!(benches, super::executions, super::verdict);
}

criterion_main!(group::benches);
