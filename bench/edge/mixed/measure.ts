import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import type { ComparedRow } from '../comparison.ts'
import { type Contender, type Contest, clientCore } from '../contenders.ts'
import { bestOfRounds } from '../rounds.ts'
import type { Protocol } from '../single-files.ts'
import type { MixedPlan, MixedResult } from './client.ts'
import { expectAnswers } from './compressed-forms.ts'
import type { ExpectedFile } from './visitor.ts'

export const visitors = 64

export interface MixedOptions {
  protocols: readonly Protocol[]
  rounds: number
  /** Of each visitor in a round. */
  requests: number
}

/** Requests per second of processor time under the mixed load. */
export async function measureMixedLoad(contest: Contest, options: MixedOptions): Promise<ComparedRow[]> {
  const { contenders, rootPem, mixedFiles } = contest
  const expected = new Map<Contender, ExpectedFile[]>()
  for (const contender of contenders)
    expected.set(contender, await expectAnswers(contender.httpPort, mixedFiles))
  const rows: ComparedRow[] = []
  for (const protocol of options.protocols) {
    const figures = await bestOfRounds(contenders, options.rounds, async (contender) => {
      return visit({
        protocol,
        port: protocol === 'plain HTTP/1.1' ? contender.httpPort : contender.httpsPort,
        rootPem,
        files: expected.get(contender) ?? [],
        visitors,
        requests: options.requests,
        pids: contender.pids,
      })
    })
    rows.push({ name: `${protocol}, mixed`, figures })
  }
  return rows
}

async function visit(plan: MixedPlan): Promise<MixedResult> {
  const program = fileURLToPath(new URL('client.ts', import.meta.url))
  const child = spawn('taskset', ['-c', String(clientCore), process.execPath, program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  killOnExit(child)
  const ended = once(child, 'close')
  child.stdin.end(JSON.stringify(plan))
  const output = await text(child.stdout)
  const [status] = await ended
  if (status !== 0) throw new Error(`The mixed load over ${plan.protocol} failed`)
  return JSON.parse(output) as MixedResult
}
