import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'
import { useNavigate } from 'react-router'
import { useDomains } from '../../../../data/domains.ts'
import { useProject } from '../../../../layout/project-frame.tsx'
import { paths } from '../../../../paths.ts'
import { problemWords } from '../../../../problem-words.ts'
import { useToast } from '../../../../ui/toasts.tsx'
import { useRemoval } from './removal.ts'
import { RemoveDialog } from './remove-dialog.tsx'
import { shownNames } from './shown-name.ts'

interface RemoveFromPageProps {
  domain: Domain
  config: DomainConfig | undefined
  onClose: () => void
}

/** Removes the domain whose page this is: one is led back to the others at once, where it is gone. */
export function RemoveFromPage({ domain, config, onClose }: RemoveFromPageProps) {
  const project = useProject()
  const navigate = useNavigate()
  const say = useToast()
  const removal = useRemoval(project.slug)
  const { data: domains = [domain] } = useDomains(project.slug)

  function remove() {
    navigate(paths.domains(project.slug))
    removal.mutateAsync(domain).catch((error) => {
      say({ words: `${domain.unicode} was not removed. ${problemWords(error).what}` })
    })
  }

  return (
    <RemoveDialog
      domain={domain}
      project={project}
      config={config?.domains}
      shown={shownNames(domains)}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
