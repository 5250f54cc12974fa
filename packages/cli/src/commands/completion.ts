import { type Command, command } from '../arguments/command.ts'
import { known } from '../completion/known-names.ts'
import { scripts, shells } from '../completion/scripts.ts'
import { suggest } from '../completion/suggest.ts'
import { usageError } from '../errors/command-error.ts'

/** Of all commands, this one included. */
export const completionOf = (commands: () => readonly Command[]) =>
  command({
    name: 'completion',
    summary: 'Complete commands, projects and domains in your shell',
    usage: ['completion bash', 'completion zsh', 'completion fish'],
    about: [
      'Prints a script for the shell. Its first lines say where to put it. It completes commands, options, projects\nand domains.',
    ],
    options: {},
    examples: [
      ['source <(masthead completion bash)', 'in this bash; add the line to ~/.bashrc to keep it'],
      ['masthead completion fish > ~/.config/fish/completions/masthead.fish', 'in every fish'],
    ],
    words: 1_000,
    // The word that is being typed may not have begun.
    takesEmptyWords: true,
    ignoresBrokenFile: true,
    async run(context, _values, [shell, ...words]) {
      if (shell === 'suggest') {
        const { words: found, known: kind, files } = suggest(words, commands())
        const names = kind === null ? [] : await known(kind, context, words.at(-1) ?? '')
        const lines = [...found, ...names, ...(files ? [':files'] : [])]
        return { document: lines, text: lines.join('\n') }
      }
      const chosen = shells.find((name) => name === shell)
      if (chosen === undefined) {
        throw usageError(
          shell === undefined ? 'Which shell?' : `"${shell}" is not a shell that we know.`,
          `Use \`masthead completion\` with one of ${shells.join(', ')}.`,
        )
      }
      return { document: { script: scripts[chosen] }, text: scripts[chosen].trimEnd() }
    },
  })
