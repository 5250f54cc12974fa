import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minute, second } from '../kernel/clock.ts'
import { BasicTries } from './basic-tries.ts'
import { cheapHash } from './cheap-hash.test-kit.ts'

const guests = Array.from({ length: 30 }, (_, n) => `guest ${n}`)
const users = [
  { user: 'mia', hash: cheapHash('right') },
  { user: 'leo', hash: cheapHash('secret') },
  { user: 'jürgen', hash: cheapHash('größe') },
  ...guests.map((user) => ({ user, hash: cheapHash('welcome') })),
]

/** With other blanks it is another header, which is checked again. */
function basic(password: string, user: string, { encoding = 'utf8', blanks = 1 }: Spelling = {}): string {
  return `Basic${' '.repeat(blanks)}${Buffer.from(`${user}:${password}`, encoding).toString('base64')}`
}

interface Spelling {
  encoding?: BufferEncoding
  blanks?: number
}

function openTries() {
  const clock = { at: 0 }
  const tries = new BasicTries(() => clock.at)
  const check = async (
    address: string,
    password: string,
    more: { projectId?: string; user?: string } & Spelling = {},
  ) => {
    const { projectId = 'prj_1', user = 'mia', ...spelling } = more
    const header = basic(password, user, spelling)
    const shown = await tries.check({ projectId, header, users, address })
    return typeof shown === 'number' ? 'wait' : shown.length > 0 ? 'right' : 'wrong'
  }
  return { clock, check, tries }
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
  clock.at += 9 * minute
  const known = await Promise.all(Array.from({ length: 50 }, () => check('192.0.2.1', 'right')))
  assert.deepEqual(new Set(known), new Set(['right']), 'also at once')
  clock.at += 20 * minute
  assert.equal(await check('192.0.2.1', 'another'), 'wrong')
})

test('the wait doubles with every wrong try after the first five, up to a quarter of an hour', async () => {
  const { tries, clock } = openTries()
  const waits: number[] = []
  for (let n = 0; waits.length < 12; n++) {
    const shown = await tries.check({
      projectId: 'prj_1',
      header: basic(`wrong ${n}`, 'mia'),
      users,
      address: '192.0.2.1',
    })
    if (typeof shown !== 'number') continue
    waits.push(shown)
    clock.at += shown * second
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
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

test('somebody who knows one password cannot guess at many users, however often it is wrong before', async () => {
  const { check } = openTries()
  const outcomes: string[] = []
  for (const [n, user] of guests.entries()) {
    await check('192.0.2.1', `typo ${n}`)
    await check('192.0.2.1', 'right', { blanks: 1 + n })
    outcomes.push(await check('192.0.2.1', 'guess', { user }))
  }
  // The last typing error is the twentieth wrong try.
  assert.deepEqual([outcomes.indexOf('wait'), outcomes.lastIndexOf('wrong')], [19, 18])
})

test('five guesses at each user count at the site too', async () => {
  const { check } = openTries()
  for (const user of guests.slice(0, 4)) {
    for (let n = 0; n < 5; n++) assert.equal(await check('192.0.2.1', `guess ${n}`, { user }), 'wrong')
  }
  assert.equal(await check('192.0.2.1', 'guess'), 'wait')
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

test('names and passwords with accents get in, in UTF-8 and Latin-1, composed or not', async () => {
  const { check } = openTries()
  const address = '192.0.2.1'
  for (const encoding of ['utf8', 'latin1'] as const) {
    assert.equal(await check(address, 'größe', { user: 'jürgen', encoding }), 'right', encoding)
  }
  const typed = (text: string) => text.normalize('NFD')
  assert.equal(await check(address, typed('größe'), { user: typed('jürgen') }), 'right')
  assert.equal(await check(address, 'größe', { user: 'jurgen' }), 'wrong')
})
