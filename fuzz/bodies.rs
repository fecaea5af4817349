//! What the fuzz targets do with their input. The ordinary tests run the same on the seeds; see `tests/fuzz_seeds.rs`.

use hotkv_playground::app::{Effect, Msg, Opening, Purpose, State, update};
use hotkv_playground::command::execute as run;
use hotkv_playground::engine::{Engine, Options, digest, quoted};
use hotkv_playground::resp::{Limits, Requests};
use hotkv_playground::transcript::{check, line, parse, print_located};

/// The console's line splitter: words that are split, written between quotes and split again are the same words.
pub fn line(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        assert!(line::check(data).is_err());
        return;
    };
    if let Ok(words) = line::split(text) {
        let again: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        assert_eq!(line::split(&again.join(" ")).as_ref(), Ok(&words));
    }
}

/// Transcripts: parsing never fails, printing is its inverse, and running ends.
pub fn transcript(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (records, _) = parse(text);
    let printed = print_located(&records);
    assert_eq!(parse(&printed).0, records);
    check(&records);
}

/// Commands: a byte chooses a client or moves the clock, then come words, each after its length; a length of 255 ends
/// the command. Whatever the words are, the engine stays sound, and a clone that is told the same answers the same.
pub fn execute(data: &[u8]) {
    let mut engine = Engine::new(Options { max_memory: 1 << 20, ..Options::default() });
    let clients = [engine.open(), engine.open(), engine.open()];
    let mut bytes = data.iter().copied();
    while let Some(choice) = bytes.next() {
        if choice >= 128 {
            let ms = (i64::from(choice) - 128) << (choice % 48);
            engine.advance(engine.now().saturating_add(ms));
            continue;
        }
        let mut argv = Vec::new();
        while let Some(length) = bytes.next().filter(|length| *length != 255) {
            argv.push(bytes.by_ref().take(usize::from(length)).collect::<Vec<u8>>());
        }
        let client = clients[usize::from(choice) % clients.len()];
        let mut twin = engine.clone();
        let now = engine.now();
        let outcome = run(&mut engine, client, &argv, now);
        assert_eq!(run(&mut twin, client, &argv, now), outcome);
        assert_eq!(twin, engine);
        engine.verify();
    }
}

/// Requests on the wire: the first byte says how big the pieces are in which the others come. What is read does not hang on
/// that, and never takes more memory than came.
pub fn resp(data: &[u8]) {
    let Some((size, bytes)) = data.split_first() else { return };
    let read = |size: usize| {
        let mut requests = Requests::new(Limits { words: 1_000, word: 10_000, request: 50_000 });
        let mut read: Vec<Vec<Vec<u8>>> = Vec::new();
        for piece in bytes.chunks(size) {
            requests.room().extend_from_slice(piece);
            loop {
                match requests.take(|words| words.iter().map(|word| word.to_vec()).collect()) {
                    Ok(Some(request)) => read.push(request),
                    Ok(None) => break,
                    Err(error) => return (read, Some(error)),
                }
            }
            assert!(requests.held() < 1 << 20);
        }
        (read, None)
    };
    assert_eq!(read(usize::from(*size).max(1)), read(bytes.len().max(1)));
}

/// Links: what follows the `#`, a zero byte, and the text that came out of it, for which the right checksum is put in.
/// Whatever they are, there is an answer; what opens can be shared, and that opens to the same.
pub fn link(data: &[u8]) {
    let Ok(data) = std::str::from_utf8(data) else { return };
    let (fragment, text) = data.split_once('\0').map_or((data, None), |(fragment, text)| (fragment, Some(text)));
    let checked = text.map(|text| format!("{fragment}&c={}&z=AA", &digest::xxh3(text.as_bytes())[..8]));
    let Ok(Some(opening)) = Opening::parse(checked.as_deref().unwrap_or(fragment), text) else { return };
    let mut state = State::new(0);
    update(&mut state, Msg::Open(opening));
    update(&mut state, Msg::Arrive(usize::MAX));
    let effects = update(&mut state, Msg::Share(Purpose::Link));
    let Some(Effect::Share(link, _)) = effects.into_iter().next() else { panic!("no link") };
    let packed = link.text.as_ref().map_or_else(|| link.fragment.clone(), |_| format!("{}&z=AA", link.fragment));
    let opening = Opening::parse(&packed, link.text.as_deref()).expect("a link of ours opens").expect("it is one");
    let mut again = State::new(0);
    update(&mut again, Msg::Open(opening));
    update(&mut again, Msg::Arrive(usize::MAX));
    assert_eq!(again.player().items(), state.player().items());
    assert_eq!(again.player().position(), state.player().position());
    assert_eq!(again.player().log(), state.player().log());
}

/// Messages of a host page, a line each. Whatever they are, what is told is JSON.
pub fn host(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut state = State::new(0).in_a_frame();
    for message in text.lines() {
        for effect in update(&mut state, Msg::Host(message.to_owned())) {
            if let Effect::Tell(json) = effect {
                assert!(json.starts_with("{\"hotkv\":1,\"event\":\"") && json.ends_with('}'));
            }
        }
    }
}
