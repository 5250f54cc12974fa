import type { Client } from '@masthead/client/client.ts'
import type { DomainCheck, Finding } from '@masthead/contract/schemas/domains/dns-check.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { isProblem } from '../../../../../api/client.ts'
import { useClient } from '../../../../../api/use-client.ts'
import { looksLikeHostname } from './www-pair.ts'

type UnderstoodText = { check: DomainCheck; refused?: never } | { check?: never; refused: string }

const pauseMs = 450

/** How the API understands the typed text, checked after a pause. Nothing is saved. */
export function useUnderstood(typed: string) {
  const client = useClient()
  const text = typed.trim()
  const settled = useDebounced(text)
  const asks = settled === text && looksLikeHostname(text)
  const { data } = useQuery({
    queryKey: ['domain-check', settled],
    queryFn: ({ signal }) => understand(client, settled, signal),
    enabled: asks,
    // Each check queries nameservers, so don't repeat it whenever the account changes.
    staleTime: 'static',
    gcTime: 60_000,
  })
  return asks ? data : undefined
}

/** An invalid hostname is a result too. Other errors show up when the domain is added. */
async function understand(client: Client, hostname: string, signal: AbortSignal): Promise<UnderstoodText> {
  try {
    return { check: await client.checkDomain({ body: { hostname }, signal }) }
  } catch (error) {
    if (isProblem(error, 'hostname_invalid')) return { refused: error.detail }
    throw error
  }
}

function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/** The findings worth showing before a domain is added, when its records cannot be correct yet. */
const worthKnowing: readonly Finding['code'][] = ['domain_not_registered', 'challenge_ahead', 'caa_blocks']

const kindWords: Record<DomainCheck['kind'], string> = {
  apex: ', an apex domain.',
  subdomain: ', a subdomain.',
  wildcard: ', a wildcard: every name one label below it that is not a domain of its own.',
}

interface UnderstoodProps {
  text: UnderstoodText | undefined
  attached: boolean
}

export function Understood({ text, attached }: UnderstoodProps) {
  const check = text?.check
  return (
    <div role="status" className="text-small text-soft not-empty:mt-2">
      {text?.refused !== undefined && <p className="fade-in wrap-anywhere">{text.refused}</p>}
      {check !== undefined && (
        <>
          <p className="fade-in wrap-anywhere">
            <strong className="font-medium text-ink">{check.unicode}</strong>
            {check.unicode !== check.hostname && (
              <>
                , in DNS <code className="font-mono">{check.hostname}</code>
              </>
            )}
            {kindWords[check.kind]}
            {check.provider !== null && ` Its DNS is at ${check.provider}.`}
            {attached && ' It is already in this project.'}
          </p>
          {check.findings
            .filter(({ code }) => worthKnowing.includes(code))
            .map(({ code, message }) => (
              <p key={code} className="fade-in mt-1 wrap-anywhere">
                {message}
              </p>
            ))}
        </>
      )}
    </div>
  )
}
