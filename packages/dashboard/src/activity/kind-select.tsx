import type { EventKind } from '@masthead/contract/events.ts'
import { Select } from '../ui/select.tsx'
import { kindTitles } from './kinds.ts'

interface KindSelectProps {
  kinds: readonly EventKind[]
  value: EventKind | undefined
  onChoose: (kind: string) => void
}

export function KindSelect({ kinds, value, onChoose }: KindSelectProps) {
  return (
    <Select label="About" value={value ?? ''} onChange={(event) => onChoose(event.target.value)}>
      <option value="">Everything</option>
      {kinds.map((kind) => (
        <option key={kind} value={kind}>
          {kindTitles[kind]}
        </option>
      ))}
    </Select>
  )
}
