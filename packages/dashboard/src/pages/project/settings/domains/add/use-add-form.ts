import type { Client } from '@masthead/client/client.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../../../../../api/use-client.ts'
import { domainConfigKey, domainsKey } from '../../../../../data/domains.ts'
import { useToast } from '../../../../../ui/notices.tsx'
import { type Redirect, withRedirect } from '../config/config.ts'
import type { ProjectNames } from '../project-names.tsx'
import { addRefusal } from './add-refusal.ts'
import { useUnderstood } from './typed-hostname.tsx'
import { type WwwPair, withWwwPair, wwwPairOf } from './www-pair.ts'
import type { WwwPairOptions } from './www-pair-choice.tsx'

interface AddFormInput {
  slug: string
  names: ProjectNames
  redirects: Redirect[]
  onAdded: (hostname: string) => void
}

const noPair = { of: '', wanted: false, reversed: false }
const nothingElse = { wwwPair: null, redirect: null }

export function useAddForm({ slug, names, redirects, onAdded }: AddFormInput) {
  const [typed, setTyped] = useState('')
  const [empty, setEmpty] = useState(false)
  const [storedChoice, setStoredChoice] = useState<WwwPairOptions & { of: string }>(noPair)
  const [requestedPair, setRequestedPair] = useState<WwwPair | null>(null)
  const understood = useUnderstood(typed)
  const add = useAddNames(slug)
  const say = useToast()

  const attached = new Set(names.all)
  const check = understood?.check
  const known = check !== undefined && attached.has(check.hostname)
  const wwwPair = check === undefined || known ? null : wwwPairOf(check, { attached, redirects })
  // A choice belongs to the domain it was made for, whatever is typed since.
  const pairChoice = check !== undefined && storedChoice.of === check.hostname ? storedChoice : noPair
  const refusal = add.error === null ? null : addRefusal(add.error)

  function type(text: string) {
    setTyped(text)
    setEmpty(false)
    add.reset()
  }

  /** Returns whether the domain was added. An error is shown at the field. */
  async function submit(move: boolean): Promise<boolean> {
    if (add.isPending) return true
    if (typed.trim() === '') {
      setEmpty(true)
      return false
    }
    const wanted = pairChoice.wanted ? wwwPair : null
    const extras =
      check === undefined || wanted === null ? nothingElse : withWwwPair(check, wanted, pairChoice.reversed)
    setRequestedPair(wanted)
    try {
      const added = await add.mutateAsync({ hostname: typed, move, ...extras })
      setTyped('')
      setStoredChoice(noPair)
      if (added.failure === null) say({ words: addedWords(added, move), of: added.domain.hostname })
      onAdded(added.domain.hostname)
      return true
    } catch {
      return false
    }
  }

  return {
    typed,
    type,
    submit,
    understood,
    check,
    known,
    wwwPair,
    pairChoice,
    setPairChoice: (next: WwwPairOptions) => setStoredChoice({ ...next, of: check?.hostname ?? '' }),
    refusal,
    fieldError: empty
      ? 'Enter a domain, such as docs.acme.com.'
      : refusal && `${refusal.what} ${refusal.fix}`.trimEnd(),
    pending: add.isPending,
    added: add.data,
    requestedPair,
  }
}

function addedWords({ domain, wwwPair }: AddedNames, moved: boolean): string {
  if (moved) return `${domain.unicode} was moved here.`
  const names = wwwPair === null ? `${domain.unicode} was` : `${domain.unicode} and ${wwwPair.unicode} were`
  return `${names} added. Next, set up DNS.`
}

export interface NamesToAdd {
  /** As typed. */
  hostname: string
  /** Move it from another project of the account. */
  move: boolean
  /** The www pair to add with it. */
  wwwPair: string | null
  redirect: { from: string; to: string } | null
}

export interface AddedNames {
  domain: Domain
  wwwPair: Domain | null
  /** What failed after the first domain was added. */
  failure: { about: 'wwwPair' | 'redirect'; error: unknown } | null
}

/** Throws if the first domain cannot be added. A later failure is returned and undoes nothing. */
async function addNames(client: Client, project: string, names: NamesToAdd): Promise<AddedNames> {
  const params = { project }
  const domain = await client.addDomain({
    params,
    body: { hostname: names.hostname, move: names.move },
  })
  let wwwPair: Domain | null = null
  try {
    if (names.wwwPair !== null)
      wwwPair = await client.addDomain({ params, body: { hostname: names.wwwPair } })
  } catch (error) {
    return { domain, wwwPair, failure: { about: 'wwwPair', error } }
  }
  try {
    if (names.redirect !== null) {
      const { domains, etag } = await client.getDomainConfig({ params })
      const redirect = { ...names.redirect, status: 301 } as const
      const body = { domains: withRedirect(domains, redirect) }
      await client.putDomainConfig({ params, body, ifMatch: etag })
    }
  } catch (error) {
    return { domain, wwwPair, failure: { about: 'redirect', error } }
  }
  return { domain, wwwPair, failure: null }
}

function useAddNames(slug: string) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (names: NamesToAdd) => addNames(client, slug, names),
    onSuccess: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: domainsKey(slug) }),
        queries.invalidateQueries({ queryKey: domainConfigKey(slug) }),
      ])
    },
  })
}
