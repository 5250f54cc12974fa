import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter } from '@masthead/testing/any-character.ts'
import fc from 'fast-check'
import { hashNewPassword, passwordIssue } from './password-rules.ts'

const about = ['Ada Lovelace', 'ada.lovelace@engines.example', 'Analytical Engines', 'masthead.localhost']

const refused: Record<string, string[]> = {
  'repeats the same few characters': [
    'aaaaaaaaaa',
    'AAAAAAAAAAAAAAAAAAAA',
    '1212121212',
    'abcabcabcabc',
    'orangeorange',
    'adminadmin12',
    'xkqzxkqzxkqz',
    '          ',
    'ＡＡＡＡＡＡＡＡＡＡ',
  ],
  'a name or address': [
    'ada.lovelace@engines.example',
    'ADA.LOVELACE@ENGINES.EXAMPLE',
    'adalovelace',
    'Lovelace1815!',
    'L0ve1ace-2024',
    'analytical engines',
    'masthead.localhost',
    'lovelace@masthead',
  ],
  'a run of adjacent': [
    '1234567890',
    '0987654321',
    'abcdefghijkl',
    'qwertyuiop',
    'QWERTZUIOP',
    'asdfghjkl;',
    '1q2w3e4r5t',
    '1qaz2wsx3edc',
    'poiuytrewq!1',
    'qwerty123456',
  ],
  'one of the most common passwords': [
    'password123',
    'Password1!',
    'P@ssw0rd2024',
    'letmein12345',
    'iloveyou2024',
    'welcome2024!',
    'trustno1',
    'masthead admin 1',
    'Summer2026!!',
  ],
}

for (const [reason, passwords] of Object.entries(refused)) {
  for (const password of passwords) {
    test(`${JSON.stringify(password)} is refused: ${reason}`, () => {
      assert.match(passwordIssue(password, about) ?? 'accepted', new RegExp(reason))
    })
  }
}

for (const password of [
  'correct horse battery',
  'a ship in port is safe',
  'tr0ub4dor&3x',
  'gYq8#vLp2w',
  '74029318 55 1',
  'пароль из трёх слов',
  'ada likes violet umbrellas',
  'dragon monkey sunshine football',
]) {
  test(`${JSON.stringify(password)} is accepted`, () => assert.equal(passwordIssue(password, about), null))
}

test('random passwords are accepted, and no text makes the rules slow or fail', () => {
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
  const random = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 16, maxLength: 24 })
  fc.assert(
    fc.property(random, (password) => {
      fc.pre(new Set(password.toLowerCase()).size > 9)
      assert.equal(passwordIssue(password, []), null)
    }),
  )
  const anything = fc.string({ unit: anyCharacter, minLength: 10, maxLength: 200 })
  fc.assert(
    fc.property(anything, fc.array(fc.string()), (password, words) => void passwordIssue(password, words)),
  )
  for (const hostile of ['a'.repeat(200), 'ab'.repeat(100), `${'ab'.repeat(99)}x`]) {
    assert.equal(typeof passwordIssue(hostile, about), 'string')
  }
})

test('a refused password names its field and is never hashed', async () => {
  await assert.rejects(hashNewPassword('aaaaaaaaaa', about, 'new'), (error: unknown) => {
    const { code, extra } = error as { code: string; extra: { errors: { path: string }[] } }
    assert.deepEqual([code, extra.errors[0]?.path], ['invalid_input', 'new'])
    return true
  })
  assert.match(await hashNewPassword('a ship in port is safe', about), /^argon2id\$/)
})
