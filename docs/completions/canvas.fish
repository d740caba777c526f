# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_canvas_global_optspecs
    string join \n version h/help
end

function __fish_canvas_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_canvas_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_canvas_using_subcommand
    set -l cmd (__fish_canvas_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c canvas -n "__fish_canvas_needs_command" -l version -d 'Print the version'
complete -c canvas -n "__fish_canvas_needs_command" -s h -l help -d 'Print help'
complete -c canvas -n "__fish_canvas_needs_command" -f -a "create" -d 'Start a canvas with its problem and the value expected'
complete -c canvas -n "__fish_canvas_needs_command" -f -a "read" -d 'Print a canvas and the sha to write against'
complete -c canvas -n "__fish_canvas_needs_command" -f -a "render" -d 'Print a canvas as one HTML page, or as a block for a comment'
complete -c canvas -n "__fish_canvas_needs_command" -f -a "history" -d 'Print every edit of one node with its reason'
complete -c canvas -n "__fish_canvas_needs_command" -f -a "replace" -d 'Give one node new content'
complete -c canvas -n "__fish_canvas_needs_command" -f -a "insert" -d 'Add one node'
complete -c canvas -n "__fish_canvas_needs_command" -f -a "remove" -d 'Take one node out'
complete -c canvas -n "__fish_canvas_needs_command" -f -a "move" -d 'Put one node somewhere else'
complete -c canvas -n "__fish_canvas_needs_command" -f -a "freeze" -d 'Record that the work of a canvas ended'
complete -c canvas -n "__fish_canvas_using_subcommand create" -l problem -d 'the problem this canvas starts with; not blank' -r
complete -c canvas -n "__fish_canvas_using_subcommand create" -l expected-value -d 'what will be better once it is solved; not blank' -r
complete -c canvas -n "__fish_canvas_using_subcommand create" -l author -d 'who does it, recorded as given; otherwise `<user> | by-hand`' -r
complete -c canvas -n "__fish_canvas_using_subcommand create" -s h -l help -d 'Print help'
complete -c canvas -n "__fish_canvas_using_subcommand read" -l id -d 'print this node and what it holds; repeats' -r
complete -c canvas -n "__fish_canvas_using_subcommand read" -l type -d 'print every node of this element; repeats' -r
complete -c canvas -n "__fish_canvas_using_subcommand read" -l since -d 'tell what changed in this canvas since then' -r
complete -c canvas -n "__fish_canvas_using_subcommand read" -l provenance -d 'say who last wrote each node printed'
complete -c canvas -n "__fish_canvas_using_subcommand read" -l frozen -d 'say whether the work ended, and why'
complete -c canvas -n "__fish_canvas_using_subcommand read" -s h -l help -d 'Print help'
complete -c canvas -n "__fish_canvas_using_subcommand render" -l format -d 'which of the two; `page` when not given' -r -f -a "page\t''
comment\t''"
complete -c canvas -n "__fish_canvas_using_subcommand render" -s h -l help -d 'Print help'
complete -c canvas -n "__fish_canvas_using_subcommand history" -s h -l help -d 'Print help'
complete -c canvas -n "__fish_canvas_using_subcommand replace" -l why -d 'why this is being done; required, with no default' -r
complete -c canvas -n "__fish_canvas_using_subcommand replace" -l base -d 'the Canvas-Base this edit was decided against; refused if the node moved since' -r
complete -c canvas -n "__fish_canvas_using_subcommand replace" -l type -d 'the element it becomes; its own when not given' -r
complete -c canvas -n "__fish_canvas_using_subcommand replace" -l text -d 'its text' -r
complete -c canvas -n "__fish_canvas_using_subcommand replace" -l mermaid-file -d 'a file of Mermaid source, for a figure' -r
complete -c canvas -n "__fish_canvas_using_subcommand replace" -l svg-file -d 'a file of plain SVG, for a figure; anything unsafe in it is refused' -r
complete -c canvas -n "__fish_canvas_using_subcommand replace" -l title -d 'its title; a section needs one' -r
complete -c canvas -n "__fish_canvas_using_subcommand replace" -l href -d 'its address; a link needs one' -r
complete -c canvas -n "__fish_canvas_using_subcommand replace" -l author -d 'who does it, recorded as given; otherwise `<user> | by-hand`' -r
complete -c canvas -n "__fish_canvas_using_subcommand replace" -l answered -d 'mark a question as answered'
complete -c canvas -n "__fish_canvas_using_subcommand replace" -s h -l help -d 'Print help'
complete -c canvas -n "__fish_canvas_using_subcommand insert" -l after -d 'right after this node, inside the same container' -r
complete -c canvas -n "__fish_canvas_using_subcommand insert" -l into -d 'as the last child of this container; `root` is the canvas itself' -r
complete -c canvas -n "__fish_canvas_using_subcommand insert" -l why -d 'why this is being done; required, with no default' -r
complete -c canvas -n "__fish_canvas_using_subcommand insert" -l base -d 'the Canvas-Base this edit was decided against; refused if the node moved since' -r
complete -c canvas -n "__fish_canvas_using_subcommand insert" -l type -d 'the element to make; `text` when not given' -r
complete -c canvas -n "__fish_canvas_using_subcommand insert" -l text -d 'its text' -r
complete -c canvas -n "__fish_canvas_using_subcommand insert" -l mermaid-file -d 'a file of Mermaid source, for a figure' -r
complete -c canvas -n "__fish_canvas_using_subcommand insert" -l svg-file -d 'a file of plain SVG, for a figure; anything unsafe in it is refused' -r
complete -c canvas -n "__fish_canvas_using_subcommand insert" -l title -d 'its title; a section needs one' -r
complete -c canvas -n "__fish_canvas_using_subcommand insert" -l href -d 'its address; a link needs one' -r
complete -c canvas -n "__fish_canvas_using_subcommand insert" -l author -d 'who does it, recorded as given; otherwise `<user> | by-hand`' -r
complete -c canvas -n "__fish_canvas_using_subcommand insert" -l answered -d 'mark a question as answered'
complete -c canvas -n "__fish_canvas_using_subcommand insert" -s h -l help -d 'Print help'
complete -c canvas -n "__fish_canvas_using_subcommand remove" -l why -d 'why this is being done; required, with no default' -r
complete -c canvas -n "__fish_canvas_using_subcommand remove" -l base -d 'the Canvas-Base this edit was decided against; refused if the node moved since' -r
complete -c canvas -n "__fish_canvas_using_subcommand remove" -l author -d 'who does it, recorded as given; otherwise `<user> | by-hand`' -r
complete -c canvas -n "__fish_canvas_using_subcommand remove" -s h -l help -d 'Print help'
complete -c canvas -n "__fish_canvas_using_subcommand move" -l after -d 'right after this node, inside the same container' -r
complete -c canvas -n "__fish_canvas_using_subcommand move" -l into -d 'as the last child of this container; `root` is the canvas itself' -r
complete -c canvas -n "__fish_canvas_using_subcommand move" -l why -d 'why this is being done; required, with no default' -r
complete -c canvas -n "__fish_canvas_using_subcommand move" -l base -d 'the Canvas-Base this edit was decided against; refused if the node moved since' -r
complete -c canvas -n "__fish_canvas_using_subcommand move" -l author -d 'who does it, recorded as given; otherwise `<user> | by-hand`' -r
complete -c canvas -n "__fish_canvas_using_subcommand move" -s h -l help -d 'Print help'
complete -c canvas -n "__fish_canvas_using_subcommand freeze" -l why -d 'why this is being done; required, with no default' -r
complete -c canvas -n "__fish_canvas_using_subcommand freeze" -l author -d 'who does it, recorded as given; otherwise `<user> | by-hand`' -r
complete -c canvas -n "__fish_canvas_using_subcommand freeze" -s h -l help -d 'Print help'
