# Short names for what tools/ and meson do; see HACKING.md.
.PHONY: build check quick demo bench lint fuzz clean

build: build/build.ninja
	@ninja -C build

build/build.ninja:
	@tools/setup --build
	@meson setup build

check:
	@tools/test

quick:
	@tools/test quick

demo:
	@tools/demo

bench: build
	@ninja -C build bench
	@bench/run

lint: build
	@.venv/bin/python -m pytest -q tests/lint
	@tools/tidy

fuzz:
	@tools/fuzz

clean:
	@rm -rf build build-sanitize build-fuzz
