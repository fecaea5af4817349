//! The connection: who a client is, which database and protocol it uses, and whether it is answered.

use std::fmt::Write;

use super::args::{OptionName, option};
use super::keys::database;
use super::table::{Flag, Keys, Run, Spec};
use super::{Args, Context, SERVER_VERSION, shown, until_nul};
use crate::engine::{ClientId, CommandError, Engine, Protocol, Reply, ReplyMode, sorted};
use crate::later::later;

fn ping(_: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let message = args.next();
    if args.left() > 0 {
        return Err(args.arity_error());
    }
    Ok(message.map_or_else(|| Reply::status("PONG"), Reply::bulk))
}

fn echo(_: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    Ok(Reply::bulk(args.word()?))
}

/// The only user. There are no passwords: it gets in with any.
const DEFAULT_USER: &[u8] = b"default";

fn unknown_user() -> CommandError {
    CommandError::Other("WRONGPASS invalid username-password pair or user is disabled.".to_owned())
}

fn auth(_: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let (user, password) = (args.word()?, args.next());
    match password {
        _ if args.left() > 0 => Err(CommandError::Syntax),
        Some(_) if user == DEFAULT_USER => Ok(Reply::ok()),
        Some(_) => Err(unknown_user()),
        None => Err(CommandError::other(
            "AUTH <password> called without any password configured for the default user. Are you sure your \
             configuration is correct?",
        )),
    }
}

/// Which words of a command are a user and a password, which nobody else sees. HELLO knows them up to its first mistake.
pub(super) fn secrets(argv: &[&[u8]]) -> Vec<usize> {
    let named = |name: &str| argv.first().is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()));
    let is = |place: usize, option: OptionName| argv.get(place).is_some_and(|word| OptionName::new(word) == option);
    let mut secrets = Vec::new();
    if named("AUTH") && argv.len() <= 3 {
        secrets.extend(1..argv.len());
    } else if named("HELLO") && argv.get(1).is_some_and(|version| protocol(version).is_ok()) {
        let mut place = 2;
        while place + 1 < argv.len() {
            if is(place, option::AUTH) && place + 2 < argv.len() {
                secrets.extend([place + 1, place + 2]);
                place += 3;
            } else if is(place, option::SETNAME) && client_name(argv[place + 1]).is_ok() {
                place += 2;
            } else {
                break;
            }
        }
    }
    secrets
}

fn hello(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let protocol = args.next().map_or(Ok(context.protocol()), protocol)?;
    let (mut name, mut wrong_password) = (None, false);
    while let Some(word) = args.next() {
        let error = || CommandError::other(format!("Syntax error in HELLO option '{}'", shown(word, word.len())));
        match OptionName::new(word) {
            option::SETNAME => name = Some(client_name(args.next().ok_or_else(error)?)?),
            option::AUTH => {
                let (user, _password) = (args.next().ok_or_else(error)?, args.next().ok_or_else(error)?);
                // Of several the last one counts.
                wrong_password = user != DEFAULT_USER;
            }
            _ => return Err(error()),
        }
    }
    if wrong_password {
        return Err(unknown_user());
    }
    let number = context.engine().number(context.id());
    let client = context.client_mut();
    client.protocol = protocol;
    if let Some(name) = name {
        client.name = name;
    }
    let text = |text: &str| Reply::bulk(text);
    let pairs = vec![
        (text("server"), text("redis")),
        (text("version"), text(SERVER_VERSION)),
        (text("proto"), Reply::Integer(protocol.number())),
        (text("id"), Reply::Integer(number)),
        (text("mode"), text("standalone")),
        (text("role"), text("master")),
        (text("modules"), Reply::Array(Vec::new())),
    ];
    Ok(Reply::pairs(protocol, pairs))
}

/// The longest name that a client gives itself or its library, in bytes. The real server takes any, but counts what each
/// client takes.
const MAX_NAME: usize = 4 * 1024;

fn check_length(name: &[u8]) -> Result<(), CommandError> {
    if name.len() <= MAX_NAME {
        Ok(())
    } else {
        Err(CommandError::other(format!("Client names cannot be longer than {MAX_NAME} bytes")))
    }
}

/// The version of the protocol that a client asks for.
fn protocol(version: &[u8]) -> Result<Protocol, CommandError> {
    match super::args::integer(version) {
        Ok(2) => Ok(Protocol::Resp2),
        Ok(3) => Ok(Protocol::Resp3),
        Ok(_) => Err(CommandError::Other("NOPROTO unsupported protocol version".to_owned())),
        Err(_) => Err(CommandError::other("Protocol version is not an integer or out of range")),
    }
}

/// A name that a client gives itself: printable, without spaces.
fn client_name(name: &[u8]) -> Result<Vec<u8>, CommandError> {
    check_length(name)?;
    if until_nul(name).iter().all(u8::is_ascii_graphic) {
        Ok(name.to_vec())
    } else {
        Err(CommandError::other("Client names cannot contain spaces, newlines or special characters."))
    }
}

fn select(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    context.client_mut().db = database(args.word()?)?;
    Ok(Reply::ok())
}

fn quit(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    context.close = true;
    Ok(Reply::ok())
}

fn reset(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    let (client, reply) = (context.id(), context.client().reply);
    context.engine_mut().close(client);
    // A reply that was to be left out still is.
    if reply == ReplyMode::Skip {
        context.client_mut().reply = reply;
    }
    Ok(Reply::status("RESET"))
}

fn client_id(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    Ok(Reply::Integer(context.engine().number(context.id())))
}

fn client_getname(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    let name = &context.client().name;
    Ok(if name.is_empty() { Reply::Nil } else { Reply::bulk(name) })
}

fn client_setname(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    context.client_mut().name = client_name(args.word()?)?;
    Ok(Reply::ok())
}

fn client_setinfo(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    const LIB_NAME: OptionName = OptionName::of("LIB-NAME");
    const LIB_VER: OptionName = OptionName::of("LIB-VER");
    let (option, value) = (args.word()?, args.word()?);
    let name = shown(option, option.len());
    let place = match OptionName::new(option) {
        LIB_NAME => 0,
        LIB_VER => 1,
        _ => return Err(CommandError::other(format!("Unrecognized option '{name}'"))),
    };
    if !until_nul(value).iter().all(u8::is_ascii_graphic) {
        let text = format!("{name} cannot contain spaces, newlines or special characters.");
        return Err(CommandError::other(text));
    }
    check_length(value)?;
    context.client_mut().library[place] = value.to_vec();
    Ok(Reply::ok())
}

fn client_reply(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let mode = match args.option() {
        Some(option::ON) => ReplyMode::On,
        Some(option::OFF) => ReplyMode::Off,
        Some(option::SKIP) => ReplyMode::SkipNext,
        _ => return Err(CommandError::Syntax),
    };
    let client = context.client_mut();
    // Who is not answered at all stays so when it asks for less.
    if mode != ReplyMode::SkipNext || client.reply != ReplyMode::Off {
        client.reply = mode;
    }
    Ok(if mode == ReplyMode::On { Reply::ok() } else { Reply::Silent })
}

/// ON or OFF of something that this server has no use for.
fn switch(_: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    match args.option() {
        Some(option::ON | option::OFF) => Ok(Reply::ok()),
        _ => Err(CommandError::Syntax),
    }
}

/// One line of CLIENT LIST: the fields that mean something here.
fn describe(engine: &Engine, id: ClientId) -> String {
    let (client, number) = (engine.client(id), engine.number(id));
    let address = match engine.address(id) {
        "" => String::new(),
        address => format!("addr={address} "),
    };
    let text = |word: &[u8]| shown(word, word.len());
    let multi = client.transaction.as_ref().map_or(-1, |transaction| transaction.queue.len() as i64);
    let flags = match (client.monitor, client.transaction.is_some(), client.dirty) {
        (true, _, _) => "O",
        (_, true, true) => "xd",
        (_, true, false) => "x",
        (_, false, true) => "d",
        _ => "N",
    };
    format!(
        "id={number} {address}name={} flags={flags} db={} multi={multi} watch={} resp={} lib-name={} lib-ver={}\n",
        text(&client.name),
        client.db,
        client.watched.len(),
        client.protocol.number(),
        text(&client.library[0]),
        text(&client.library[1]),
    )
}

fn client_info(context: &mut Context<'_>, _: Args<'_>) -> Result<Reply, CommandError> {
    Ok(Reply::Text(describe(context.engine(), context.id())))
}

fn client_list(context: &mut Context<'_>, mut args: Args<'_>) -> Result<Reply, CommandError> {
    let mut wanted: Option<Vec<i64>> = None;
    let mut normal = true;
    match args.option() {
        None => {}
        Some(option::ID) if args.left() > 0 => {
            let mut ids = Vec::new();
            while args.left() > 0 {
                ids.push(args.integer().map_err(|_| CommandError::other("Invalid client ID"))?);
            }
            wanted = Some(ids);
        }
        Some(option::TYPE) if args.left() == 1 => {
            let kind = until_nul(args.word()?);
            normal = match kind.to_ascii_lowercase().as_slice() {
                b"normal" => true,
                b"master" | b"replica" | b"slave" | b"pubsub" => false,
                _ => {
                    let kind = String::from_utf8_lossy(kind);
                    return Err(CommandError::other(format!("Unknown client type '{kind}'")));
                }
            };
        }
        Some(_) => return Err(CommandError::Syntax),
    }
    let number = |id: &ClientId| context.engine().number(*id);
    let shown = |id: &ClientId| normal && wanted.as_ref().is_none_or(|wanted| wanted.contains(&number(id)));
    let ids = context.engine().clients().map(|(id, _)| id).filter(shown).map(|id| (number(&id), id));
    let mut text = String::new();
    for (_, id) in sorted(ids) {
        // Writing into a String cannot fail.
        let _ = text.write_str(&describe(context.engine(), id));
    }
    Ok(Reply::Text(text))
}

const CLIENT: &[Spec] = &[
    Spec {
        syntax: "CLIENT ID",
        summary: "Read the number of this connection",
        since: "5.0.0",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("CLIENT ID", "(integer) 1")]),
        run: Run::Handler(client_id),
    },
    Spec {
        syntax: "CLIENT INFO",
        summary: "Describe this connection in one line",
        since: "6.2.0",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[(
            "CLIENT INFO",
            "\"id=1 name= flags=N db=0 multi=-1 watch=0 resp=2 lib-name= lib-ver=\\n\""
        )]),
        run: Run::Handler(client_info),
    },
    Spec {
        syntax: "CLIENT LIST [TYPE type | ID id [id ...]]",
        summary: "Describe all connections, a line each",
        since: "2.4.0",
        flags: &[Flag::Admin, Flag::Noscript, Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("CLIENT LIST ID 7", "\"\"")]),
        run: Run::Handler(client_list),
    },
    Spec {
        syntax: "CLIENT GETNAME",
        summary: "Read the name of this connection",
        since: "2.6.9",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("CLIENT GETNAME", "(nil)")]),
        run: Run::Handler(client_getname),
    },
    Spec {
        syntax: "CLIENT SETNAME connection-name",
        summary: "Name this connection",
        since: "2.6.9",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("CLIENT SETNAME worker-A", "OK"), ("CLIENT GETNAME", "\"worker-A\"")]),
        run: Run::Handler(client_setname),
    },
    Spec {
        syntax: "CLIENT SETINFO option value",
        summary: "Tell the library of this connection: LIB-NAME or LIB-VER",
        since: "7.2.0",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("CLIENT SETINFO LIB-NAME redis-rs", "OK")]),
        run: Run::Handler(client_setinfo),
    },
    Spec {
        syntax: "CLIENT REPLY mode",
        summary: "Choose whether this connection is answered: ON, OFF or SKIP",
        since: "3.2.0",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("CLIENT REPLY ON", "OK")]),
        run: Run::Handler(client_reply),
    },
    Spec {
        syntax: "CLIENT NO-EVICT mode",
        summary: "ON or OFF: keep this connection when memory runs out, which has no effect here",
        since: "7.0.0",
        flags: &[Flag::Admin, Flag::Noscript, Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("CLIENT NO-EVICT ON", "OK")]),
        run: Run::Handler(switch),
    },
    Spec {
        syntax: "CLIENT NO-TOUCH mode",
        summary: "ON or OFF: leave access times alone, which has no effect here",
        since: "7.2.0",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale],
        keys: Keys::None,
        examples: later!(&[("CLIENT NO-TOUCH ON", "OK")]),
        run: Run::Handler(switch),
    },
];

pub(super) const COMMANDS: &[Spec] = &[
    Spec {
        syntax: "PING [message]",
        summary: "Ask whether the server is there",
        since: "1.0.0",
        flags: &[Flag::Fast],
        keys: Keys::None,
        examples: later!(&[("PING", "PONG"), ("PING hello", "\"hello\"")]),
        run: Run::Handler(ping),
    },
    Spec {
        syntax: "ECHO message",
        summary: "Send a message back",
        since: "1.0.0",
        flags: &[Flag::Loading, Flag::Stale, Flag::Fast],
        keys: Keys::None,
        examples: later!(&[("ECHO hello", "\"hello\"")]),
        run: Run::Handler(echo),
    },
    Spec {
        syntax: "AUTH [username] password",
        summary: "Introduce the user, which is default and has any password",
        since: "1.0.0",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale, Flag::Fast],
        keys: Keys::None,
        examples: later!(&[("AUTH default secret", "OK")]),
        run: Run::Handler(auth),
    },
    Spec {
        syntax: "HELLO [protover [AUTH username password] [SETNAME clientname]]",
        summary: "Agree on the protocol, and introduce the client",
        since: "6.0.0",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale, Flag::Fast],
        keys: Keys::None,
        examples: later!(&[("HELLO 4", "(error) NOPROTO unsupported protocol version")]),
        run: Run::Handler(hello),
    },
    Spec {
        syntax: "SELECT index",
        summary: "Choose one of the databases 0 to 15",
        since: "1.0.0",
        flags: &[Flag::Loading, Flag::Stale, Flag::Fast],
        keys: Keys::None,
        examples: later!(&[("SET a 1", "OK"), ("SELECT 1", "OK"), ("GET a", "(nil)")]),
        run: Run::Handler(select),
    },
    Spec {
        syntax: "RESET",
        summary: "Make this connection as it was when it opened",
        since: "6.2.0",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale, Flag::Fast],
        keys: Keys::None,
        examples: later!(&[("SELECT 1", "OK"), ("RESET", "RESET")]),
        run: Run::Handler(reset),
    },
    Spec {
        syntax: "QUIT [argument ...]",
        summary: "Hang up; the next command of this client opens a connection anew",
        since: "1.0.0",
        flags: &[Flag::Noscript, Flag::Loading, Flag::Stale, Flag::Fast],
        keys: Keys::None,
        examples: later!(&[("QUIT", "OK")]),
        run: Run::Handler(quit),
    },
    Spec {
        syntax: "CLIENT subcommand [argument ...]",
        summary: "Look at connections and set them up",
        since: "2.4.0",
        flags: &[],
        keys: Keys::None,
        examples: later!(&[("CLIENT ID", "(integer) 1")]),
        run: Run::Container(CLIENT),
    },
];
