import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rightCheck, wrongCheck } from '../../test/sample-domains.ts'
import { displayWidth } from '../terminal/layout.ts'
import { checkParagraphs } from './check-lines.ts'

const plain = (_style: unknown, text: string) => text
const place = { now: Date.parse('2026-11-14T12:00:00Z'), width: 60, also: '' }
const textOf = (check: typeof rightCheck) => checkParagraphs(check, place, plain).flat().join('\n')

test('where everything is right there is nothing to do in DNS', () => {
  assert.doesNotMatch(textOf(rightCheck), /To do in DNS/)
  assert.match(textOf(rightCheck), /ns2\.acme\.com +192\.0\.2\.54 +does not answer/)
})

test('before a name is added, the value of its record is not known', () => {
  const changes = wrongCheck.changes.map((change) => ({ ...change, to: null }))
  assert.match(textOf({ ...wrongCheck, changes }), /\+ add +CNAME +www +\(shown once you add it\)/)
})

test('a record that a finding asks for, and how long it may last, are shown', () => {
  const [finding] = wrongCheck.findings
  assert.ok(finding)
  const records = [{ type: 'CAA', fqdn: 'acme.com', value: '0 issue "letsencrypt.org"' }]
  const text = textOf({ ...wrongCheck, findings: [{ ...finding, records, until: '2026-11-15T12:00:00Z' }] })
  assert.match(text, /^ {4}CAA {2}acme\.com {2}0 issue "letsencrypt\.org"$/m)
  assert.match(text, /^ {2}Until \d+ Nov /m)
})

test('every command to run stands whole on a line of its own', () => {
  const [finding] = wrongCheck.findings
  assert.ok(finding)
  const command = `masthead lab set www.acme.localhost CNAME ${'k'.repeat(40)}.cname.masthead.localhost`
  const first = 'masthead lab remove www.acme.localhost A'
  const fix = `In the lab, run: ${first}; ${command}`
  const text = textOf({ ...wrongCheck, findings: [{ ...finding, fix }] })
  assert.match(text, new RegExp(`^ {2}In the lab, run:\n {4}${first}\n {4}${command}$`, 'm'))
})

test('sentences are wrapped, and values of strangers cannot drive the terminal', () => {
  const hostile = '\x1b]0;owned\x07\x1b[2J\u202e'
  const text = textOf({
    ...wrongCheck,
    zone: hostile,
    provider: hostile,
    findings: [
      { code: 'servfail', effect: 'unclear', message: `${'word '.repeat(40)}${hostile}`, fix: hostile },
    ],
    changes: wrongCheck.changes.map((change) => ({ ...change, name: hostile, from: hostile, to: hostile })),
    nameservers: [
      { name: hostile, address: null, outcome: hostile, answers: [] },
      {
        name: 'ns',
        address: null,
        outcome: 'answered',
        answers: Array.from({ length: 90 }, () => ({ type: 'TXT', value: hostile, ttl: 1 })),
      },
    ],
  })
  assert.doesNotMatch(text, /(?!\n)[\p{Cc}\p{Cf}]/u)
  const sentence = text.split('\n').filter((line) => line.includes('word'))
  assert.ok(sentence.length > 1 && sentence.every((line) => displayWidth(line) <= place.width))
})
