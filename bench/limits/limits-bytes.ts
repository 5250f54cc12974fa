import {
  type Decide,
  fastifyInMemory,
  flexibleInMemory,
  flexibleUnionInMemory,
  mastheadInMemory,
} from './limiters.ts'

/** Run by memory.ts in a separate process with --expose-gc. Prints heap bytes per account. */
const accounts = 1_000_000

const makers: Record<string, () => Promise<{ decide: Decide; settle?: () => Promise<void> }>> = {
  masthead: async () => {
    const { decide, journal } = await mastheadInMemory()
    return { decide, settle: () => journal.flush() }
  },
  flexible: async () => ({ decide: flexibleInMemory() }),
  union: async () => ({ decide: flexibleUnionInMemory() }),
  fastify: async () => ({ decide: fastifyInMemory(accounts) }),
}

function heap(): number {
  for (let round = 0; round < 3; round++) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const make = makers[process.argv[2] ?? '']
if (make === undefined || globalThis.gc === undefined) {
  throw new Error(`node --expose-gc ${process.argv[1]} ${Object.keys(makers).join('|')}`)
}
const { decide, settle } = await make()
const before = heap()
for (let n = 0; n < accounts; n++) {
  // Like an id from a socket: a fresh string that nothing else references.
  const id = Buffer.from(`acc_${String(n).padStart(20, '0')}`).toString('latin1')
  await decide(id, 'key_1')
}
await settle?.()
const bytes = Math.round((heap() - before) / accounts)
// Used once more, so that it cannot have been collected before.
await decide('acc_last', 'key_1')
console.log(bytes)
process.exit(0)
