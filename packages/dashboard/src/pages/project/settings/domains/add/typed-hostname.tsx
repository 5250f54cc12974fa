import type { Client } from '@masthead/client/client.ts'
import type { DomainCheck, Finding } from '@masthead/contract/schemas/domain.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { isProblem } from '../../../../../api/client.ts'
import { useClient } from '../../../../../api/use-client.ts'
import { looksLikeHostname } from './www-pair.ts'

type UnderstoodText = { check: DomainCheck; refused?: never } | { check?: never; refused: string }

/** A pause in typing that is long enough to mean something. */
const pauseMs = 450

/** How the API understands what is typed, asked after a pause; nothing of it is saved. */
export function useUnderstood(typed: string) {
  const client = useClient()
  const text = typed.trim()
  const settled = useDebounced(text)
  const asks = settled === text && looksLikeHostname(text)
  const { data } = useQuery({
    queryKey: ['domain-check', settled],
    queryFn: ({ signal }) => understand(client, settled, signal),
    enabled: asks,
    // Every look asks nameservers: once for what is typed, not again whenever something of the account changes.
    staleTime: 'static',
    gcTime: 60_000,
  })
  return asks ? data : undefined
}

/** A name that cannot be one is an answer too; what else goes wrong is told when the name is added. */
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

/** Of all that a look finds, what is worth knowing before a domain is added: its records cannot be right yet. */
const worthKnowing: readonly Finding['code'][] = ['domain_not_registered', 'challenge_ahead', 'caa_blocks']

interface UnderstoodProps {
  text: UnderstoodText | undefined
  attached: boolean
}

/** What the typed name was understood as, or why it cannot be one. */
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
            {check.kind === 'apex' ? ', an apex: the domain itself.' : ', a subdomain.'}
            {check.provider !== null && ` Its DNS is at ${check.provider}.`}
            {attached && ' This project has it already.'}
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
