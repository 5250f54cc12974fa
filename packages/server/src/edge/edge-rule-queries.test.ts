import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'

const redirects = `
/st id=:id             /products/:id
/two a=1 b=:b          /pair/:b
/own id=:id            /products/:id?from=st
/plain                 /target
`

describe('rules with conditions on the query', () => {
  let edge: Awaited<ReturnType<typeof startEdge>>
  before(async () => {
    edge = await startEdge()
    await edge.publish('hello', { '/index.html': 'front', '/_redirects': redirects })
  })
  after(() => edge[Symbol.asyncDispose]())

  /** Bytes on a socket: clients would change some of them. */
  async function locationOf(target: string): Promise<string | undefined> {
    const host = 'Host: hello.masthead.localhost\r\nConnection: close'
    const answer = await edge.exchange(`GET ${target} HTTP/1.1\r\n${host}\r\n\r\n`)
    return /^Location: (.*)\r$/m.exec(answer)?.[1]
  }

  test('leave the other parameters as they were sent', async () => {
    for (const [target, expected] of [
      ['/st?id=5&k=a%20b&flag&sig=%ff~*', '/products/5?k=a%20b&flag&sig=%ff~*'],
      ["/st?k=a+b&id=5&x={|}^`'&y=100%", "/products/5?k=a+b&x={|}^`'&y=100%"],
      ['/st?%69d=5&a=%2f%2F;b', '/products/5?a=%2f%2F;b'],
      ['/st?a=1&&id=5&id=6&', '/products/5?a=1&&'],
      ['/st?id=5&?id=6', '/products/5??id=6'],
      ['/st?id=5', '/products/5'],
      ['/st?id=5&', '/products/5'],
      ['/two?c=3&b=x%20y&a=1&d', '/pair/x%20y?c=3&d'],
      ['/own?id=5&k=a%20b', '/products/5?from=st'],
      ['/plain?k=a%20b&flag&sig=%ff~*{', '/target?k=a%20b&flag&sig=%ff~*{'],
    ] as const) {
      assert.equal(await locationOf(target), expected, target)
    }
  })

  test('escape what a Location cannot have, byte by byte', async () => {
    assert.equal(
      await locationOf('/st?id=caf\xc3\xa9&k=\xc3\xa9&l=\xff'),
      '/products/caf%C3%A9?k=%C3%A9&l=%FF',
    )
    assert.equal(await locationOf('/st?id=5&k="<>'), '/products/5?k=%22%3C%3E')
    assert.equal(await locationOf('/plain?k=\xc3\xa9'), '/target?k=%C3%A9')
  })

  test('apply only if every parameter is there with its value', async () => {
    for (const target of ['/st', '/st?', '/st?ID=5', '/st?xid=5', '/two?a=2&b=1', '/two?a=1']) {
      assert.equal(await locationOf(target), undefined, target)
    }
  })
})
