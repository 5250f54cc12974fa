import { certificateTroubleOf } from '@masthead/contract/domains/certificate-trouble.ts'
import { pendingChanges } from '@masthead/contract/domains/record-formats/instructions.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { midSentence, type Phrase } from './state-words.ts'

export interface Step {
  title: string
  at: 'done' | 'now' | 'stopped' | 'ahead'
  words: Phrase[]
}

/** The steps of a domain: DNS record, certificate, live. */
export function steps(domain: Domain): [Step, Step, Step] {
  return [
    { title: 'DNS record', ...dnsStep(domain) },
    { title: 'Certificate', ...certificateStep(domain) },
    { title: 'Live', ...liveStep(domain) },
  ]
}

type Progress = Pick<Step, 'at' | 'words'>

function dnsStep({ state, lastCheck, verifiedAt, records }: Domain): Progress {
  if (state === 'verified' || state === 'live') {
    return { at: 'done', words: verifiedAt === null ? ['found'] : ['found ', { ago: verifiedAt }] }
  }
  if (lastCheck?.outcome === 'right') return { at: 'done', words: ['found'] }
  const at = state === 'pending' || state === 'prepared' ? 'now' : 'stopped'
  if (lastCheck?.outcome === 'unclear')
    return { at, words: ["could not be checked; we'll retry automatically"] }
  const changes = pendingChanges(lastCheck, records).length
  if (changes === 0) return { at, words: ['set, but not on every nameserver yet'] }
  return { at, words: [changes === 1 ? '1 change to make' : `${changes} changes to make`] }
}

function certificateStep({ state, certificate, lastCheck }: Domain): Progress {
  const { status, issuer, lastError, nextAttemptAt } = certificate
  if (status === 'valid') {
    return { at: 'done', words: [issuer === null ? 'issued' : `by ${midSentence(issuer)}`] }
  }
  if (state === 'failed' && lastCheck?.outcome === 'right') return { at: 'stopped', words: ['refused'] }
  if (state !== 'verified' && state !== 'prepared')
    return { at: 'ahead', words: ['starts automatically, about a minute'] }
  const problem = certificateTroubleOf({ state, certificate, lastCheck })
  if (problem === 'refused' && lastError === null)
    return { at: 'stopped', words: ['a CAA record forbids it'] }
  if (lastError === null) return { at: 'now', words: ['in progress, about a minute'] }
  const at = problem === 'refused' ? 'stopped' : 'now'
  return {
    at,
    words: nextAttemptAt === null ? ['refused'] : ['next attempt ', { due: nextAttemptAt }],
  }
}

function liveStep({ state, certificate, liveAt }: Domain): Progress {
  if (state === 'live')
    return { at: 'done', words: liveAt === null ? ['served'] : ['since ', { ago: liveAt }] }
  if (state === 'drifted') return { at: 'now', words: ['still served with its current certificate'] }
  if (state === 'verified' && certificate.status === 'valid') {
    return { at: 'now', words: ['next is our test visit'] }
  }
  return { at: 'ahead', words: ['after our test visit'] }
}
