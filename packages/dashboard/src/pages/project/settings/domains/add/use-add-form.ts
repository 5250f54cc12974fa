import type { Client } from '@masthead/client/client.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
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
import type { WwwPairWish } from './www-pair-choice.tsx'

interface AddFormInput {
  slug: string
  names: ProjectNames
  redirects: Redirect[]
  onAdded: (hostname: string) => void
}

const noWish = { of: '', wanted: false, reversed: false }
const nothingBesides = { twin: null, redirect: null }

/** What is typed, how it is understood, which twin goes with it, and what came of adding it. */
export function useAddForm({ slug, names, redirects, onAdded }: AddFormInput) {
  const [typed, setTyped] = useState('')
  const [empty, setEmpty] = useState(false)
  const [wishFor, setWishFor] = useState<WwwPairWish & { of: string }>(noWish)
  const [askedTwin, setAskedTwin] = useState<WwwPair | null>(null)
  const understood = useUnderstood(typed)
  const add = useAddNames(slug)
  const say = useToast()

  const attached = new Set(names.all)
  const check = understood?.check
  const known = check !== undefined && attached.has(check.hostname)
  const twin = check === undefined || known ? null : wwwPairOf(check, { attached, redirects })
  // A wish is about the name that it was made for, whatever is typed since.
  const wish = check !== undefined && wishFor.of === check.hostname ? wishFor : noWish
  const refusal = add.error === null ? null : addRefusal(add.error)

  function type(text: string) {
    setTyped(text)
    setEmpty(false)
    add.reset()
  }

  /** Whether everything was taken; what was not is told at the field. */
  async function submit(move: boolean): Promise<boolean> {
    if (add.isPending) return true
    if (typed.trim() === '') {
      setEmpty(true)
      return false
    }
    const wanted = wish.wanted ? twin : null
    const besides =
      check === undefined || wanted === null ? nothingBesides : withWwwPair(check, wanted, wish.reversed)
    setAskedTwin(wanted)
    try {
      const added = await add.mutateAsync({ hostname: typed, move, ...besides })
      setTyped('')
      setWishFor(noWish)
      if (added.trouble === null) say({ words: addedWords(added, move) })
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
    twin,
    wish,
    setWish: (next: WwwPairWish) => setWishFor({ ...next, of: check?.hostname ?? '' }),
    refusal,
    fault: empty
      ? 'Type the name of a domain, such as docs.acme.com.'
      : refusal && `${refusal.what} ${refusal.fix}`.trimEnd(),
    pending: add.isPending,
    added: add.data,
    askedTwin,
  }
}

function addedWords({ domain, twin }: AddedNames, moved: boolean): string {
  if (moved) return `${domain.unicode} is here now.`
  const names = twin === null ? `${domain.unicode} is` : `${domain.unicode} and ${twin.unicode} are`
  return `${names} added. DNS comes next.`
}

export interface NamesToAdd {
  /** As typed. */
  hostname: string
  /** Take it over from another project of the account. */
  move: boolean
  /** Its twin, where it is to be added with it. */
  twin: string | null
  redirect: { from: string; to: string } | null
}

export interface AddedNames {
  domain: Domain
  twin: Domain | null
  /** What could not be done once the first name was added. */
  trouble: { about: 'twin' | 'redirect'; error: unknown } | null
}

/** The first name is added or refused as a whole; what fails after it is told and takes nothing back. */
async function addNames(client: Client, project: string, wish: NamesToAdd): Promise<AddedNames> {
  const params = { project }
  const domain = await client.addDomain({ params, body: { hostname: wish.hostname, move: wish.move } })
  let twin: Domain | null = null
  try {
    if (wish.twin !== null) twin = await client.addDomain({ params, body: { hostname: wish.twin } })
  } catch (error) {
    return { domain, twin, trouble: { about: 'twin', error } }
  }
  try {
    if (wish.redirect !== null) {
      const { domains, etag } = await client.getDomainConfig({ params })
      const redirect = { ...wish.redirect, status: 301 } as const
      const body = { domains: withRedirect(domains, redirect) }
      await client.putDomainConfig({ params, body, ifMatch: etag })
    }
  } catch (error) {
    return { domain, twin, trouble: { about: 'redirect', error } }
  }
  return { domain, twin, trouble: null }
}

function useAddNames(slug: string) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (wish: NamesToAdd) => addNames(client, slug, wish),
    onSuccess: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: domainsKey(slug) }),
        queries.invalidateQueries({ queryKey: domainConfigKey(slug) }),
      ])
    },
  })
}
