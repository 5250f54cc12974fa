import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { tokenise } from './imports/tokens.ts'
import { type Fault, listFiles, reportFaults, repositoryRoot } from './repository.ts'

const linesAllowed = 350
const namelessNames = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'types'])
const text = '**/*.{ts,tsx,js,json,md,sh,css,html}'

/** Habits that need no parser: names, lengths, tests left out, and traces of one person's machine. */
export function checkTree(root: string): Fault[] {
  return [...listFiles(root, [text]), ...listFiles(root, ['.ci/*', '.npmrc'])].flatMap((file) => {
    const content = readFileSync(join(root, file), 'utf8')
    const isCode = /\.(ts|tsx)$/.test(file)
    return [
      ...checkName(file),
      ...(isCode ? checkLength(file, content) : []),
      ...(isCode ? checkNothingLeftOut(file, content) : []),
      ...checkMachineTraces(file, content),
    ]
  })
}

function checkName(file: string): Fault[] {
  const name = basename(file).replace(/\..*$/, '')
  if (!namelessNames.has(name)) return []
  return [{ file, line: 1, message: `is called ${name}, which says nothing; name the one thing it is` }]
}

function checkLength(file: string, content: string): Fault[] {
  const lines = content.split('\n').length - 1
  if (lines <= linesAllowed) return []
  return [
    { file, line: 1, message: `has ${lines} lines, more than ${linesAllowed}; which two things is it?` },
  ]
}

/** Tests that are marked to run alone, or not at all. A missing peer is a `skip` option with a reason instead. */
function checkNothingLeftOut(file: string, content: string): Fault[] {
  const tokens = tokenise(content)
  return tokens.flatMap(({ text, kind, line }, index) => {
    const called = tokens[index - 1]?.text === '.' && tokens[index + 1]?.text === '('
    if (kind !== 'word' || !called || !['only', 'skip', 'todo'].includes(text)) return []
    const subject = tokens[index - 2]?.text
    if (subject === undefined || !['test', 'it', 'suite', 'describe', 't'].includes(subject)) return []
    return [{ file, line, message: `leaves tests out with ${subject}.${text}(` }]
  })
}

function checkMachineTraces(file: string, content: string): Fault[] {
  return content.split('\n').flatMap((text, index) => {
    const home = /(?<![\w.])\/(?:home|Users)\/[a-z][\w-]*\/|(?<![\w.])\/root\//.exec(text)?.[0]
    const registry = file === 'package-lock.json' && /"resolved": "https?:/.test(text)
    const line = index + 1
    if (home !== undefined) return [{ file, line, message: `names a folder of one machine: ${home}` }]
    return registry
      ? [{ file, line, message: 'pins the address of a registry; npm ci should use its own' }]
      : []
  })
}

if (import.meta.main) reportFaults(checkTree(repositoryRoot))
