import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { ErrorCode } from './frames/protocol.ts'
import { startWire, type WireClient, type WireOptions } from './wire.test-kit.ts'

/** What a client sees after it sent something that the RFC has a rule for. */
export interface RuleCase {
  send: (client: WireClient) => Buffer[]
  /** The connection ends with this code. */
  connectionError?: ErrorCode
  /** Stream 1 is reset with this code, and the connection goes on. */
  streamError?: ErrorCode
  /** If neither: nothing happens, and the connection goes on. */
  options?: WireOptions
}

/** A free stream that no case uses. */
export const healthyStream = 1001

/** Each rule is tried on a connection of its own, once in one piece and once byte by byte. */
export function testRules(rules: Record<string, RuleCase>): void {
  for (const [name, rule] of Object.entries(rules)) {
    for (const cut of ['at once', 'byte by byte']) {
      test(`${name} (${cut})`, async () => {
        await using wire = await startWire(rule.options)
        const client = await wire.connect()
        const bytes = Buffer.concat(rule.send(client))
        if (cut === 'at once') client.send(bytes)
        else await sendByteByByte(client, bytes)
        if (rule.connectionError !== undefined) assert.equal(await client.goAway(), rule.connectionError)
        else {
          if (rule.streamError !== undefined) assert.equal(await client.reset(1), rule.streamError)
          await client.isHealthy(healthyStream)
        }
        assert.deepEqual(wire.logged, [])
      })
    }
  }
}

const mostPieces = 400

/** In turns of its own, or the server would read them together. */
async function sendByteByByte(client: WireClient, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length && at < mostPieces; at++) {
    client.send(bytes.subarray(at, at + 1))
    await setImmediate()
  }
  client.send(bytes.subarray(mostPieces))
}
