import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands } from '../commands.ts'
import { parseArguments } from './parse.ts'

const parse = (line: string) => {
  const { command, values, words } = parseArguments(line.split(' ').filter(Boolean), commands)
  return { command: command?.name ?? null, values, words }
}

test('options stand before, between and after the words', () => {
  const expected = { command: 'deploy', values: { json: true, project: 'a' }, words: ['dist'] }
  for (const line of [
    '--json -p a deploy dist',
    'deploy --json dist --project=a',
    'deploy dist -p a --json',
  ]) {
    assert.deepEqual(parse(line), expected, line)
  }
  assert.deepEqual(parse('--scope read keys create x --scope deploy'), {
    command: 'keys',
    values: { scope: ['read', 'deploy'] },
    words: ['create', 'x'],
  })
})

test('no arguments and help name no command to run', () => {
  assert.deepEqual(parse(''), { command: null, values: {}, words: [] })
  assert.deepEqual(parse('help'), { command: null, values: { help: true }, words: [] })
  assert.deepEqual(parse('help keys'), { command: 'keys', values: { help: true }, words: [] })
})

test('after two dashes everything is a word', () => {
  assert.deepEqual(parse('deploy -- --odd-folder').words, ['--odd-folder'])
})

test('an empty argument is refused wherever it stands, but not by completion', () => {
  for (const argv of [
    [''],
    ['deploy', ''],
    ['help', ''],
    ['rules', 'check', ''],
    ['login', '--', ''],
    ['', 'deploy'],
  ]) {
    assert.throws(() => parseArguments(argv, commands), {
      message: /^An argument of .*masthead.* is empty\.$/,
      fix: /variable/,
      exit: 'usage',
    })
  }
  assert.deepEqual(parseArguments(['completion', 'suggest', '--', 'deploy', ''], commands).words, [
    'suggest',
    'deploy',
    '',
  ])
})

test('a value may start with a dash unless it is an option of the command', () => {
  const message = (...argv: string[]) => parseArguments(['deploy', ...argv], commands).values.message
  for (const value of ['- fix: x', '-fix', '-', '--json is broken', '-- x', '--toString', '-yes']) {
    assert.equal(message('-m', value), value)
  }
  for (const value of ['--json', '--project=a', '-q', '-qy', '-psite', '--']) {
    assert.throws(() => message('-m', value), { exit: 'usage', fix: /--message=TEXT/ }, value)
    assert.equal(message(`--message=${value}`), value)
  }
})

test('what git and the pipeline say is removed by an empty value', () => {
  for (const name of ['message', 'branch', 'commit', 'repository', 'author', 'url', 'pull-request']) {
    for (const argv of [[`--${name}`, ''], [`--${name}=`]]) {
      assert.deepEqual(parseArguments(['deploy', ...argv], commands).values, { [name]: '' })
    }
  }
})

test('wrong usage names what is wrong and what to do', () => {
  for (const [line, message, fix] of [
    ['xyzzy', 'Unknown command "xyzzy".', 'See `masthead --help`.'],
    ['rolback', 'Unknown command "rolback".', 'Did you mean `masthead rollback`?'],
    ['projects --jsn', '`masthead projects` has no option --jsn.', 'Did you mean --json?'],
    [
      'projects --scope read',
      '`masthead projects` has no option --scope.',
      'See `masthead projects --help`.',
    ],
    ['deploy --project', '--project needs a value.', 'Use --project SLUG.'],
    ['deploy --project=', '--project needs a value.', 'Use --project SLUG.'],
    [
      'deploy --project --json',
      '--project needs a value, and --json is an option.',
      'Use --project SLUG, or --project=SLUG if the value starts with a dash.',
    ],
    [
      'deploy -m --no-activate',
      '-m needs a value, and --no-activate is an option.',
      'Use -m TEXT, or --message=TEXT if the value starts with a dash.',
    ],
    ['deploy --json=yes', '--json does not take a value.', 'Use --json on its own.'],
    ['deploy a b', 'Unexpected argument "b".', 'See `masthead deploy --help`.'],
    ['--toString', 'masthead has no option --toString.', 'See `masthead --help`.'],
  ] as const) {
    assert.throws(() => parse(line), { message, fix, exit: 'usage' }, line)
  }
})
