# complete.zsh FOLDER LINE EXPECTED: types the line and a tabulator into a zsh that has the completions of the folder, and ends
# with 0 when the line is completed as expected.
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; unsetopt zle_bracketed_paste; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D"
zpty -w z 'print -r -- REA''DY'
zpty -r -m z output '*READY*'
zpty -w -n z "$2"$'\t'
zpty -r -m z output "*$3*"
