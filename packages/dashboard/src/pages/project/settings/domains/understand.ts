import type { Client } from '@masthead/client/client.ts'
import type { DomainCheck } from '@masthead/contract/schemas/domain.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { isProblem } from '../../../../api.ts'
import { useClient } from '../../../../layout/account-scope.tsx'
import { looksLikeAName } from './looks-like-a-name.ts'

export type UnderstoodText = { check: DomainCheck; refused?: never } | { check?: never; refused: string }

/** A pause in typing that is long enough to mean something. */
const pauseMs = 450

/** How the API understands what is typed, asked after a pause; nothing of it is saved. */
export function useUnderstood(typed: string) {
  const client = useClient()
  const text = typed.trim()
  const settled = useSettled(text)
  const asks = settled === text && looksLikeAName(text)
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

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
