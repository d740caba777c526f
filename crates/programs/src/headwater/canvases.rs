//! The canvas store as anchors see it: a document may be bound to a node of a canvas, and be told when
//! the shared understanding under it moved.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use canvas_store::request::Environment;
use canvas_store::{Revisions, Store};
use headwater_corpus::Canvases;

/// A canvas as it was read, or why it could not be.
type Read = Result<Arc<Revisions>, String>;

/// The store that `OPENCLAW_WORKSPACE` names. Each canvas is read once a run, when it is first named.
pub(crate) struct StoredCanvases {
    store: Store,
    read: Mutex<HashMap<String, Read>>,
}

impl StoredCanvases {
    /// The store of this process's environment; none where the variable names no workspace.
    pub(crate) fn from_environment() -> Option<Self> {
        let environment = Environment::from_process();
        let named = environment.workspace.as_ref().is_some_and(|value| !value.is_empty());
        named.then(|| Self::new(environment))
    }

    fn new(environment: Environment) -> Self {
        Self { store: Store::new(environment), read: Mutex::default() }
    }

    fn canvas(&self, canvas: &str) -> Read {
        // What a panic left behind is still a map of whole answers.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || match self.store.revisions(canvas) {
            Ok(revisions) => Ok(Arc::new(revisions)),
            Err(refusal) => Err(refusal.message().to_owned()),
        };
        read.entry(canvas.to_owned()).or_insert_with(fresh).clone()
    }
}

impl Canvases for StoredCanvases {
    fn find(&self, canvas: &str, node: Option<&str>) -> Result<(), String> {
        let revisions = self.canvas(canvas)?;
        match node {
            Some(node) if !revisions.nodes.contains_key(node) => {
                Err(format!("the canvas {canvas} holds no node with that id"))
            }
            _ => Ok(()),
        }
    }

    fn revision(&self, canvas: &str, node: Option<&str>) -> Result<String, String> {
        let revisions = self.canvas(canvas)?;
        let commit = match node {
            Some(node) => revisions.nodes.get(node).cloned().flatten(),
            None => revisions.canvas.clone(),
        };
        commit.ok_or_else(|| "no commit of the canvas store names it".to_owned())
    }
}
