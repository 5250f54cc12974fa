import type { EventKind } from '@masthead/contract/events.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { Select } from '../ui/field.tsx'
import { kindTitles } from './events.ts'

interface KindSelectProps {
  kinds: readonly EventKind[]
  value: EventKind | undefined
  onChoose: (kind: string) => void
}

export function KindSelect({ kinds, value, onChoose }: KindSelectProps) {
  return (
    <Select label="Type" value={value ?? ''} onChange={(event) => onChoose(event.target.value)}>
      <option value="">All activity</option>
      {kinds.map((kind) => (
        <option key={kind} value={kind}>
          {kindTitles[kind]}
        </option>
      ))}
    </Select>
  )
}

interface ProjectSelectProps {
  projects: readonly Project[]
  value: string | undefined
  onChoose: (slug: string) => void
}

export function ProjectSelect({ projects, value, onChoose }: ProjectSelectProps) {
  // The URL may name a project that is not loaded yet or was deleted.
  const others = value !== undefined && !projects.some(({ slug }) => slug === value) ? [value] : []
  return (
    <Select label="Project" value={value ?? ''} onChange={(event) => onChoose(event.target.value)}>
      <option value="">All projects</option>
      {[...others, ...projects.map(({ slug }) => slug)].map((slug) => (
        <option key={slug} value={slug}>
          {slug}
        </option>
      ))}
    </Select>
  )
}
