# Every target does its own set-up and needs only cargo, make and, for the tests, git.
.PHONY: demo install corpora test tools lint fmt docs bench browser browser-tools screenshots

# The life of one canvas in a temporary workspace, and a week of a handbook.
demo: install
	sh examples/demo.sh
	sh examples/handbook/demo.sh

# What the example taxonomies find in real proposals, against a second computation of it.
corpora:
	@test -n "$(HEADWATER_EIPS)" || { echo 'set HEADWATER_EIPS to the directory that holds EIPS'; exit 2; }
	HEADWATER_EIPS="$(HEADWATER_EIPS)" cargo nextest run -p programs --test examples --locked --run-ignored all

# The programs, in bin/.
install:
	cargo install --quiet --locked --root . --path crates/programs

# Formatting, lints, every test, the examples in the documentation. Debug builds only.
test: tools lint
	cargo nextest run --workspace --locked
	cargo test --doc --workspace --locked
	$(MAKE) browser

# The debug build that the browser looks at.
CANVAS := $(or $(CARGO_TARGET_DIR),target)/debug/canvas

# What a browser makes of a rendered page.
browser: browser-tools
	cargo build --workspace --locked
	CANVAS=$(CANVAS) node --test tests/render/*.test.mjs

# Pictures of a rendered page, to be looked at: light, dark, phone, print.
screenshots: browser-tools
	cargo build --workspace --locked
	CANVAS=$(CANVAS) node tests/render/screenshots.mjs target/screenshots

# A browser, and what drives and judges it.
browser-tools:
	@command -v chromium >/dev/null && command -v npm >/dev/null || { \
	    if [ "$$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi; \
	    $$as_root apt-get update -q && \
	    $$as_root apt-get install -q -y --no-install-recommends chromium \
	        $$(command -v npm >/dev/null || echo nodejs npm); }
	@cd tests/render && { [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci; }

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

# What the tests need beside cargo: xmllint and git, which judge what we judge, and the test runner
# (built without optimisation, because its own build would otherwise take longer than the tests).
tools:
	@command -v xmllint >/dev/null && command -v git >/dev/null || { \
	    if [ "$$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi; \
	    $$as_root apt-get update -q && \
	    $$as_root apt-get install -q -y --no-install-recommends libxml2-utils git; }
	@command -v cargo-nextest >/dev/null || cargo install cargo-nextest --locked --debug

fmt:
	cargo fmt --all

# The reference, the manual, the completions and the examples in README.md, written anew.
docs:
	UPDATE_DOCS=1 cargo test --quiet --locked --package programs

# Ratios against git and the disk, measured on this machine in one run; then the races and the kills of
# the tests in their full sizes: 16 writers of 50 edits each, 500 kills.
bench:
	cargo bench --package programs --bench canvas --locked
	cargo bench --package programs --bench headwater --locked
	CANVAS_TEST_FULL=1 cargo test --release --package programs --locked --test conformance -- \
	    --nocapture sixteen_writers killed_writers
