//! The `hotkv` command. Everything it does stands in the library, where it is tested.

use std::process::ExitCode;

fn main() -> ExitCode {
    hotkv_playground::native::main()
}
