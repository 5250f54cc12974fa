import { useState } from 'react'
import { useToast } from '../../../../ui/toasts.tsx'
import { type AddedNames, useAddNames } from './add-names.ts'
import { addRefusal } from './add-refusal.ts'
import type { Redirect } from './config-change.ts'
import type { ProjectNames } from './project-names.ts'
import { type Twin, twinOf, withTwin } from './twin.ts'
import type { TwinWish } from './twin-choice.tsx'
import { useUnderstood } from './understand.ts'

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
  const [wishFor, setWishFor] = useState<TwinWish & { of: string }>(noWish)
  const [askedTwin, setAskedTwin] = useState<Twin | null>(null)
  const understood = useUnderstood(typed)
  const add = useAddNames(slug)
  const say = useToast()

  const attached = new Set(names.all)
  const check = understood?.check
  const known = check !== undefined && attached.has(check.hostname)
  const twin = check === undefined || known ? null : twinOf(check, { attached, redirects })
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
      check === undefined || wanted === null ? nothingBesides : withTwin(check, wanted, wish.reversed)
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
    setWish: (next: TwinWish) => setWishFor({ ...next, of: check?.hostname ?? '' }),
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
