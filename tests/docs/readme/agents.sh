# The programs that the examples call and that no test may call, as recordings of what they print. Read before each
# example; $samples is the folder of the recordings.
gemini() {
    case "$*" in
    *stream-json*) cat "$samples/gemini.jsonl" ;;
    *"Review this."*) sed s/needs-work/ok/ "$samples/gemini.log" ;;
    *) cat "$samples/gemini.log" ;;
    esac
}
claude() { cat "$samples/claude.jsonl"; }
codex() { cat "$samples/codex.jsonl"; }
gh() {
    case "$*" in
    issue*) cat "$samples/gh.log" ;;
    *) cat "$samples/ci.log" ;;
    esac
}
kubectl() {
    case "$*" in
    *-f*) cat "$samples/web.log" ;;
    *) cat "$samples/kubectl.log" ;;
    esac
}
# It would wait for more.
tail() { shift "$(($# - 1))" && cat "$1"; }
emacsclient() { cat "$samples/emacsclient.txt"; }
az() { cat "$samples/az.log"; }
npm() { cat "$samples/npm.log"; }
netlify() { cat "$samples/netlify.log"; }
terraform() { cat "$samples/terraform.log"; }
git() { :; }
sleep() { :; }
# `cargo run -- …` is the command itself; everything else of cargo would build what is under test once more.
cargo() {
    while [ "$#" -gt 0 ] && [ "$1" != -- ]; do shift; done
    [ "$#" -eq 0 ] || { shift && jsift "$@"; }
}
