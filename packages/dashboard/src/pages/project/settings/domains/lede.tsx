import type { Project } from '@masthead/contract/schemas/project.ts'

interface DomainsLedeProps {
  project: Project
  own: string
  /** Whether the plan has domains of one's own. */
  included: boolean
  mayChange: boolean
}

export function DomainsLede({ project, own, included, mayChange }: DomainsLedeProps) {
  return (
    <>
      This project is always at{' '}
      <a href={project.url} target="_blank" rel="noopener noreferrer" className="link font-mono text-small">
        {own}
      </a>
      .{included && mayChange && ' Add a domain of your own and we look after its certificate.'}
      {!mayChange && ' You see its domains as a viewer; an owner or a developer adds and changes them.'}
    </>
  )
}
