# Completion for fish. What there is to complete comes from the program itself, so that it is never out of date.

function __handoff_after
    test (commandline -opc)[-1] = $argv[1]
end

function __handoff_commands
    handoff --help 2>/dev/null | string match -rg '^  ([a-z][a-z-]*) +(.*)' | paste - -
end

function __handoff_lessons
    handoff list 2>/dev/null | string match -rg '^ *\d+  (\S+)  (.*)' | paste - -
end

function __handoff_variants
    handoff list 2>/dev/null | string match -rg '^ *--variant (\S+) +(.*)' | paste - -
end

function __handoff_formats
    handoff export --help 2>/dev/null | string match -rg '^  ([a-z]+) +(.*)' | paste - -
end

function __handoff_options
    set -l command (commandline -opc)[2]
    handoff $command --help 2>/dev/null | string match -arg '(--[a-z][a-z-]*)' | sort -u
end

complete -c handoff -n __fish_use_subcommand -f -a '(__handoff_commands)'
complete -c handoff -n __fish_use_subcommand -f -l help -d 'what the commands are'
complete -c handoff -n __fish_use_subcommand -f -l version -d 'which version this is'
complete -c handoff -n '__fish_seen_subcommand_from follow notes' -f -a '(handoff follow --list 2>/dev/null)'
complete -c handoff -n '__handoff_after --share' -f -a '(__fish_complete_groups)'
complete -c handoff -n 'not __fish_use_subcommand; and not __fish_seen_subcommand_from follow notes' -a '(__handoff_lessons)'
complete -c handoff -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__handoff_options)'
complete -c handoff -n '__handoff_after --variant' -f -a '(__handoff_variants)'
complete -c handoff -n '__handoff_after --backend' -f -a 'auto sim cuda'
complete -c handoff -n '__handoff_after --beside' -f -a '(__handoff_variants) none'
complete -c handoff -n '__handoff_after --theme' -f -a 'auto light dark'
complete -c handoff -n '__handoff_after export' -f -a '(__handoff_formats)'
