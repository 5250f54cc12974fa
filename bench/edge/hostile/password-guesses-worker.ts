import { parentPort, workerData } from 'node:worker_threads'
import { addressOf, formOf, PlainClient } from '@masthead/testing/clients/site-password.ts'
import type { PasswordFloodOptions } from './password-guesses.ts'

const { port, site, addresses, connections } = workerData as PasswordFloodOptions
const counts: Record<string, number> = {}
let isOver = false
let next = 0

const client = new PlainClient(port, connections)
const form = formOf((await client.ask({ host: site })).body)

async function guessOn(): Promise<void> {
  while (!isOver) {
    const n = next++
    const outcome = await client
      .guess(site, form, `wrong ${n}`, addressOf(n % addresses))
      .catch(() => 'failed')
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
}

for (let n = 0; n < connections; n++) void guessOn()
parentPort?.postMessage('started')
parentPort?.once('message', () => {
  isOver = true
  parentPort?.postMessage(counts)
})
