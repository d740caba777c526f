#!/bin/sh
# The life of one canvas, from birth to freeze, in a workspace that is removed at the end. Every
# command is printed before it is run, and the script fails when one does not end as it should.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
bin=$root/bin
PATH=$bin:$PATH
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir workspace
OPENCLAW_WORKSPACE=workspace
USER=ann
export PATH OPENCLAW_WORKSPACE USER

# Prints the command as a shell would be told it.
show() {
    printf '\n$'
    for word in "$@"; do
        case $word in
            *[!A-Za-z0-9_./=:-]* | '') printf " '%s'" "$word" ;;
            *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
}

# Runs a command that must end with exit status $1.
expect() {
    wanted=$1
    shift
    show "$@"
    status=0
    "$@" 2>&1 || status=$?
    if [ "$status" -ne "$wanted" ]; then
        echo "this was to end with exit status $wanted and ended with $status" >&2
        exit 1
    fi
}

# The value of label $2 in text $1.
value() {
    printf '%s\n' "$1" | sed -n "s/^$2: //p"
}

echo '# A canvas starts with its problem and the value expected.'
show canvas create --problem 'The deployment steps are scattered.' \
    --expected-value 'One reviewed sequence is ready to follow.'
created=$(canvas create --problem 'The deployment steps are scattered.' \
    --expected-value 'One reviewed sequence is ready to follow.')
printf '%s\n' "$created"
id=$(value "$created" Canvas-ID)
problem=$(value "$created" Canvas-Problem)
base=$(value "$created" Canvas-Base)

printf '\n# Reading hands out the sha to write against.\n'
expect 0 canvas read "$id"

printf '\n# An edit changes one node, says why, and names what it was decided against.\n'
expect 0 canvas replace "$id" "$problem" \
    --text 'The deployment steps need one reviewed order.' \
    --why 'deploy.md and runbook.md order the migration differently; this is the conflict to resolve' \
    --base "$base"

printf '\n# Somebody who still holds the old sha is refused, and told what happened.\n'
expect 1 canvas replace "$id" "$problem" \
    --text 'The deployment steps are in the wiki.' \
    --why 'the wiki has a page named Deployment' \
    --base "$base"

printf '\n# The reasons of one node are its history.\n'
expect 0 canvas history "$id" "$problem"

printf '\n# The work ends; the canvas says so and stays readable.\n'
expect 0 canvas freeze "$id" --why 'done: the reviewed sequence is runbook.md, section Order'
expect 0 canvas read "$id" --frozen

printf '\n# The file is an ordinary one, and can be judged by itself.\n'
expect 0 canvas-validate "workspace/state/canvas/$id.xml"

printf '\n# A canvas that has every element, to be rendered.\n'
# Inserts a node without a word; the id is the answer.
insert() {
    canvas insert deployment --why 'it belongs to the picture' "$@" | sed -n 's/^Canvas-Node: //p'
}
canvas create deployment --problem 'Deployment is **six scripts** that nobody runs in one order.' \
    --expected-value 'One reviewed sequence, *ready to follow*.' >/dev/null
evidence=$(insert --into root --type section --title 'Evidence')
decisions=$(insert --into root --type section --title 'Decisions')
order=$(insert --into "$decisions" --type section --title 'Order of the steps')
seen=$(insert --into "$evidence" --text 'Two runs in May ended half way: the cache was warm before the tables were there.')
list=$(insert --into "$evidence" --type list)
for step in 'copy the files' 'migrate the **tables**' 'warm the `cache`'; do
    insert --into "$list" --type item --text "$step" >/dev/null
done
table=$(insert --into "$order" --type table)
for cells in 'Step Owner Takes' 'copy Ann 2min' 'migrate Leo 20min'; do
    row=$(insert --into "$table" --type row)
    for cell in $cells; do
        insert --into "$row" --type cell --text "$cell" >/dev/null
    done
done
insert --into "$evidence" --type question --text 'Does the cache survive a restart of the tables?' >/dev/null
insert --into "$order" --type question --answered --text 'Who may switch the traffic?' >/dev/null
insert --into "$order" --type figure --text 'box files 1 1 "Copy the files"
box tables 1 2 "Migrate the tables, the oldest first"
box cache 2 2 "Warm the cache"
edge files -> tables "then"
edge tables -> cache "when done"
edge tables -> tables "again"
text 2 1 "The cache comes last"' >/dev/null
printf 'flowchart LR\n  Files --> Tables --> Cache\n' >flow.mmd
insert --into "$order" --type figure --mermaid-file flow.mmd >/dev/null
cat >load.svg <<'SVG'
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 60"><title>Load by hour</title>
<rect x="10" y="30" width="50" height="20" fill="none" stroke="currentColor"/>
<rect x="70" y="10" width="50" height="40" fill="#3d6a94"/>
<text x="140" y="45" font-size="14" fill="currentColor">load</text></svg>
SVG
insert --into "$evidence" --type figure --svg-file load.svg >/dev/null
insert --into "$evidence" --type link --href 'https://example.com/runbook' --text 'The runbook' >/dev/null
expect 0 canvas move deployment "$seen" --into "$decisions" --why 'it decides the order: the cache comes last'

printf '\n# It becomes one page for a browser, or a block for a comment.\n'
mkdir -p "$root/target/demo"
show canvas render deployment
canvas render deployment >"$root/target/demo/deployment.html"
echo "the page is $root/target/demo/deployment.html"
show canvas render deployment --format comment
canvas render deployment --format comment | sed -n '1,12p'

printf '\n# After a write, an adapter may look for what the write made contradictory. This one has no model:\n'
printf '# it finds two nodes that make one statement with different numbers.\n'
cp "$root/examples/adapters/conflicting-numbers" .
insert --into "$evidence" --text 'The maintenance window is 30 minutes.' >/dev/null
written=$(canvas insert deployment --into "$order" --why 'agreed with operations on Monday' \
    --text 'Leo switches the traffic. The maintenance window is 45 minutes.')
if command -v python3 >/dev/null; then
    expect 0 canvas-coherence deployment --trigger "$(value "$written" Canvas-Base)" \
        --model-command ./conflicting-numbers
    printf '\n# What it found is an open question, in a commit of its own and on the page.\n'
    expect 0 canvas read deployment --type question --provenance
    canvas render deployment >"$root/target/demo/deployment.html"
    grep -n 'different numbers' "$root/target/demo/deployment.html"
else
    echo 'there is no python3 here to run the adapter with'
fi
