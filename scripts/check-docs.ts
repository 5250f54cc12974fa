import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findings } from '@masthead/contract/domains/findings.ts'
import { domainStates } from '@masthead/contract/domains/states.ts'
import { events } from '@masthead/contract/events.ts'
import { problems } from '@masthead/contract/problems.ts'
import { checkCitedCommands, checkCitedPaths, checkLinks, type Tree } from './docs/citations.ts'
import { checkDocumented, checkSameList, checkVariables, variablesIn } from './docs/documented-lists.ts'
import { type Located, type MarkdownDocument, readMarkdown } from './docs/markdown.ts'
import {
  dependenciesOf,
  type Fault,
  listFiles,
  readManifest,
  reportFaults,
  repositoryRoot,
} from './repository.ts'

/** The names in each table that has its own document. */
export interface DocumentedTables {
  problems: readonly string[]
  events: readonly string[]
  findings: readonly string[]
  /** Each with its meaning: "pending: waits for DNS". */
  states: readonly string[]
}

const configuration = 'packages/server/src/config/config.ts'
/** Where our programs read the environment. */
const environmentReaders = [configuration, '{packages/cli,packages/client,testing,bench}/**/*.{ts,js}']

/** Compares every document of the repository with the code it describes. */
export function checkDocs(root: string, tables: DocumentedTables): Fault[] {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const exists = (path: string) => existsSync(join(root, path))
  const documents = new Map(listFiles(root, ['**/*.md']).map((file) => [file, readMarkdown(read(file))]))
  const document = (file: string): MarkdownDocument => documents.get(file) ?? readMarkdown('')
  const tree: Tree = {
    topLevel: new Set(readdirSync(root).filter((name) => !['data', 'node_modules'].includes(name))),
    exists,
    document: (path) => documents.get(path),
  }
  const packages = listFiles(root, ['package.json', '{packages/*,*}/package.json'])
  const manifests = packages.map((path) => readManifest(root, path.slice(0, -'package.json'.length)))
  const scripts = new Set(manifests.flatMap((manifest) => Object.keys(manifest.scripts ?? {})))
  const variables = new Set(
    listFiles(root, environmentReaders).flatMap((file) => variablesIn(read(file)).map(({ text }) => text)),
  )

  const perDocument = [...documents].flatMap(([file, content]) => [
    ...checkCitedPaths(file, content, tree),
    ...checkLinks(file, content, tree),
    ...checkCitedCommands(file, content, scripts),
    ...checkVariables(file, content, variables),
  ])
  const lists = [
    ...checkSameList({
      noun: 'error code',
      codeFile: 'packages/contract/src/problems.ts',
      inCode: tables.problems.map(atTop),
      document: 'docs/errors.md',
      documented: entryHeadings(document('docs/errors.md')),
    }),
    ...checkSameList({
      noun: 'event',
      codeFile: 'packages/contract/src/events.ts',
      inCode: tables.events.map(atTop),
      document: 'docs/events.md',
      documented: entryHeadings(document('docs/events.md')),
    }),
    ...checkSameList({
      noun: 'finding',
      codeFile: 'packages/contract/src/domains/findings.ts',
      inCode: tables.findings.map(atTop),
      document: 'docs/findings.md',
      documented: entryHeadings(document('docs/findings.md')),
    }),
    ...checkSameList({
      noun: 'domain state',
      codeFile: 'packages/contract/src/domains/states.ts',
      inCode: tables.states.map(atTop),
      document: 'docs/domains.md',
      documented: explainedCells(document('docs/domains.md')),
    }),
    ...checkSameList({
      noun: 'dependency',
      codeFile: 'package.json',
      inCode: outsideDependencies(manifests).map(atTop),
      document: 'docs/dependencies.md',
      documented: firstCells(document('docs/dependencies.md')),
    }),
    ...checkDocumented({
      noun: 'variable',
      codeFile: configuration,
      inCode: exists(configuration) ? variablesIn(read(configuration)) : [],
      document: 'docs/configuration.md',
      documented: firstCells(document('docs/configuration.md')),
    }),
  ]
  return [...perDocument, ...lists, ...checkGuideList([...documents.keys()], document(guideList))]
}

const guideList = 'docs/README.md'

/** Servers show the guides that the list has. One that is in no list would be found by nobody. */
function checkGuideList(files: readonly string[], { links }: MarkdownDocument): Fault[] {
  const listed = new Set(links.map(({ text }) => `docs/${text}`))
  return files
    .filter((file) => /^docs\/[^/]+\.md$/.test(file) && file !== guideList && !listed.has(file))
    .map((file) => ({ file, line: 1, message: `is not listed in ${guideList}` }))
}

const atTop = (text: string): Located => ({ text, line: 1 })

/** Headings that are an identifier, bare or in backticks; other headings are no entries. */
function entryHeadings({ headings }: MarkdownDocument): Located[] {
  return headings
    .map(({ text, line }) => ({ text: text.replaceAll('`', ''), line }))
    .filter(({ text }) => /^[a-z][a-z0-9_.]*$/.test(text))
}

/** The names in backticks in the first cell of each table row. */
function firstCells({ rows }: MarkdownDocument): Located[] {
  return rows.flatMap(({ cells, line }) =>
    [...(cells[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => ({ text, line })),
  )
}

/** `name: text of the second cell` for each row that begins with a name in backticks. */
function explainedCells({ rows }: MarkdownDocument): Located[] {
  return rows.flatMap(({ cells: [first = '', second = ''], line }) => {
    const name = /^`([^`]+)`$/.exec(first)?.[1]
    return name === undefined ? [] : [{ text: `${name}: ${second}`, line }]
  })
}

function outsideDependencies(manifests: readonly ReturnType<typeof readManifest>[]): string[] {
  const own = new Set(manifests.map(({ name }) => name))
  return [...new Set(manifests.flatMap(dependenciesOf))].filter((name) => !own.has(name)).sort()
}

if (import.meta.main) {
  reportFaults(
    checkDocs(repositoryRoot, {
      problems: Object.keys(problems),
      events: Object.keys(events),
      findings: Object.keys(findings),
      states: Object.entries(domainStates).map(([name, { meaning }]) => `${name}: ${meaning}`),
    }),
  )
}
