import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'

/**
 * A separate process that visits a site at a fixed pace over one connection. Reads a number of seconds per line, and
 * answers each with a line: the milliseconds of every visit.
 */
const [port, host = '', every] = process.argv.slice(2)
using connection = await OpenConnection.to(Number(port))

async function visitFor(seconds: number): Promise<number[]> {
  const waits: number[] = []
  const end = performance.now() + seconds * 1000
  for (let due = performance.now(); due < end; due += Number(every)) {
    const early = due - performance.now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    const before = performance.now()
    const { status } = await connection.ask(host)
    if (status !== 200) throw new Error(`A visitor got ${status}`)
    waits.push(performance.now() - before)
  }
  return waits
}

// Warm-up: compilation is not what is measured.
await visitFor(1)
for await (const chunk of process.stdin) {
  process.stdout.write(`${JSON.stringify(await visitFor(Number(chunk)))}\n`)
}
