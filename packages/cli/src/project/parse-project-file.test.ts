import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseProjectFile } from './parse-project-file.ts'

const whole = {
  project: 'site',
  folder: 'dist',
  server: 'localhost',
  domains: {
    primary: 'www.acme.com',
    redirects: [
      { from: 'acme.com', to: 'www.acme.com', status: 301 },
      { from: 'old.acme.com', to: 'www.acme.com', status: 308 },
    ],
  },
}

const yaml = `# yaml-language-server: $schema=https://masthead.example/schemas/masthead.json
project: site
folder: dist
server: localhost
domains:
  primary: www.acme.com
  redirects:
    - from: acme.com
      to: www.acme.com
    - { from: old.acme.com, to: www.acme.com, status: 308 }
`

function refusal(text: string, name: string): string {
  try {
    parseProjectFile(text, name)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error(`${text} was taken`)
}

test('JSON and YAML say the same', () => {
  assert.deepEqual(parseProjectFile(yaml, 'masthead.yaml').members, whole)
  assert.deepEqual(parseProjectFile(JSON.stringify(whole, null, '\t'), 'masthead.json').members, whole)
  assert.deepEqual(parseProjectFile('{ "$schema": "x" }', 'masthead.json').members, { $schema: 'x' })
})

test('a value that is not allowed is told with file, line and what to give', () => {
  assert.equal(
    refusal(yaml.replace('status: 308', 'status: 303'), 'masthead.yaml'),
    'masthead.yaml line 10: status 303 is not allowed; give 301, 302, 307 or 308.',
  )
  assert.equal(
    refusal(JSON.stringify(whole, null, 2).replace('308', '"308"'), 'site/masthead.json'),
    'site/masthead.json line 16: status "308" is not allowed; give 301, 302, 307 or 308.',
  )
})

test('a name that an object has twice is refused, so that no password is lost', () => {
  const twice = '{"protect": [{"password": "a"}],\n"protect": []}'
  assert.equal(refusal(twice, 'masthead.json'), 'masthead.json line 2: "protect" is there twice.')
  assert.match(refusal('spa: true\nspa: false', 'masthead.yaml'), /line 2/)
})

test('every fault stands on a line of its own', () => {
  const text = [
    'project: 123',
    'folder: ""',
    'serve: x',
    'domains:',
    '  redirects:',
    '    - from: a.com',
    '    - just text',
    '  other: 1',
  ].join('\n')
  assert.deepEqual(refusal(text, 'masthead.yml').split('\n'), [
    'masthead.yml line 1: "project" is not a text; put it in quotes.',
    'masthead.yml line 2: "folder" is empty.',
    'masthead.yml line 3: "serve" is not known here; did you mean "server"?',
    'masthead.yml line 4: "primary" is missing.',
    'masthead.yml line 6: "to" is missing.',
    'masthead.yml line 7: "redirects[1]" has no members of its own.',
    'masthead.yml line 8: "other" is not known here; known are primary and redirects.',
  ])
})

test('many faults are told in part', () => {
  const redirects = Array.from({ length: 50 }, () => ({ from: 'a' }))
  const told = refusal(JSON.stringify({ domains: { primary: 'a', redirects } }), 'masthead.json').split('\n')
  assert.equal(told.length, 9)
  assert.equal(told.at(-1), '… and 42 more.')
})

test('a file that is no JSON or no YAML is named with the line', () => {
  for (const [text, name, message] of [
    [
      '{\n  "project": "a"\n  "folder": "b"\n}',
      'masthead.json',
      /^masthead\.json line 3: this is not JSON\. Exp/,
    ],
    ['{', 'masthead.json', /^masthead\.json line 1: this is not JSON\. /],
    ['', 'masthead.json', /^masthead\.json line 1: this is not JSON\. /],
    ['{ project: x }', 'masthead.json', /^masthead\.json line 1: this is not JSON\. /],
    ['[]', 'masthead.json', /^masthead\.json line 1: there are no members here/],
    ['', 'masthead.yaml', /^masthead\.yaml line 1: there are no members here/],
    [
      'project: a\nproject: b',
      'masthead.yaml',
      /^masthead\.yaml line 2: this is not YAML\. Map keys must be unique\.$/,
    ],
    ['a: [', 'masthead.yaml', /^masthead\.yaml line 1: this is not YAML\. /],
    ['a: 1\n---\nb: 2', 'masthead.yaml', /^masthead\.yaml line 2: this is not YAML\. /],
  ] as const) {
    assert.match(refusal(text, name), message)
  }
})

test('aliases that multiply are refused, and terminal codes are not passed on', () => {
  const levels = ['a: &a [x, x, x, x, x, x, x, x, x]']
  for (let i = 0; i < 8; i++)
    levels.push(
      `b${i}: &b${i} [${Array(9)
        .fill(i ? `*b${i - 1}` : '*a')
        .join(', ')}]`,
    )
  assert.match(refusal(levels.join('\n'), 'masthead.yaml'), /^masthead\.yaml cannot be read: /)
  assert.ok(!refusal('"\\u001b[2J": 1', 'masthead.yaml').includes('\x1b'))
})

test('members are found by their path, however the file is laid out', () => {
  const { lineOf } = parseProjectFile(yaml, 'masthead.yaml')
  assert.equal(lineOf(['domains', 'primary']), 6)
  assert.equal(lineOf(['domains', 'redirects', 0, 'to']), 9)
  assert.equal(lineOf(['domains', 'redirects', '1', 'from']), 10)
  assert.equal(lineOf(['domains', 'redirects', 7]), 7)
  assert.equal(lineOf([]), 2)
})
