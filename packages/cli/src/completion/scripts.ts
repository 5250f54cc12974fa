/**
 * Each asks `masthead completion suggest -- WORDS…`, which prints a suggestion per line, and `:files` where the shell
 * should suggest files.
 */
export const scripts = {
  bash: `# In ~/.bashrc: source <(masthead completion bash)
_masthead() {
  local line words
  COMPREPLY=()
  words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
    else
      COMPREPLY+=("$line")
    fi
  done < <(masthead completion suggest -- "\${words[@]}" 2>/dev/null)
}
complete -F _masthead masthead
`,
  zsh: `#compdef masthead
# In ~/.zshrc, after compinit: source <(masthead completion zsh)
_masthead() {
  local -a found
  found=("\${(@f)$(masthead completion suggest -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${found[(Ie):files]} )); then _files; fi
  found=("\${(@)found:#:files}")
  found=("\${(@)found:#}")
  (( \${#found} )) && compadd -a found
}
compdef _masthead masthead
`,
  fish: `# masthead completion fish > ~/.config/fish/completions/masthead.fish
function __masthead_complete
    set -l typed (commandline -opc) (commandline -ct)
    for line in (masthead completion suggest -- $typed[2..-1] 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c masthead -f -a '(__masthead_complete)'
`,
} as const

export type Shell = keyof typeof scripts
export const shells = Object.keys(scripts) as Shell[]
