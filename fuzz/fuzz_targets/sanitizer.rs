//! Text that was made safe hides nothing and forms no command, and cuts do not matter.
#![cfg_attr(fuzzing, no_main)]

use jsift::sink::sanitize::{Sanitizer, is_hidden, sanitize};

fn property(input: &[u8]) {
    let Some((&[choice, cut], text)) = input.split_first_chunk::<2>() else {
        return;
    };
    let text = String::from_utf8_lossy(text);
    let (terminal, ci) = (choice & 1 != 0, choice & 2 != 0);
    let whole = sanitize(&text, terminal, ci);
    if terminal {
        let shown = whole.replace("\r\n", "\n");
        assert!(
            !shown.contains(|c| is_hidden(c) && c != '\n' && c != '\t'),
            "{whole:?}"
        );
    }
    if ci {
        assert!(
            !whole.contains("##[") && !whole.contains("##vso["),
            "{whole:?}"
        );
        let commands = whole
            .split(['\n', '\r'])
            .any(|line| line.trim_start().starts_with("::"));
        assert!(!commands, "{whole:?}");
    }
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let cut = places.get(usize::from(cut)).map_or(text.len(), |at| *at);
    let mut sanitizer = Sanitizer::new(terminal, ci);
    let mut parts = sanitizer.push(&text[..cut]).into_owned();
    parts += &sanitizer.push(&text[cut..]);
    parts += &sanitizer.finish();
    assert_eq!(parts, whole);
}

jsift_fuzz::target!(property);
