import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../../../../api.ts'
import { domainConfigKey } from '../../../../data/domains.ts'
import { problemWords } from '../../../../problem-words.ts'
import { useToast } from '../../../../ui/toasts.tsx'
import { type Config, configDifference, sameConfig } from './config-change.ts'
import type { ShownName } from './shown-name.ts'

/** Somebody else was first: nothing was saved, and what they made of it is shown. */
export class ConfigMoved extends Error {
  override readonly name = 'ConfigMoved'

  constructor() {
    super('Somebody changed this meanwhile, and nothing was saved. What is shown now is how it is.')
  }
}

interface Save {
  /** What the person saw when they decided. */
  seen: Config
  next: Config
}

/** Replaces the configuration as a whole, unless it is no longer the one that was seen. */
export function useSaveConfig(slug: string, shown: ShownName) {
  const queries = useQueryClient()
  const say = useToast()
  const params = { project: slug }

  async function save({ seen, next }: Save): Promise<void> {
    const current = await client.getDomainConfig({ params })
    if (!sameConfig(current.domains, seen)) {
      queries.setQueryData(domainConfigKey(slug), current)
      throw new ConfigMoved()
    }
    const saved = await client.putDomainConfig({ params, body: { domains: next } })
    queries.setQueryData(domainConfigKey(slug), saved)
  }

  async function undo({ seen, next }: Save): Promise<void> {
    try {
      await save({ seen: next, next: seen })
      say({ words: 'It is as it was before.' })
    } catch (error) {
      say({ words: `It was not undone. ${problemWords(error).what}` })
    }
  }

  return useMutation({
    mutationFn: save,
    onSuccess: (_, change) => {
      const words = configDifference(change.seen, change.next, shown).join(' ')
      if (words !== '') say({ words, action: { label: 'Undo', run: () => void undo(change) } })
    },
  })
}
