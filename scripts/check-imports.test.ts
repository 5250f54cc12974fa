import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { checkImports } from './check-imports.ts'

const manifests = {
  'package.json': { name: 'root' },
  'packages/contract/package.json': { name: '@masthead/contract', exports: { './*': './src/*' } },
  'packages/server/package.json': {
    name: '@masthead/server',
    dependencies: { '@masthead/contract': '1', fastify: '1' },
    devDependencies: { '@masthead/testing': '1' },
  },
  'packages/cli/package.json': { name: 'masthead', dependencies: { '@masthead/server': '1' } },
  'testing/package.json': { name: '@masthead/testing', exports: { './*': './*' } },
}

/** What the check says about a small repository that holds these files; server files may be named by `src/…`. */
async function faultsOf(files: Record<string, string>): Promise<string[]> {
  await using folder = await temporaryFolder()
  const everything = Object.entries({
    ...Object.fromEntries(Object.entries(manifests).map(([path, value]) => [path, JSON.stringify(value)])),
    'packages/contract/src/plans.ts': '',
    'testing/free-port.ts': '',
    ...files,
  })
  for (const [path, content] of everything) {
    const target = join(folder.path, path.replace(/^src\//, 'packages/server/src/'))
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, content)
  }
  return checkImports(folder.path).map(({ file, line, message }) => `${file}:${line} ${message}`)
}

async function assertBroken(files: Record<string, string>, ...expected: RegExp[]): Promise<void> {
  const faults = await faultsOf(files)
  assert.equal(faults.length, expected.length, faults.join('\n'))
  for (const [index, pattern] of expected.entries()) assert.match(faults[index] ?? '', pattern)
}

const assertFine = async (files: Record<string, string>) => assert.deepEqual(await faultsOf(files), [])

test('imports that run downwards are fine', () =>
  assertFine({
    'src/main.ts': "import './config.ts'\nimport './api/routes.ts'\nimport './accounts/store.ts'",
    'src/config.ts': 'process.env.PORT',
    'src/problem.ts': "import '@masthead/contract/plans.ts'",
    'src/api/routes.ts':
      "import 'fastify'\nimport '../accounts/sign-in.ts'\nimport type {} from '../config.ts'",
    'src/accounts/sign-in.ts': "import './store.ts'\nimport '../problem.ts'",
    'src/accounts/store.ts': "import '../database/open.ts'",
    'src/database/open.ts': "import 'node:sqlite'",
    'src/database/open.test.ts': "import '@masthead/testing/free-port.ts'\nprocess.env.CI",
  }))

test('a lower floor that imports an upper one is named', () =>
  assertBroken(
    {
      'src/database/open.ts': "import type { A } from '../accounts/account.ts'",
      'src/accounts/account.ts': '',
    },
    /^packages\/server\/src\/database\/open\.ts:1 database imports accounts, which is above it$/,
  ))

test('a root file that imports a feature is named', () =>
  assertBroken(
    { 'src/problem.ts': "\nimport './events/emit.ts'", 'src/events/emit.ts': '' },
    /problem\.ts:2 problem\.ts imports events, which is above it$/,
  ))

test('neighbours on one floor do not import each other', () =>
  assertBroken(
    { 'src/api/routes.ts': "import '../edge/listen.ts'", 'src/edge/listen.ts': '' },
    /api imports edge, its neighbour on the same floor$/,
  ))

test('a folder without a floor is named', () =>
  assertBroken(
    {
      'src/billing/bill.ts': "import './price.ts'\nimport '../problem.ts'",
      'src/billing/price.ts': '',
      'src/problem.ts': '',
    },
    /packages\/server\/src\/billing has no floor/,
  ))

test("another feature's store is closed, also to types", () =>
  assertBroken(
    {
      'src/projects/create.ts': "import type { A } from '../accounts/store.ts'",
      'src/accounts/store.ts': '',
    },
    /create\.ts:1 may not import packages\/server\/src\/accounts\/store\.ts: the SQL of a feature/,
  ))

test('the edge takes values of a feature from its read.ts alone, and types from its nouns', () =>
  assertBroken(
    {
      'src/edge/a.ts': "import '../projects/read.ts'\nimport type { P } from '../projects/project.ts'",
      'src/edge/b.ts': "import '../projects/project.ts'",
      'src/projects/read.ts': '',
      'src/projects/project.ts': '',
    },
    /edge\/b\.ts:1 may not import .*project\.ts: the edge reads features/,
  ))

test('the configuration is passed in, not imported', () =>
  assertBroken(
    { 'src/api/routes.ts': "import { config } from '../config.ts'", 'src/config.ts': '' },
    /api\/routes\.ts:1 may not import packages\/server\/src\/config\.ts/,
  ))

test('certificates do not know domains', () =>
  assertBroken(
    {
      'src/certificates/issue.ts': "import type {} from '../domains/domain.ts'",
      'src/domains/domain.ts': '',
    },
    /certificates imports domains, which is above it/,
    /may not import .*domain\.ts: a certificate is for a name/,
  ))

test('the environment is read in one place', () =>
  assertBroken(
    { 'src/api/routes.ts': '\nconst { PORT } = process.env' },
    /api\/routes\.ts:2 reads the environment/,
  ))

test('a package that may not import another is told why', () =>
  assertBroken(
    { 'packages/cli/src/run.ts': "import '@masthead/server/src/main.ts'", 'src/main.ts': '' },
    /packages\/cli\/src\/run\.ts:1 imports packages\/server: the command line is only a client/,
  ))

test('a relative path into another package is refused', () =>
  assertBroken(
    { 'src/main.ts': "import '../../contract/src/plans.ts'" },
    /main\.ts:1 reaches packages\/contract\/src\/plans\.ts by a relative path/,
  ))

test('an undeclared dependency is named with the file that should list it', () =>
  assertBroken(
    { 'src/api/routes.ts': "import 'left-pad/lib.js'" },
    /imports left-pad, which packages\/server\/package\.json does not list$/,
  ))

test('an import of a file that is not there is named', () =>
  assertBroken({ 'src/main.ts': "import './gone.ts'" }, /imports \.\/gone\.ts, which does not exist/))

test('a cycle is printed, also one made of types', () =>
  assertBroken(
    {
      'src/accounts/a.ts': "import type { B } from './b.ts'",
      'src/accounts/b.ts': "export * from './c.ts'",
      'src/accounts/c.ts': "import('./a.ts')",
    },
    /is part of a cycle: \S+a\.ts → \S+b\.ts → \S+c\.ts → \S+a\.ts$/,
  ))
