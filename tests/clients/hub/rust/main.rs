//! Calls of the crate `hf-hub`, of a model and a data set that are there already. Prints a line of
//! JSON for each.

use hf_hub::api::sync::{Api, ApiBuilder, ApiError};
use hf_hub::{Cache, Repo, RepoType};
use std::{env, fs, path::PathBuf};

const REPO: &str = "team/rust";

fn report(call: &str, outcome: Result<(), String>) {
    let (outcome, words) = match outcome {
        Ok(()) => ("works", String::new()),
        Err(words) => ("refused", words),
    };
    println!("{}", serde_json::json!({ "call": call, "outcome": outcome, "words": words }));
}

fn words(error: ApiError) -> String {
    error.to_string()
}

fn home() -> PathBuf {
    PathBuf::from(env::var("HOME").expect("HOME"))
}

fn api(token: Option<String>, cache: &str) -> Api {
    ApiBuilder::from_cache(Cache::new(home().join(cache)))
        .with_endpoint(env::var("HF_ENDPOINT").expect("HF_ENDPOINT"))
        .with_token(token)
        .with_progress(false)
        .build()
        .expect("a client")
}

fn holds(path: PathBuf, content: &str) -> Result<(), String> {
    let found = fs::read_to_string(path).map_err(|error| error.to_string())?;
    if found == content { Ok(()) } else { Err(format!("{found:?} is not {content:?}")) }
}

fn main() {
    let token = env::var("HF_TOKEN").ok();
    let one = api(token.clone(), "one");
    let model = one.model(REPO.to_string());
    let rows = one.dataset(REPO.to_string());
    let sha = model.info().map(|info| info.sha).unwrap_or_default();
    report("rust info", model.info().map_err(words).and_then(|info| {
        let mut names: Vec<String> = info.siblings.into_iter().map(|it| it.rfilename).collect();
        names.sort();
        if names == ["config.json", "notes/a.txt"] { Ok(()) } else { Err(format!("{names:?}")) }
    }));
    report("rust get", model.get("config.json").map_err(words).and_then(|path| holds(path, "{}")));
    report("rust get cached", model.get("config.json").map_err(words).map(|_| ()));
    report("rust download", model.download("notes/a.txt").map_err(words)
        .and_then(|path| holds(path, "a\n")));
    report("rust download of a data set", rows.download("rows.csv").map_err(words)
        .and_then(|path| holds(path, "a,b\n")));
    let pinned = one.repo(Repo::with_revision(REPO.to_string(), RepoType::Model, sha));
    report("rust download of a commit", pinned.download("config.json").map_err(words)
        .and_then(|path| holds(path, "{}")));
    report("rust missing file", model.download("missing.json").map_err(words).map(|_| ()));
    let missing = one.model("team/missing".to_string());
    report("rust missing repository", missing.info().map_err(words).map(|_| ()));
    let other = one.repo(Repo::with_revision(REPO.into(), RepoType::Model, "v1".into()));
    report("rust missing revision", other.download("config.json").map_err(words).map(|_| ()));
    let bad = api(Some("nothing".to_string()), "bad");
    report("rust bad credential", bad.model(REPO.into()).info().map_err(words).map(|_| ()));
}
