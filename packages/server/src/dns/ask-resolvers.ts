import { type AskOptions, type ask, questionDeadline } from './ask.ts'
import { type DnsAnswer, type DnsQuestion, isDefinite } from './dns-answer.ts'
import { DnsFault } from './dns-fault.ts'
import type { DnsServer } from './exchange.ts'

export type Ask = typeof ask

/** As many as the resolver of a system asks. */
export const mostResolvers = 3

/** Asks one after the other within the deadline, until one knows. Throws a DnsFault where none says anything. */
export async function askResolvers(
  ask: Ask,
  resolvers: readonly DnsServer[],
  question: DnsQuestion,
  options: AskOptions,
): Promise<DnsAnswer> {
  const asked = resolvers.slice(0, mostResolvers)
  const deadlineMs = (options.deadlineMs ?? questionDeadline) / asked.length
  let refusal: DnsAnswer | undefined
  let fault = new DnsFault('unreachable', 'There is no resolver to ask')
  for (const resolver of asked) {
    try {
      const answer = await ask(resolver, question, { ...options, recursive: true, deadlineMs })
      if (isDefinite(answer)) return answer
      refusal ??= answer
    } catch (error) {
      if (!(error instanceof DnsFault)) throw error
      fault = error
    }
  }
  if (refusal === undefined) throw fault
  return refusal
}
