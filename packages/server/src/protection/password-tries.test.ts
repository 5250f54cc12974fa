import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSqlite } from '../database/each-database.test-kit.ts'
import { hour, minute, second } from '../kernel/clock.ts'
import { cheapHash } from './cheap-hash.test-kit.ts'
import { PasswordTries, type PasswordTry } from './password-tries.ts'

const hashes = [cheapHash('right')]

async function openTries() {
  const database = await openSqlite()
  const clock = { at: Date.UTC(2030, 0, 1) }
  const tries = new PasswordTries({ database, now: () => clock.at })
  const check = async (address: string, password: string, more: Partial<PasswordTry> = {}) =>
    (await tries.check({ projectId: 'prj_1', address, visitor: null, user: '', password, hashes, ...more }))
      .kind
  return { clock, tries, check, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

test('guessed at full speed from a thousand addresses, tries are bounded and the right password gets in', async () => {
  await using tries = await openTries()
  const counts = { right: 0, wrong: 0, wait: 0, busy: 0 }
  const guesser = async (address: string) => {
    for (let n = 0; n < 3; n++) counts[await tries.check(address, `wrong ${n}`)]++
  }
  const guessing = Array.from({ length: 1_000 }, (_, n) => guesser(`203.${n >> 8}.${n & 255}.7`))
  const visitor = tries.check('198.51.100.1', 'right')
  const elsewhere = tries.check('198.51.100.1', 'right', { projectId: 'prj_2' })
  const first = await Promise.race([elsewhere, ...guessing])
  assert.equal(first, 'right', 'a password of another site waits for none of these')
  assert.equal(await visitor, 'right')
  await Promise.all(guessing)
  assert.equal(await tries.check('198.51.100.2', 'right'), 'right')
  assert.equal(counts.right, 0)
  assert.ok(counts.wrong <= 2 * 1_000 + 3 * 100, `${counts.wrong} tries`)
})

test('simultaneous tries from one address count one by one', async () => {
  await using tries = await openTries()
  const all = await Promise.all(Array.from({ length: 50 }, () => tries.check('192.0.2.1', 'wrong')))
  assert.equal(all.filter((kind) => kind === 'wrong').length, 1)
  assert.equal(all.filter((kind) => kind === 'wait').length, 49)
})

test('addresses of one network wait for each other after many wrong tries, and known browsers for nobody', async () => {
  await using tries = await openTries()
  for (let n = 0; n < 50; n++) assert.equal(await tries.check(`192.0.2.${n}`, 'wrong'), 'wrong')
  assert.equal(await tries.check('192.0.2.200', 'right'), 'wait')
  assert.equal(await tries.check('192.0.3.1', 'right'), 'right')
  assert.equal(await tries.check('192.0.2.200', 'right', { visitor: 'ada' }), 'right')
  assert.equal(await tries.check('192.0.2.200', 'right', { projectId: 'prj_2' }), 'right')
  for (let n = 0; n < 5; n++) await tries.check('192.0.2.201', 'wrong', { visitor: 'eve' })
  assert.equal(await tries.check('192.0.2.201', 'right', { visitor: 'eve' }), 'wait')
  tries.clock.at += 16 * minute
  assert.equal(await tries.check('192.0.2.200', 'right'), 'right')
})

test('all addresses of an IPv6 /48 are one network, and those of another are not', async () => {
  await using tries = await openTries()
  for (let n = 0; n < 50; n++) assert.equal(await tries.check(`2001:db8:1:${n}::7`, 'wrong'), 'wrong')
  assert.equal(await tries.check('2001:db8:1:ffff::7', 'right'), 'wait')
  assert.equal(await tries.check('2001:db8:2:ffff::7', 'right'), 'right')
})

test('an address, known or not, that guesses again as soon as it may gets few tries per hour', async () => {
  for (const visitor of [null, 'eve']) {
    await using opened = await openTries()
    const { clock, tries } = opened
    const end = clock.at + hour
    const guess = { projectId: 'prj_1', address: '192.0.2.1', visitor, user: '', password: 'wrong', hashes }
    let wrong = 0
    while (clock.at < end) {
      const result = await tries.check(guess)
      if (result.kind === 'wrong') wrong++
      if (result.kind === 'wait') clock.at += result.seconds * second
    }
    assert.ok(wrong >= 5 && wrong <= 20, `${wrong} tries`)
  }
})

test('a user without a password takes as long as one with a wrong one, and lets nobody in', async () => {
  await using tries = await openTries()
  assert.equal(await tries.check('192.0.2.1', 'right', { hashes: [] }), 'wrong')
})

const leo = { user: 'leo', hashes: [cheapHash('secret')] }
const mia = { user: 'mia', hashes }

test('somebody who knows one password cannot guess another without a limit', async () => {
  for (const [known, guessed] of [
    [mia, leo],
    // One form for several passwords: each try is a guess at all of them.
    [{ hashes: [...hashes, ...leo.hashes] }, { hashes: [...hashes, ...leo.hashes] }],
  ]) {
    for (const visitor of [null, 'eve']) {
      await using tries = await openTries()
      const counts = { right: 0, wrong: 0, wait: 0, busy: 0 }
      for (let n = 0; n < 40; n++) {
        if (n % 2 === 0) await tries.check('192.0.2.1', 'right', { ...known, visitor })
        counts[await tries.check('192.0.2.1', `guess ${n}`, { ...guessed, visitor })]++
      }
      assert.deepEqual(counts, { right: 0, wrong: 5, wait: 35, busy: 0 })
    }
  }
})

test('somebody who knows one password gets no new tries as a new visitor', async () => {
  await using tries = await openTries()
  let wrong = 0
  for (let n = 0; n < 60; n++) {
    const visitor = `browser ${n}`
    assert.notEqual(await tries.check('192.0.2.1', 'right', { ...mia, visitor: null }), 'wrong')
    if ((await tries.check('192.0.2.1', `guess ${n}`, { ...leo, visitor })) === 'wrong') wrong++
  }
  assert.equal(wrong, 20)
  assert.equal(await tries.check('192.0.2.1', 'right', mia), 'right', 'others of the address are not refused')
})

test('typing errors before the right password are forgotten, and nobody waits for those of a colleague', async () => {
  await using tries = await openTries()
  const office = '192.0.2.1'
  for (let n = 0; n < 5; n++) assert.equal(await tries.check(office, `guess ${n}`, leo), 'wrong')
  for (let round = 0; round < 20; round++) {
    const visitor = round % 2 === 0 ? null : 'ada'
    for (let n = 0; n < 4; n++)
      assert.equal(await tries.check(office, `typo ${n}`, { ...mia, visitor }), 'wrong', `round ${round}`)
    assert.equal(await tries.check(office, 'right', { ...mia, visitor }), 'right', `round ${round}`)
  }
  assert.equal(await tries.check(office, 'secret', leo), 'wait')
})

test('an address cannot try many users, whether they exist or not', async () => {
  await using tries = await openTries()
  const outcomes: string[] = []
  for (let n = 0; n < 40; n++)
    outcomes.push(await tries.check('192.0.2.1', 'guess', { user: `user ${n}`, hashes: [] }))
  assert.deepEqual([outcomes.indexOf('wait'), outcomes.lastIndexOf('wrong')], [20, 19])
})
