import type { Fault } from '../fault.ts'
import type { MarkdownDocument } from './markdown.ts'

/** Commands of npm itself that the documents may mention. */
const npmOwn = new Set(['ci', 'install', 'exec', 'version', 'pack', 'publish', 'audit', 'outdated', 'update'])

/** `npm run x` and `npm x` in code must be commands that exist; `scripts` are those of every package. */
export function checkCitedCommands(
  file: string,
  { code, fenced }: MarkdownDocument,
  scripts: ReadonlySet<string>,
): Fault[] {
  return [...code, ...fenced].flatMap(({ text, line }) =>
    [...text.matchAll(/\bnpm (run )?(?:--?[\w=/@-]+ )*([a-z][\w:-]*)/g)]
      .filter(([, run, name = '']) => !scripts.has(name) && (run !== undefined || !npmOwn.has(name)))
      .map(([command]) => ({ file, line, message: `says \`${command}\`, which no package.json has` })),
  )
}
