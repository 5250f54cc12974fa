import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../../../../../api/use-client.ts'
import { domainConfigKey } from '../../../../../data/domains.ts'
import { problemWords } from '../../../../../problem-words.ts'
import { useToast } from '../../../../../ui/notices.tsx'
import type { ShownName } from '../project-names.tsx'
import { ConfigConflictError, configDifference, replaceConfig, type Save } from './config.ts'

/** Saves the configuration and offers Undo. Changes are saved in order. */
export function useSaveConfig(slug: string, shown: ShownName) {
  const client = useClient()
  const queries = useQueryClient()
  const say = useToast()
  const params = { project: slug }

  async function save(change: Save): Promise<void> {
    try {
      queries.setQueryData(domainConfigKey(slug), await replaceConfig(client, params, change))
    } catch (error) {
      if (error instanceof ConfigConflictError) queries.setQueryData(domainConfigKey(slug), error.current)
      throw error
    }
  }

  async function undo({ seen, next }: Save): Promise<void> {
    try {
      await save({ seen: next, next: seen })
      say({ words: 'The change was undone.' })
    } catch (error) {
      say({ words: `Couldn't undo. ${problemWords(error).what}` })
    }
  }

  return useMutation({
    mutationFn: save,
    // One after the other: the second change of a quick person builds on the first.
    scope: { id: `domain configuration of ${slug}` },
    onSuccess: (_, change) => {
      const words = configDifference(change.seen, change.next, shown).join(' ')
      if (words !== '') say({ words, undo: { of: `domains of ${slug}`, run: () => void undo(change) } })
    },
  })
}
