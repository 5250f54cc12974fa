import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Body } from '../assets/body.ts'
import { type Reply, withoutBody } from '../assets/reply.ts'
import { hintsIn } from './early-hints.ts'
import { flags, frameTypes, settingIds } from './frames/protocol.ts'
import {
  type Fields,
  fileReply,
  get,
  headers,
  memoryBody,
  startWire,
  type WireClient,
} from './wire.test-kit.ts'

const style = '</style.css>; rel=preload; as=style'
const html = ['Content-Type', 'text/html; charset=utf-8']
const navigation: Fields = [['sec-fetch-mode', 'navigate']]

describe('what is hinted', () => {
  for (const [what, link, expected] of [
    ['a preload', style, style],
    ['a module', '</a.mjs>; rel=modulepreload', '</a.mjs>; rel=modulepreload'],
    ['a connection', '<https://cdn.example>; rel="preconnect"', '<https://cdn.example>; rel="preconnect"'],
    ['one of several relations', '</a>; rel="next PRELOAD"; as=style', '</a>; rel="next PRELOAD"; as=style'],
    ['nothing else', '</b>; rel=next, </c>; rel="canonical", </d>', null],
    ['what is among others', `</b>; rel=next, ${style}, </c>; rel=prefetch`, style],
    [
      'a target with commas',
      '</a,b>; rel=preload , </c>; rel=preload',
      '</a,b>; rel=preload, </c>; rel=preload',
    ],
    ['a quoted comma', '</a>; title="x, <y>"; rel=preload', '</a>; title="x, <y>"; rel=preload'],
    ['no relation in a quoted text', '</a>; title="; rel=preload"; rel=next', null],
    ['no relation in a target', '</a;rel=preload>; rel=next', null],
    ['what comes before a mistake', `${style}, </a>; rel="preload`, style],
    ['nothing of a mistake', '/a; rel=preload, <<>; rel=preload', null],
    ['twenty links', Array(30).fill(style).join(', '), Array(20).fill(style).join(', ')],
    ['up to 4 KiB', `${style}, </${'x'.repeat(4_100)}>; rel=preload`, style],
    ['nothing past 4 KiB', `</${'x'.repeat(4_100)}>; rel=preload`, null],
  ] as const) {
    test(what, () => {
      assert.deepEqual(hintsIn([...html, 'link', link]), expected === null ? null : ['Link', expected])
    })
  }

  test('with the policies of the page, unless they leave no room', () => {
    const policies = ['Content-Security-Policy', "style-src 'self'", 'Referrer-Policy', 'no-referrer']
    assert.deepEqual(hintsIn([...html, 'X-A', '1', ...policies, 'Link', style]), ['Link', style, ...policies])
    assert.equal(hintsIn([...html, 'Content-Security-Policy', 'x'.repeat(4_090), 'Link', style]), null)
  })

  test('for no file but pages, and for none that is private', () => {
    for (const headers of [
      ['Content-Type', 'text/css'],
      [],
      [...html, 'Cache-Control', 'private, max-age=0'],
      [...html, 'cache-control', 'No-Store'],
    ]) {
      assert.equal(hintsIn([...headers, 'Link', style]), null, headers.join(' '))
    }
  })

  test('whatever the bytes, in one look', () => {
    for (const part of ['<', '<a>;', '<a>"', '<a>;rel=preload;"\\', '<a>;rel="', '</a>, ', ';rel=', ' ,']) {
      hintsIn([...html, 'Link', part.repeat(20_000)])
    }
  })
})

describe('103 Early Hints', () => {
  const page: Reply = { ...fileReply(4), headers: [...html, 'Link', style] }

  async function heads(client: WireClient, stream: number): Promise<string[]> {
    await client.next((one) => one.stream === stream && (one.flags & flags.endStream) !== 0)
    return client.frames
      .filter((one) => one.type === frameTypes.headers && one.stream === stream)
      .map((one) => {
        assert.ok(one.flags & flags.endHeaders)
        const { ':status': status, link } = client.fieldsOf(one)
        return `${status} ${link ?? '-'}`
      })
  }

  test('come before the page, for navigations only', async () => {
    await using wire = await startWire({
      answer: ({ target }) => (target === '/missing' ? { ...page, status: 404 } : page),
      openBody: () => memoryBody(Buffer.from('page')),
    })
    const client = await wire.connect()
    const both = [`103 ${style}`, `200 ${style}`]
    const only = [`200 ${style}`]
    let id = 1
    for (const [path, fields, expected] of [
      ['/', navigation, both],
      ['/', [...navigation, ['sec-fetch-dest', 'document']], both],
      ['/', [...navigation, ['sec-fetch-dest', 'iframe']], only],
      ['/', [['sec-fetch-mode', 'no-cors']], only],
      ['/', [...navigation, ...navigation], only],
      ['/', [], only],
      ['/missing', navigation, [`404 ${style}`]],
      ['/', navigation, both],
    ] as [string, Fields, string[]][]) {
      client.send(get(id, path, fields))
      assert.deepEqual(await heads(client, id), expected, `${path} ${fields}`)
      id += 2
    }
  })

  test('do not wait for the content', async () => {
    const opened = Promise.withResolvers<Body>()
    await using wire = await startWire({ answer: async () => page, openBody: () => opened.promise })
    const client = await wire.connect()
    client.send(get(1, '/', navigation))
    const hints = await client.next((one) => one.stream === 1)
    assert.deepEqual(client.fieldsOf(hints), { ':status': '103', link: style })
    assert.equal(hints.flags, flags.endHeaders)
    opened.resolve(memoryBody(Buffer.from('page')))
    assert.deepEqual(await heads(client, 1), [`103 ${style}`, `200 ${style}`])
  })

  test('are not sent for HEAD, for a page that the browser has, nor after the client has left', async () => {
    const answers = Promise.withResolvers<Reply>()
    await using wire = await startWire({
      answer: ({ method, target }) =>
        target === '/slow'
          ? answers.promise
          : method === 'HEAD'
            ? withoutBody(page)
            : { ...withoutBody(page), status: 304 },
    })
    const client = await wire.connect()
    const head: Fields = [
      [':method', 'HEAD'],
      [':scheme', 'https'],
      [':path', '/'],
      [':authority', 'site.example'],
      ...navigation,
    ]
    client.send(headers(1, { fields: head }), get(3, '/', navigation))
    assert.deepEqual(await heads(client, 1), [`200 ${style}`])
    assert.deepEqual(await heads(client, 3), [`304 ${style}`])
    client.send(get(5, '/slow', navigation))
    client.send(Buffer.from([0, 0, 4, frameTypes.rstStream, 0, 0, 0, 0, 5, 0, 0, 0, 8]))
    answers.resolve(page)
    client.send(get(7, '/', navigation))
    assert.deepEqual(await heads(client, 7), [`304 ${style}`])
    assert.ok(!client.frames.some(({ stream }) => stream === 5))
  })

  test('are the first block after a client made its table smaller, with closed windows too', async () => {
    await using wire = await startWire({
      answer: () => page,
      openBody: () => memoryBody(Buffer.from('page')),
    })
    const client = await wire.connect([settingIds.headerTableSize, 0], [settingIds.initialWindowSize, 0])
    client.send(get(1, '/', navigation))
    const hints = await client.next((one) => one.stream === 1)
    assert.equal(hints.payload[0], 0x20)
    const final = await client.next((one) => one.stream === 1)
    assert.equal(client.fieldsOf(final)[':status'], '200')
  })
})
