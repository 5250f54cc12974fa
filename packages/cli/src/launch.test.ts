import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandNames } from './command-names.ts'
import { commands } from './commands.ts'
import { asTyped, describeLaunch } from './launch.ts'

const url = 'https://masthead.example/cli/masthead-0.1.0-abcdef01.tgz'
const npx = { _npx: { packages: [url] }, dependencies: { masthead: url } }

function launch(file: string, env: Record<string, string> = {}, document: unknown = npx) {
  const asked: string[] = []
  const readText = (path: string) => {
    asked.push(path)
    if (document === null) throw new Error('ENOENT')
    return typeof document === 'string' ? document : JSON.stringify(document)
  }
  return { ...describeLaunch({ file, env, readText }), asked }
}

const inCache = '/srv/ada/.npm/_npx/f1d2/node_modules/masthead/masthead.js'

test('run by npx with an address, that is what to type again, and where the server is', () => {
  for (const [file, folder] of [
    [inCache, '/srv/ada/.npm/_npx/f1d2'],
    [
      'C:\\Users\\Ada\\AppData\\Local\\npm-cache\\_npx\\f1d2\\node_modules\\masthead\\masthead.js',
      'C:\\Users\\Ada\\AppData\\Local\\npm-cache\\_npx\\f1d2',
    ],
  ] as const) {
    assert.deepEqual(launch(file, { npm_command: 'exec' }), {
      command: `npx ${url}`,
      origin: 'https://masthead.example',
      asked: [`${folder}/package.json`],
    })
  }
})

test('run by npx with a name, in a checkout or from a registry, the name is enough', () => {
  const env = { npm_command: 'exec' }
  for (const document of [{ _npx: { packages: ['masthead'] } }, {}, 'no JSON', null, { _npx: null }]) {
    const { command, origin } = launch(inCache, env, document)
    assert.deepEqual([command, origin], ['npx masthead', null])
  }
  const checkout = launch('/srv/masthead/packages/cli/bin/masthead.js', env)
  assert.deepEqual([checkout.command, checkout.origin, checkout.asked], ['npx masthead', null, []])
  const script = launch('/srv/site/node_modules/masthead/masthead.js', { npm_command: 'run-script' })
  assert.equal(script.command, 'npx masthead')
})

test('an address that is not of the web is not a server', () => {
  for (const odd of ['file:///tmp/masthead.tgz', 'git+ssh://git@example.com/x.git', '../masthead.tgz']) {
    const { command, origin } = launch(inCache, {}, { _npx: { packages: [odd] } })
    assert.deepEqual([command, origin], ['masthead', null], odd)
  }
})

test('installed globally it is masthead', () => {
  const { command, origin } = launch('/usr/local/lib/node_modules/masthead/masthead.js')
  assert.deepEqual([command, origin], ['masthead', null])
})

test('suggested commands are as they have to be typed, and other words stay', () => {
  const typed = (text: string) => asTyped(text, { command: `npx ${url}`, origin: null })
  assert.equal(
    typed('Run `masthead login`, or set MASTHEAD_KEY.'),
    `Run \`npx ${url} login\`, or set MASTHEAD_KEY.`,
  )
  assert.equal(typed('Add one:\n  masthead domains add a.com'), `Add one:\n  npx ${url} domains add a.com`)
  for (const same of [
    'masthead on laptop',
    'Something went wrong in masthead itself',
    'wrote ./masthead deploy',
    'masthead deployer',
    'npx masthead.example/masthead deploy',
  ]) {
    assert.equal(typed(same), same)
  }
  assert.equal(
    asTyped('Run `masthead login`.', { command: 'masthead', origin: null }),
    'Run `masthead login`.',
  )
})

test('the names of the commands are those of the table', () => {
  assert.deepEqual(
    commandNames,
    commands.map(({ name }) => name),
  )
})
