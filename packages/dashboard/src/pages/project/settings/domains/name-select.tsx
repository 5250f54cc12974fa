import { Select } from '../../../../ui/select.tsx'
import type { NameChoice } from './redirect-choices.ts'
import type { ShownName } from './shown-name.ts'

interface NameSelectProps {
  name?: string
  label: string
  labelHidden?: boolean
  choices: NameChoice[]
  chosen: string
  shown: ShownName
  onChoose: (name: string) => void
}

/** One of the project's names; those that cannot be meant say why. */
export function NameSelect({ choices, chosen, shown, onChoose, ...rest }: NameSelectProps) {
  const listed = choices.some(({ name }) => name === chosen)
  return (
    <Select {...rest} value={chosen} onChange={({ target }) => onChoose(target.value)}>
      {choices.map(({ name, not }) => (
        <option key={name} value={name} disabled={not !== null && name !== chosen}>
          {not === null || name === chosen ? shown(name) : `${shown(name)} (${not})`}
        </option>
      ))}
      {/* Its domain was removed meanwhile: it stays chosen, and the API says so. */}
      {!listed && <option value={chosen}>{shown(chosen)}</option>}
    </Select>
  )
}
