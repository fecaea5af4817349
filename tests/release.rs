//! What a release hangs on: workflows that name what is there, a changelog that tells of the version, and the check of both
//! before anything is published.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The values of a key in a workflow, with the numbers of their lines.
fn values<'a>(workflow: &'a str, key: &str) -> Vec<(usize, &'a str)> {
    workflow
        .lines()
        .enumerate()
        .filter_map(|(number, line)| Some((number, line.trim_start().trim_start_matches("- ").strip_prefix(key)?)))
        .filter_map(|(number, rest)| Some((number, rest.strip_prefix(':')?.trim())))
        .collect()
}

#[test]
fn workflows_are_pinned_bounded_and_name_scripts_that_run() {
    for name in ["ci", "release"] {
        let path = format!(".github/workflows/{name}.yml");
        let workflow = read(&path);
        assert!(workflow.starts_with("# "), "{path} does not say what it is");
        assert!(!workflow.contains('\t'), "{path} holds a tab");
        for line in workflow.lines() {
            let indent = line.len() - line.trim_start().len();
            assert_eq!(indent % 2, 0, "{path}: {line}");
        }
        assert!(workflow.contains("\npermissions:\n  contents: read\n"), "{path} asks for more than it needs");
        assert!(workflow.contains("\nconcurrency:\n"), "{path} may run side by side with itself");
        assert_eq!(values(&workflow, "timeout-minutes").len(), values(&workflow, "runs-on").len(), "{path}");
        let uses = values(&workflow, "uses");
        assert!(uses.len() > 2, "{path}: the actions were not found");
        for (number, action) in uses {
            let (_, version) = action.split_once('@').unwrap_or_default();
            let major = version.strip_prefix('v').unwrap_or_default();
            assert!(!major.is_empty() && major.bytes().all(|b| b.is_ascii_digit()), "{path}:{}: {action}", number + 1);
        }
        let mut scripts = 0;
        for (number, command) in values(&workflow, "run") {
            let word = command.split(' ').next().unwrap_or_default();
            if word.starts_with(".ci/") || word.starts_with("scripts/") {
                let mode =
                    fs::metadata(root().join(word)).unwrap_or_else(|error| panic!("{path}:{}: {error}", number + 1));
                assert_ne!(mode.permissions().mode() & 0o100, 0, "{word} is no program");
                scripts += 1;
            }
        }
        assert!(scripts > 0, "{path} runs nothing of ours");
    }
}

#[test]
fn a_release_is_checked_before_it_is_published() {
    let workflow = read(".github/workflows/release.yml");
    let place = |text: &str| workflow.find(text).unwrap_or_else(|| panic!("release.yml has no {text}"));
    let order = [
        "scripts/release.sh",
        "cargo-deny-action",
        "run: .ci/run",
        "zip -qr",
        "actions/deploy-pages",
        "gh release create",
    ];
    assert!(order.map(place).is_sorted(), "the steps stand in another order");
    assert!(workflow.contains("tags: [\"v*\"]"));
    assert!(workflow.contains("needs: build") && workflow.contains("needs: pages"));
}

#[test]
fn the_changelog_tells_of_this_version() {
    let heading = format!("\n## {}", env!("CARGO_PKG_VERSION"));
    assert!(read("CHANGELOG.md").contains(&heading), "no section{heading}");
}

/// Runs scripts/release.sh in a project of its own.
fn release(name: &str, version: &str, changelog: &str, tag: &str) -> Output {
    let project = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("release-{name}"));
    let scripts = project.join("scripts");
    fs::create_dir_all(&scripts).unwrap();
    for script in ["lib.sh", "release.sh"] {
        fs::copy(root().join("scripts").join(script), scripts.join(script)).unwrap();
    }
    fs::write(project.join("Cargo.toml"), format!("[package]\nversion = \"{version}\"\n")).unwrap();
    fs::write(project.join("CHANGELOG.md"), changelog).unwrap();
    Command::new("bash").arg(scripts.join("release.sh")).arg(tag).output().unwrap()
}

#[test]
fn a_tag_is_released_when_it_is_the_version_and_the_changelog_has_its_day() {
    let changelog = "# Changelog\n\n## 1.2.0, 2030-02-01\n\n- New.\n\n## 1.1.0, 2030-01-01\n\n- Old.\n";
    let done = release("fine", "1.2.0", changelog, "v1.2.0");
    assert_eq!(String::from_utf8_lossy(&done.stdout).trim(), "- New.", "{done:?}");
    assert!(done.status.success());

    let early = changelog.replace(", 2030-02-01", ", not released yet");
    let empty = changelog.replace("- New.", "");
    for (name, version, changelog, tag, why) in [
        ("tag", "1.2.0", changelog, "v1.2.1", "Cargo.toml says 1.2.0"),
        ("bare", "1.2.0", changelog, "1.2.0", "the tag is 1.2.0"),
        ("section", "1.3.0", changelog, "v1.3.0", "no section '## 1.3.0'"),
        ("dots", "1.2.0", &changelog.replace("1.2.0", "1x2x0"), "v1.2.0", "no section '## 1.2.0'"),
        ("day", "1.2.0", &early, "v1.2.0", "write the day of the release"),
        ("empty", "1.2.0", &empty, "v1.2.0", "is empty"),
    ] {
        let done = release(name, version, changelog, tag);
        assert_eq!(done.status.code(), Some(1), "{name}: {done:?}");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(said.starts_with("release: ") && said.contains(why), "{name}: {said}");
        assert!(done.stdout.is_empty(), "{name}");
    }
}
