import { readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { isTest } from './imports/check-edges.ts'
import { exportedTypes } from './imports/source.ts'
import { tokenise } from './imports/tokens.ts'
import { type Fault, listFiles, reportFaults, repositoryRoot } from './repository.ts'

const linesAllowed = 350
const filesAllowed = 15
const emptyNames = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'types'])
const text = '**/*.{ts,tsx,js,json,md,sh,css,html}'
const production = '{packages,testing,journeys,bench,scripts}/**/*.{ts,tsx,css}'

/** Folders that may have more files than `filesAllowed`. */
const largeFolders: readonly { folder: string; why: string }[] = [
  {
    folder: 'packages/server/src/database/migrations',
    why: 'a migration that has run somewhere is never merged into another',
  },
]

/** Habits that need no compiler: names, sizes, skipped tests, and traces of one person's machine. */
export function checkTree(root: string): Fault[] {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const everything = [...listFiles(root, [text]), ...listFiles(root, ['.ci/*', '.npmrc'])]
  const productionFiles = listFiles(root, [production]).filter((file) => !isTest(file))
  return [
    ...everything.flatMap((file) => {
      const content = read(file)
      const isCode = /\.(ts|tsx)$/.test(file)
      return [
        ...checkName(file),
        ...(isCode ? checkLength(file, content) : []),
        ...(isCode ? checkNothingSkipped(file, content) : []),
        ...checkMachineTraces(file, content),
        ...checkMergeMarks(file, content),
      ]
    }),
    ...checkFolderSizes(productionFiles),
    ...checkTypeNames(productionFiles, read),
  ]
}

function checkName(file: string): Fault[] {
  const name = basename(file).replace(/\..*$/, '')
  if (!emptyNames.has(name)) return []
  return [{ file, line: 1, message: `is called ${name}, which says nothing; name the one thing it is` }]
}

function checkLength(file: string, content: string): Fault[] {
  const lines = content.split('\n').length - 1
  if (lines <= linesAllowed) return []
  return [
    { file, line: 1, message: `has ${lines} lines, more than ${linesAllowed}; which two things is it?` },
  ]
}

function checkFolderSizes(files: readonly string[]): Fault[] {
  const folders = [...Map.groupBy(files, posix.dirname)]
  return folders
    .filter(
      ([folder, { length }]) => length > filesAllowed && !largeFolders.some((one) => one.folder === folder),
    )
    .map(([folder, { length }]) => ({
      file: folder,
      line: 1,
      message: `has ${length} files, more than ${filesAllowed}; which two folders is it?`,
    }))
}

/** Two types of one name in the product make a reader of an import look up which one it is. */
function checkTypeNames(files: readonly string[], read: (file: string) => string): Fault[] {
  const sources = files.filter((file) => /^packages\/.*\.tsx?$/.test(file))
  const types = sources.flatMap((file) => exportedTypes(read(file)).map((type) => ({ ...type, file })))
  return [...Map.groupBy(types, ({ name }) => name).values()].flatMap(([first, ...others]) =>
    others.map(({ file, line, name }) => ({
      file,
      line,
      message: `exports a type called ${name}, as ${first?.file} does`,
    })),
  )
}

/** Tests that are marked to run alone, or not at all. A missing peer is a `skip` option with a reason instead. */
function checkNothingSkipped(file: string, content: string): Fault[] {
  const tokens = tokenise(content)
  return tokens.flatMap(({ text, kind, line }, index) => {
    const called = tokens[index - 1]?.text === '.' && tokens[index + 1]?.text === '('
    if (kind !== 'word' || !called || !['only', 'skip', 'todo'].includes(text)) return []
    const subject = tokens[index - 2]?.text
    if (subject === undefined || !['test', 'it', 'suite', 'describe', 't'].includes(subject)) return []
    return [{ file, line, message: `skips tests with ${subject}.${text}(` }]
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

function checkMergeMarks(file: string, content: string): Fault[] {
  return content
    .split('\n')
    .flatMap((text, index) =>
      /^(?:<{7}|>{7}) /.test(text)
        ? [{ file, line: index + 1, message: 'has the marks of a merge that was not finished' }]
        : [],
    )
}

if (import.meta.main) reportFaults(checkTree(repositoryRoot))
