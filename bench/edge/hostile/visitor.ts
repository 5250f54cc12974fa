import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { visitOverHttps } from '../../https-visits.ts'

/**
 * A process of its own that visits a site at a fixed pace: over one connection, or each time over a new one with TLS.
 * Reads a number of seconds per line, and answers each with a line: the milliseconds of every visit.
 */
const [how = '', port, host = '', everyMs] = process.argv.slice(2)
const visit = how === 'new' ? visitAnew : await visitOverOne()

async function visitOverOne(): Promise<() => Promise<{ status: number }>> {
  const connection = await OpenConnection.to(Number(port))
  return () => connection.ask(host)
}

function visitAnew(): Promise<{ status: number }> {
  return visitOverHttps(Number(port), host, '', { rejectUnauthorized: false })
}

async function visitFor(seconds: number): Promise<number[]> {
  const waits: number[] = []
  const end = performance.now() + seconds * 1000
  for (let due = performance.now(); due < end; due += Number(everyMs)) {
    const early = due - performance.now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    const before = performance.now()
    const { status } = await visit()
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
process.exit()
