# Builds, tests and installs jsift with its manual pages and completions.
#
#   make && sudo make install              into /usr/local
#   make install PREFIX=~/.local           for one user
#   make install DESTDIR=/tmp/root PREFIX=/usr   for a package
#   make uninstall                         with the same PREFIX and DESTDIR

PREFIX ?= /usr/local
DESTDIR ?=
CARGO ?= cargo
INSTALL ?= install
# What is installed; built by `make` if it is the default.
BINARY ?= target/release/jsift

bin = $(DESTDIR)$(PREFIX)/bin
man = $(DESTDIR)$(PREFIX)/share/man
bash = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zsh = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
fish = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
other = $(DESTDIR)$(PREFIX)/share/jsift/completions

commands = jsift.1 jsift-extract.1 jsift-events.1 jsift-summary.1

.PHONY: all test install uninstall

all:
	$(CARGO) build --release --locked

test:
	$(CARGO) test

# It does not build: `sudo make install` must not leave files of root in target/.
install:
	@test -x "$(BINARY)" || { echo "$(BINARY) is not there: run make first" >&2; exit 1; }
	$(INSTALL) -d "$(bin)" "$(man)/man1" "$(man)/man7" "$(bash)" "$(zsh)" "$(fish)" "$(other)"
	$(INSTALL) -m 755 "$(BINARY)" "$(bin)/jsift"
	$(INSTALL) -m 644 $(addprefix man/,$(commands)) "$(man)/man1"
	$(INSTALL) -m 644 man/jsift-security.7 "$(man)/man7"
	$(INSTALL) -m 644 completions/jsift.bash "$(bash)/jsift"
	$(INSTALL) -m 644 completions/_jsift "$(zsh)/_jsift"
	$(INSTALL) -m 644 completions/jsift.fish "$(fish)/jsift.fish"
	$(INSTALL) -m 644 completions/jsift.elv completions/jsift.nu completions/_jsift.ps1 "$(other)"

uninstall:
	rm -f "$(bin)/jsift" "$(man)/man7/jsift-security.7"
	rm -f $(foreach page,$(commands),"$(man)/man1/$(page)")
	rm -f "$(bash)/jsift" "$(zsh)/_jsift" "$(fish)/jsift.fish"
	rm -rf "$(DESTDIR)$(PREFIX)/share/jsift"
