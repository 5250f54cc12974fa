import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { globalOptions } from './arguments/command.ts'
import { overview } from './arguments/help.ts'
import { commands } from './commands.ts'
import { exitCodes } from './errors/command-error.ts'

const guide = await readFile(new URL('../../../docs/cli.md', import.meta.url), 'utf8')

/** The part of the guide about one command. */
function sectionOf(name: string): string {
  const [, section = ''] = guide.split(new RegExp(`^### \`masthead ${name}\\b`, 'm'))
  return section.split(/^##/m)[0] ?? ''
}

test('the guide has a section for every command, and for no other', () => {
  const sections = [...guide.matchAll(/^### `masthead (\w+)/gm)].map(([, name]) => name)
  assert.deepEqual(
    sections,
    commands.map(({ name }) => name),
  )
})

test('the section of a command shows every option and every verb of it', () => {
  for (const { name, options, usage } of commands) {
    const section = sectionOf(name)
    for (const option of Object.keys(options))
      assert.ok(section.includes(`--${option}`), `${name} --${option}`)
    for (const line of usage) {
      const [, verb = ''] = line.split(' ')
      if (/^[a-z]+$/.test(verb))
        assert.ok(
          section.includes(`masthead ${name} ${verb} `) || section.includes(`masthead ${name} ${verb}\``),
          line,
        )
    }
  }
})

test('the guide shows no option that the command line does not have', () => {
  const known = new Set(
    commands.flatMap(({ options }) => Object.keys(options)).concat(Object.keys(globalOptions)),
  )
  for (const [, option = ''] of guide.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g))
    assert.ok(known.has(option), `--${option}`)
})

test('the guide lists the options of every command, and the environment variables that the help lists', () => {
  const rows = [...guide.matchAll(/^\| `--(\w+)` \|/gm)].map(([, option]) => option)
  assert.deepEqual(rows, Object.keys(globalOptions))
  const help = overview(commands, (text) => text)
  for (const [variable] of help.matchAll(/^ {2}[A-Z_]{5,}/gm))
    assert.ok(guide.includes(variable.trim()), variable)
})

test('the guide shows the exit codes as they are', () => {
  const rows = [...guide.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, meaning]) => ({
    code: Number(code),
    meaning,
  }))
  assert.deepEqual(rows, Object.values(exitCodes))
})
