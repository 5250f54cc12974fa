import { Checkbox } from '../../../../../ui/choices.tsx'
import type { WwwPair } from './www-pair.ts'

export interface WwwPairOptions {
  wanted: boolean
  /** The typed domain redirects to its www pair, not the other way round. */
  reversed: boolean
}

interface WwwPairChoiceProps {
  name: string
  wwwPair: WwwPair
  end: string
  pairChoice: WwwPairOptions
  onChange: (pairChoice: WwwPairOptions) => void
}

/** Offers to add the www pair, and which of the two redirects to the other. */
export function WwwPairChoice({ name, wwwPair, end, pairChoice, onChange }: WwwPairChoiceProps) {
  const { wanted, reversed } = pairChoice
  if (wwwPair.attached) {
    return (
      <Checkbox
        label={`Redirect it to ${end}`}
        hint={`${wwwPair.unicode} is already in this project.`}
        checked={wanted}
        onChange={({ target }) => onChange({ wanted: target.checked, reversed: true })}
      />
    )
  }
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <Checkbox
        label={
          reversed ? (
            <>
              Also add {wwwPair.unicode} and redirect {name} to it
            </>
          ) : (
            <>
              Also add {wwwPair.unicode} and redirect it to {name}
            </>
          )
        }
        checked={wanted}
        onChange={({ target }) => onChange({ wanted: target.checked, reversed })}
      />
      {wanted && (
        <button
          type="button"
          onClick={() => onChange({ wanted, reversed: !reversed })}
          className="link fade-in rounded-chip text-small text-soft hover:text-ink"
        >
          Swap direction
        </button>
      )}
    </div>
  )
}
