import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MutatedInputs } from '@masthead/testing/mutated-inputs.ts'
import { browserRequests } from './browser-requests.test-kit.ts'
import { captureBlocks } from './captured-blocks.test-kit.ts'
import type { HpackDecoder } from './decoder.ts'
import { createDecoder, readTable, usedHeap } from './hpack.test-kit.ts'
import { HpackError } from './hpack-error.ts'

/** For other inputs: `HPACK_SEED=1 npm test -- mutated-blocks`. */
const seed = Number(process.env.HPACK_SEED ?? 20_261_116)
const limits = { tableSize: 4096, maxListSize: 1024, maxFields: 20 }

test(`a million mutated blocks end in fields or an HpackError, and leave nothing behind (seed ${seed})`, async () => {
  const real = await captureBlocks(browserRequests(60))
  const inputs = new MutatedInputs(real, seed)
  let decoders: HpackDecoder[] = []
  const outcomes = { fields: 0, tooLarge: 0, errors: 0 }
  let before = 0
  // Collecting the stack of an error takes longer than decoding ten blocks.
  Error.stackTraceLimit = 0
  for (let count = 0; count < 1_000_000; count++) {
    // Several, with full tables, that go on after an error, which no connection does: to reach stranger states.
    if (count % 1000 === 0) {
      decoders = Array.from({ length: 8 }, () => createDecoder(limits))
      for (const decoder of decoders) for (const block of real) decoder.decode(block)
    }
    if (count === 200_000) before = usedHeap()
    const decoder = decoders[inputs.integer(8)] as HpackDecoder
    try {
      const { fields, tooLarge } = decoder.decode(inputs.next())
      outcomes[tooLarge ? 'tooLarge' : 'fields']++
      let size = 0
      for (const field of fields) size += field.size
      if (size > limits.maxListSize || fields.length > limits.maxFields) assert.fail(`input ${count}`)
    } catch (error) {
      if (!(error instanceof HpackError)) throw new Error(`input ${count}`, { cause: error })
      outcomes.errors++
    }
    if (count % 1000 === 999) for (const one of decoders) assert.ok(readTable(one).size <= limits.tableSize)
  }
  const grown = usedHeap() - before
  assert.ok(grown < 2 ** 20, `the heap has grown by ${grown} bytes`)
  for (const [outcome, times] of Object.entries(outcomes)) assert.ok(times > 50_000, `${times} ${outcome}`)
})
