import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minute } from '../kernel/clock.ts'
import { BasicTries } from './basic-tries.ts'
import { cheapHash } from './cheap-hash.test-kit.ts'

const users = [
  { user: 'mia', hash: cheapHash('right') },
  { user: 'leo', hash: cheapHash('secret') },
]
const basic = (password: string, user: string) => `Basic ${btoa(`${user}:${password}`)}`

function openTries() {
  const clock = { at: 0 }
  const tries = new BasicTries(() => clock.at)
  const check = async (
    address: string,
    password: string,
    more: { projectId?: string; user?: string } = {},
  ) => {
    const { projectId = 'prj_1', user = 'mia' } = more
    const shown = await tries.check({ projectId, header: basic(password, user), users, address })
    return typeof shown === 'number' ? 'wait' : shown.length > 0 ? 'right' : 'wrong'
  }
  return { clock, check }
}

test('guessed from a thousand addresses at once, the right password gets in, also elsewhere', async () => {
  const { check } = openTries()
  const counts = { right: 0, wrong: 0, wait: 0 }
  const guessing = Array.from({ length: 1_000 }, async (_, n) => {
    for (let k = 0; k < 10; k++) counts[await check(`203.${n >> 8}.${n & 255}.7`, `wrong ${n} ${k}`)]++
  })
  const visitor = check('198.51.100.1', 'right')
  const elsewhere = check('198.51.100.1', 'right', { projectId: 'prj_2' })
  assert.equal(await Promise.race([elsewhere, ...guessing]), 'right', 'another site waits for none of these')
  assert.equal(await visitor, 'right')
  await Promise.all(guessing)
  assert.deepEqual(counts, { right: 0, wrong: 5_000, wait: 5_000 })
})

test('an address waits for its own wrong tries, one at a time, and the right header is known from then on', async () => {
  const { check, clock } = openTries()
  const atOnce = await Promise.all(Array.from({ length: 50 }, (_, n) => check('192.0.2.1', `wrong ${n}`)))
  assert.equal(atOnce.filter((one) => one === 'wrong').length, 1)
  for (let n = 0; n < 4; n++) assert.equal(await check('192.0.2.1', `again ${n}`), 'wrong')
  assert.equal(await check('192.0.2.1', 'right'), 'wait')
  assert.equal(await check('192.0.2.2', 'right'), 'right')
  assert.equal(await check('192.0.2.1', 'right'), 'right', 'it was checked for somebody else')
  clock.at += 20 * minute
  assert.equal(await check('192.0.2.1', 'another'), 'wrong')
})

test('a right password takes back the wrong ones of its user, and no guesses at others', async () => {
  const { check, clock } = openTries()
  const office = '192.0.2.1'
  for (let n = 0; n < 5; n++) assert.equal(await check(office, `guess ${n}`, { user: 'leo' }), 'wrong')
  for (let round = 0; round < 5; round++) {
    for (let n = 0; n < 4; n++) assert.equal(await check(office, `typo ${round} ${n}`), 'wrong')
    // Forgotten, so that it is checked again.
    clock.at += 11 * minute
    assert.equal(await check(office, 'right'), 'right')
    if (round > 0) continue
    assert.equal(await check(office, 'a guess', { user: 'leo' }), 'wrong', 'one after the wait')
    assert.equal(await check(office, 'another', { user: 'leo' }), 'wait')
  }
})

test('an address cannot try many users, and does not wait for one program with an old password', async () => {
  const { check, clock } = openTries()
  const outcomes: string[] = []
  for (let n = 0; n < 60; n++) outcomes.push(await check('192.0.2.1', 'guess', { user: `user ${n}` }))
  assert.deepEqual([outcomes.indexOf('wait'), outcomes.lastIndexOf('wrong')], [20, 19])
  const program = async (n: number) => {
    clock.at += 16 * minute
    assert.equal(await check('192.0.2.2', `old ${n}`, { user: 'leo' }), 'wrong')
    assert.equal(await check('192.0.2.2', 'right'), 'right')
  }
  for (let n = 0; n < 40; n++) await program(n)
})
