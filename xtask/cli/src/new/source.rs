//! Where a project gets Lanewise from: a registry, a git repository, or a checkout.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use cargo_metadata::semver::VersionReq;

/// A package of Lanewise that a project names.
pub(super) struct Package {
    /// The placeholder for its line in the templates, without its two pairs of braces.
    pub(super) place: &'static str,
    /// Its folder in a checkout.
    folder: &'static str,
}

/// All packages that a project can name.
pub(super) const PACKAGES: [Package; 4] = [
    Package {
        place: "lanewise",
        folder: "host",
    },
    Package {
        place: "macros",
        folder: "gpu/macros",
    },
    Package {
        place: "std",
        folder: "gpu/std",
    },
    Package {
        place: "builder",
        folder: "gpu/builder",
    },
];

/// The options of `new` and `learn` that say where a made project finds Lanewise.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Where Lanewise comes from")]
#[group(id = "source")]
pub(crate) struct Args {
    /// A released version
    #[arg(long, value_name = "VERSION", conflicts_with_all = ["git", "path"])]
    version: Option<String>,
    /// A git repository
    #[arg(long, value_name = "URL", conflicts_with = "path")]
    git: Option<String>,
    /// The repository's commit; the last of its default branch, if none is named
    #[arg(long, value_name = "REV", requires = "git")]
    rev: Option<String>,
    /// Depend on Lanewise in this checkout, by path
    #[arg(long, value_name = "FOLDER")]
    path: Option<PathBuf>,
}

/// The chosen source.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A version of a registry.
    Release(String),
    /// A repository and a commit.
    Git(String, Option<String>),
    /// The root of a checkout.
    Path(PathBuf),
}

/// Returns the checkout that this program was built in, if there is one.
pub(super) fn checkout() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own).to_owned()
}

/// Returns whether a folder is a checkout of Lanewise.
fn is_checkout(folder: &Path) -> bool {
    PACKAGES
        .iter()
        .all(|package| folder.join(package.folder).join("Cargo.toml").is_file())
}

impl Args {
    /// Returns the source from the options. Without an option it is the checkout that the program
    /// was built in, or the program's own release.
    pub(crate) fn chosen(&self) -> Result<Source> {
        if let Some(version) = &self.version {
            VersionReq::parse(version).with_context(|| {
                format!("`{version}` is no version; write it as in 0.1 or =0.1.2")
            })?;
            return Ok(Source::Release(version.clone()));
        }
        if let Some(url) = &self.git {
            ensure!(
                url.contains("://"),
                "`{url}` is no URL for cargo: write it with its scheme, as in https://example.org/lanewise or ssh://git@example.org/lanewise"
            );
            ensure!(
                self.rev.as_deref() != Some(""),
                "`--rev` names a commit; leave it out for the last one"
            );
            return Ok(Source::Git(url.clone(), self.rev.clone()));
        }
        if let Some(path) = &self.path {
            let root = path
                .canonicalize()
                .with_context(|| format!("cannot read `{}`", path.display()))?;
            ensure!(
                is_checkout(&root),
                "`{}` is no checkout of Lanewise",
                path.display()
            );
            return Ok(Source::Path(root));
        }
        let own = checkout();
        Ok(match is_checkout(&own) {
            true => Source::Path(own),
            false => Source::Release(env!("CARGO_PKG_VERSION").to_owned()),
        })
    }
}

impl Source {
    /// Returns the fields of a package's line in a manifest.
    pub(super) fn of(&self, package: &Package) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Source::Release(version) => format!("version = {}", quoted(version)),
            Source::Git(url, None) => format!("git = {}", quoted(url)),
            Source::Git(url, Some(rev)) => format!("git = {}, rev = {}", quoted(url), quoted(rev)),
            Source::Path(root) => {
                let folder = root.join(package.folder);
                format!("path = {}", quoted(&folder.display().to_string()))
            }
        }
    }

    /// Returns the lock file that a checkout was tested with.
    pub(super) fn lock(&self) -> Option<PathBuf> {
        let Source::Path(root) = self else {
            return None;
        };
        Some(root.join("Cargo.lock")).filter(|lock| lock.is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_where_the_package_comes_from() {
        let git = Source::Git("https://example.org/x".into(), Some("0123".into()));
        assert_eq!(
            git.of(&PACKAGES[2]),
            "git = \"https://example.org/x\", rev = \"0123\""
        );
        assert_eq!(
            Source::Release("0.1".into()).of(&PACKAGES[0]),
            "version = \"0.1\""
        );
        let path = Source::Path("/l".into());
        assert_eq!(path.of(&PACKAGES[3]), "path = \"/l/gpu/builder\"");
    }

    #[test]
    fn this_checkout_is_one_and_a_folder_beside_it_is_not() {
        assert!(is_checkout(&checkout()) && !is_checkout(&checkout().join("docs")));
    }
}
