# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_headwater_global_optspecs
    string join \n root= no-color h/help V/version
end

function __fish_headwater_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_headwater_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_headwater_using_subcommand
    set -l cmd (__fish_headwater_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c headwater -n "__fish_headwater_needs_command" -l root -d 'The repository to read; default is the working directory' -r -F
complete -c headwater -n "__fish_headwater_needs_command" -l no-color -d 'Plain text, also on a terminal; so does a NO_COLOR that is not empty'
complete -c headwater -n "__fish_headwater_needs_command" -s h -l help -d 'Print help'
complete -c headwater -n "__fish_headwater_needs_command" -s V -l version -d 'Print version'
complete -c headwater -n "__fish_headwater_needs_command" -f -a "init" -d 'Writes a first taxonomy for the documents that are there, and says what it guessed'
complete -c headwater -n "__fish_headwater_needs_command" -f -a "check" -d 'Judges every document by every rule, and reports what is wrong'
complete -c headwater -n "__fish_headwater_needs_command" -f -a "change" -d 'Writes the manifest of a change from git, for check --change'
complete -c headwater -n "__fish_headwater_needs_command" -f -a "explain" -d 'Says what a document is and owes, or what a rule checks and why'
complete -c headwater -n "__fish_headwater_needs_command" -f -a "gate" -d 'Says whether the verdict of an earlier run carries to this tree, without a check'
complete -c headwater -n "__fish_headwater_needs_command" -f -a "taxonomy" -d 'Judges, resolves and lists the taxonomy of the repository'
complete -c headwater -n "__fish_headwater_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c headwater -n "__fish_headwater_using_subcommand init" -l corpus -d 'The directory of the documents; default is the one with the most Markdown' -r
complete -c headwater -n "__fish_headwater_using_subcommand init" -l package -d 'The name of the package, as owner/name; default is made from the directory' -r
complete -c headwater -n "__fish_headwater_using_subcommand init" -l owner -d 'Who answers for what the documents owe from before' -r
complete -c headwater -n "__fish_headwater_using_subcommand init" -l now -d 'The day from which debt is held; default is today, in UTC' -r
complete -c headwater -n "__fish_headwater_using_subcommand init" -l root -d 'The repository to read; default is the working directory' -r -F
complete -c headwater -n "__fish_headwater_using_subcommand init" -l no-color -d 'Plain text, also on a terminal; so does a NO_COLOR that is not empty'
complete -c headwater -n "__fish_headwater_using_subcommand init" -s h -l help -d 'Print help'
complete -c headwater -n "__fish_headwater_using_subcommand check" -l gate -d 'Exit 1 when a live finding is of a rule that a blocking control names' -r -f -a "posture\t''"
complete -c headwater -n "__fish_headwater_using_subcommand check" -l format -d 'The form of the report; default is text' -r -f -a "text\t''
brief\t''
json\t''
sarif\t''
github\t''
markdown\t''"
complete -c headwater -n "__fish_headwater_using_subcommand check" -l change -d 'The change that this tree is the result of, as the verb change writes it' -r -F
complete -c headwater -n "__fish_headwater_using_subcommand check" -l register -d 'Write the register of obligations and controls to this file' -r -F
complete -c headwater -n "__fish_headwater_using_subcommand check" -l now -d 'The day of the run; default is today, in UTC' -r
complete -c headwater -n "__fish_headwater_using_subcommand check" -l read-set -d 'Write what the verdict rests on to this file, for `gate`' -r -F
complete -c headwater -n "__fish_headwater_using_subcommand check" -l rule -d 'Fix the findings of this rule only; may be given several times' -r
complete -c headwater -n "__fish_headwater_using_subcommand check" -l root -d 'The repository to read; default is the working directory' -r -F
complete -c headwater -n "__fish_headwater_using_subcommand check" -l strict -d 'Exit 1 when a live error was found, or the taxonomy asks for another engine'
complete -c headwater -n "__fish_headwater_using_subcommand check" -l strict-census -d 'Exit 1 when a file could not be read, typed or judged, or there is none'
complete -c headwater -n "__fish_headwater_using_subcommand check" -l json -d 'The same as --format json'
complete -c headwater -n "__fish_headwater_using_subcommand check" -l wide -d 'Fill the text report to the columns of the terminal (COLUMNS), from 80 to 120'
complete -c headwater -n "__fish_headwater_using_subcommand check" -l no-cache -d 'Judge everything anew, and keep nothing'
complete -c headwater -n "__fish_headwater_using_subcommand check" -l verbose -d 'Also say what each rule did, and what was skipped'
complete -c headwater -n "__fish_headwater_using_subcommand check" -l fix -d 'Write the patches that ride with live findings, round by round, then report anew'
complete -c headwater -n "__fish_headwater_using_subcommand check" -l diff -d 'Write nothing; show what the first round of --fix would write'
complete -c headwater -n "__fish_headwater_using_subcommand check" -l no-color -d 'Plain text, also on a terminal; so does a NO_COLOR that is not empty'
complete -c headwater -n "__fish_headwater_using_subcommand check" -s h -l help -d 'Print help'
complete -c headwater -n "__fish_headwater_using_subcommand change" -l verified -d 'A document that you read again; may be given several times' -r
complete -c headwater -n "__fish_headwater_using_subcommand change" -l verified-edge -d 'An edge that you read again: its document, and its target as the entry writes it' -r
complete -c headwater -n "__fish_headwater_using_subcommand change" -l root -d 'The repository to read; default is the working directory' -r -F
complete -c headwater -n "__fish_headwater_using_subcommand change" -l no-color -d 'Plain text, also on a terminal; so does a NO_COLOR that is not empty'
complete -c headwater -n "__fish_headwater_using_subcommand change" -s h -l help -d 'Print help'
complete -c headwater -n "__fish_headwater_using_subcommand explain" -l root -d 'The repository to read; default is the working directory' -r -F
complete -c headwater -n "__fish_headwater_using_subcommand explain" -l no-color -d 'Plain text, also on a terminal; so does a NO_COLOR that is not empty'
complete -c headwater -n "__fish_headwater_using_subcommand explain" -s h -l help -d 'Print help'
complete -c headwater -n "__fish_headwater_using_subcommand gate" -l read-set -d 'What that run rested on, as `check --read-set` wrote it' -r -F
complete -c headwater -n "__fish_headwater_using_subcommand gate" -l now -d 'The day to decide for; default is today, in UTC' -r
complete -c headwater -n "__fish_headwater_using_subcommand gate" -l root -d 'The repository to read; default is the working directory' -r -F
complete -c headwater -n "__fish_headwater_using_subcommand gate" -l json -d 'Answer in JSON'
complete -c headwater -n "__fish_headwater_using_subcommand gate" -l no-color -d 'Plain text, also on a terminal; so does a NO_COLOR that is not empty'
complete -c headwater -n "__fish_headwater_using_subcommand gate" -s h -l help -d 'Print help'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and not __fish_seen_subcommand_from validate resolve kinds help" -l root -d 'The repository to read; default is the working directory' -r -F
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and not __fish_seen_subcommand_from validate resolve kinds help" -l no-color -d 'Plain text, also on a terminal; so does a NO_COLOR that is not empty'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and not __fish_seen_subcommand_from validate resolve kinds help" -s h -l help -d 'Print help'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and not __fish_seen_subcommand_from validate resolve kinds help" -f -a "validate" -d 'Reports every rule of validation; writes nothing'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and not __fish_seen_subcommand_from validate resolve kinds help" -f -a "resolve" -d 'Writes the lock, when the taxonomy validates'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and not __fish_seen_subcommand_from validate resolve kinds help" -f -a "kinds" -d 'Lists the kinds of the lock, and what each owes'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and not __fish_seen_subcommand_from validate resolve kinds help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from validate" -l root -d 'The repository to read; default is the working directory' -r -F
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from validate" -l no-color -d 'Plain text, also on a terminal; so does a NO_COLOR that is not empty'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from validate" -s h -l help -d 'Print help'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from resolve" -l root -d 'The repository to read; default is the working directory' -r -F
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from resolve" -l check -d 'Write nothing; say whether the lock is what the sources resolve to'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from resolve" -l no-color -d 'Plain text, also on a terminal; so does a NO_COLOR that is not empty'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from resolve" -s h -l help -d 'Print help'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from kinds" -l root -d 'The repository to read; default is the working directory' -r -F
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from kinds" -l json -d 'As JSON'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from kinds" -l no-color -d 'Plain text, also on a terminal; so does a NO_COLOR that is not empty'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from kinds" -s h -l help -d 'Print help'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from help" -f -a "validate" -d 'Reports every rule of validation; writes nothing'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from help" -f -a "resolve" -d 'Writes the lock, when the taxonomy validates'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from help" -f -a "kinds" -d 'Lists the kinds of the lock, and what each owes'
complete -c headwater -n "__fish_headwater_using_subcommand taxonomy; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c headwater -n "__fish_headwater_using_subcommand help; and not __fish_seen_subcommand_from init check change explain gate taxonomy help" -f -a "init" -d 'Writes a first taxonomy for the documents that are there, and says what it guessed'
complete -c headwater -n "__fish_headwater_using_subcommand help; and not __fish_seen_subcommand_from init check change explain gate taxonomy help" -f -a "check" -d 'Judges every document by every rule, and reports what is wrong'
complete -c headwater -n "__fish_headwater_using_subcommand help; and not __fish_seen_subcommand_from init check change explain gate taxonomy help" -f -a "change" -d 'Writes the manifest of a change from git, for check --change'
complete -c headwater -n "__fish_headwater_using_subcommand help; and not __fish_seen_subcommand_from init check change explain gate taxonomy help" -f -a "explain" -d 'Says what a document is and owes, or what a rule checks and why'
complete -c headwater -n "__fish_headwater_using_subcommand help; and not __fish_seen_subcommand_from init check change explain gate taxonomy help" -f -a "gate" -d 'Says whether the verdict of an earlier run carries to this tree, without a check'
complete -c headwater -n "__fish_headwater_using_subcommand help; and not __fish_seen_subcommand_from init check change explain gate taxonomy help" -f -a "taxonomy" -d 'Judges, resolves and lists the taxonomy of the repository'
complete -c headwater -n "__fish_headwater_using_subcommand help; and not __fish_seen_subcommand_from init check change explain gate taxonomy help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c headwater -n "__fish_headwater_using_subcommand help; and __fish_seen_subcommand_from taxonomy" -f -a "validate" -d 'Reports every rule of validation; writes nothing'
complete -c headwater -n "__fish_headwater_using_subcommand help; and __fish_seen_subcommand_from taxonomy" -f -a "resolve" -d 'Writes the lock, when the taxonomy validates'
complete -c headwater -n "__fish_headwater_using_subcommand help; and __fish_seen_subcommand_from taxonomy" -f -a "kinds" -d 'Lists the kinds of the lock, and what each owes'
