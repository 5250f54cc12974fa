import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { SiteRules } from '@masthead/contract/site-rules/rules.ts'
import { startEdge } from './edge.test-kit.ts'

const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n')
const waves = (count: number) => '~'.repeat(count)
const letters = (count: number) => 'a'.repeat(count)

/** One of 70 patterns that apply to one path together, although none applies wherever another does. */
function crossing(at: number): string {
  const masks = Array.from({ length: 256 }, (_, mask) => mask.toString(2).padStart(8, '0'))
  const halves = masks.filter((mask) => mask.replaceAll('0', '').length === 4)
  return Array.from(halves[at] ?? '', (bit, place) => (bit === '0' ? '/a' : `/:x${place}`)).join('')
}

/** Rules that a long address almost matches, each in another way, and such an address. */
const nearMisses: Record<string, { redirects?: string; headers?: string; protect?: string[]; path: string }> =
  {
    'texts between placeholders': {
      redirects: lines(1_000, (at) => `/:x~~~${at}-:y /t`),
      path: `/${waves(15_000)}`,
    },
    'long texts between placeholders': {
      redirects: lines(10, (at) => `/:x~~~~~~-${waves(1_000 + at)}:y /t`),
      path: `/${waves(15_000)}`,
    },
    'segments after *': {
      redirects: lines(500, (at) => `/p*${'/a'.repeat(900)}/b${at} /t`),
      path: `/p${'/a'.repeat(7_500)}`,
    },
    'segments after placeholders': {
      redirects: lines(1_000, (at) => `/${letters(at + 1)}:x${'/a'.repeat(200)}/b /t`),
      path: `/${letters(1_010)}${'/a'.repeat(200)}`,
    },
    'targets that are the same address': {
      redirects: lines(900, (at) => `/${letters(at + 1)}:x/* /${letters(at + 1)}:x/:splat`),
      path: `/${letters(1_000)}/${'%c3%a9'.repeat(2_000)}`,
    },
    'targets that repeat it': {
      redirects: `/r/* /${':splat'.repeat(300)}`,
      path: `/r/${'%e6%bc%a2'.repeat(1_600)}`,
    },
    'targets that repeat its query': {
      redirects: `/r a=:a https://x.example/?b=${':a'.repeat(900)}`,
      path: `/r?a=${letters(15_000)}`,
    },
    'files whose names repeat it': {
      redirects: `/r/:a /${':a'.repeat(900)} 200`,
      path: `/r/${letters(15_000)}`,
    },
    'conditions on the query': {
      redirects: lines(1_000, (at) => `/${letters(at + 1)}* a=:a z=1 /t`),
      path: `/${letters(1_010)}?a=1${'&b'.repeat(6_000)}`,
    },
    headers: {
      redirects: '/* /index.html 200',
      headers: lines(900, (at) => `/:x~~~${at}-:y\n X-A: b`),
      path: `/${waves(15_000)}`,
    },
    'thousands of headers together': {
      redirects: '/* /index.html 200',
      headers: lines(70, (at) => `${crossing(at)}\n B: :x0:x7\n${lines(75, (id) => ` A${at}-${id}: b`)}`),
      path: '/a/a/a/a/a/a/a/a',
    },
    passwords: {
      protect: Array.from({ length: 100 }, (_, at) => `/:x~~~${at}-:y`),
      path: `/${waves(15_000)}`,
    },
  }

for (const [kind, { redirects = '', headers = '', protect = [], path }] of Object.entries(nearMisses)) {
  test(`an address that takes too much work to compare with ${kind} is refused, and others are answered`, async () => {
    await using edge = await startEdge()
    const locks: SiteRules['protect'] = protect.map((from, at) => ({ from, line: at + 1, credentials: [] }))
    await edge.publish(
      'hello',
      {
        '/index.html': 'front',
        '/_redirects': `/old /new\n${redirects}`,
        '/_headers': headers,
      },
      { protect: locks },
    )
    const refused = await edge.ask(path)
    assert.equal(refused.status, 414)
    assert.match(refused.body.toString(), /This address is too long/)
    assert.equal(refused.headers['cache-control'], 'no-store')
    const head = await edge.ask(path, {}, 'HEAD')
    assert.deepEqual([head.status, head.body.length], [414, 0])
    assert.equal((await edge.ask('/')).body.toString(), 'front')
    assert.equal((await edge.ask('/old')).headers.location, '/new')
    assert.deepEqual(edge.logged, [])
  })
}

test('a thousand patterns in one folder apply to long addresses as well', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', {
    '/index.html': 'front',
    '/_redirects': `${lines(998, (at) => `/some-name-of-a-page-${at}-:id/* /pages/:id/:splat`)}\n/:a-:b.htm /:b\n/*/end /front`,
    '/_headers': lines(900, (at) => `/some-${at}-:id/*\n X-A: :id`),
  })
  const rest = 'part/'.repeat(3_000)
  const answer = await edge.ask(`/some-name-of-a-page-997-x/${rest}`)
  assert.equal(answer.headers.location, `/pages/x/${rest}`)
  assert.equal((await edge.ask(`/${rest}end`)).headers.location, '/front')
  assert.equal((await edge.ask(`/${letters(200)}-${letters(200)}.htm`)).headers.location, `/${letters(200)}`)
})

test('visitors of other sites are answered while a site with many long rules is loaded', async () => {
  await using edge = await startEdge()
  await edge.publish('light', { '/index.html': 'front' })
  await edge.publish('hello', {
    '/index.html': 'front',
    '/_redirects': lines(500, (at) => `/${at}${'/é'.repeat(600)}/:x /t 301!`),
  })
  const light = { host: 'light.masthead.localhost' }
  await edge.ask('/', light)
  const answered: string[] = []
  const heavy = edge.ask('/').then(() => answered.push('hello'))
  while (edge.calls.manifest < 2) await setImmediate()
  await edge.ask('/', light)
  answered.push('light')
  await heavy
  assert.deepEqual(answered, ['light', 'hello'])
  const last = await edge.ask(`/499${'/%C3%A9'.repeat(600)}/x`)
  assert.deepEqual([last.status, last.headers.location], [301, '/t'])
})
