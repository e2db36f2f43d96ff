# Completion for bash. What there is to complete comes from the program itself, so that it is never out of date.

_handoff_words() {
    case $1 in
    commands) handoff --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' ;;
    options) handoff "$2" --help | grep -oE -- '--[a-z][a-z-]*' | sort -u ;;
    lessons) handoff list | sed -n 's/^ *[0-9]\{1,\}  \([^ ]*\)  .*/\1/p' ;;
    sessions) handoff follow --list ;;
    variants) handoff list | sed -n 's/^ *--variant \([^ ]*\) .*/\1/p' | sort -u ;;
    formats) handoff export --help | sed -n '/^Formats:/,/^$/s/^  \([a-z]*\) .*/\1/p' ;;
    esac 2>/dev/null
}

# Whether the option stands before a value, such as --log FILE.
_handoff_takes_value() {
    [[ $2 == -* ]] && handoff "$1" --help 2>/dev/null | grep -qE -- "$2 [A-Z]"
}

_handoff() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words=
    if ((COMP_CWORD == 1)); then
        words="$(_handoff_words commands) --help --version"
    elif [[ ${COMP_WORDS[1]} == export ]] && ((COMP_CWORD == 2)); then
        words=$(_handoff_words formats)
    elif [[ $previous == --variant || $previous == --beside ]]; then
        words=$(_handoff_words variants)
    elif [[ $previous == --backend ]]; then
        words='auto sim cuda'
    elif [[ $previous == --theme ]]; then
        words='auto light dark'
    elif [[ $current == -* ]]; then
        words=$(_handoff_words options "${COMP_WORDS[1]}")
    elif [[ ${COMP_WORDS[1]} == follow || ${COMP_WORDS[1]} == notes ]]; then
        words=$(_handoff_words sessions)
    elif [[ $previous == --share ]]; then
        words=$(compgen -g)
    elif ! _handoff_takes_value "${COMP_WORDS[1]}" "$previous"; then
        words=$(_handoff_words lessons)
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

# Without a match: file names.
complete -o default -F _handoff handoff
