import { Checkbox } from '../../../../../ui/choices.tsx'
import type { WwwPair } from './www-pair.ts'

export interface WwwPairWish {
  wanted: boolean
  /** The typed name redirects to its twin, not the twin to it. */
  reversed: boolean
}

interface WwwPairChoiceProps {
  name: string
  twin: WwwPair
  end: string
  wish: WwwPairWish
  onChange: (wish: WwwPairWish) => void
}

/** Offers the other name that people type, and which of the two leads to the other. */
export function WwwPairChoice({ name, twin, end, wish, onChange }: WwwPairChoiceProps) {
  const { wanted, reversed } = wish
  if (twin.attached) {
    return (
      <Checkbox
        label={`Redirect it to ${end}`}
        hint={`${twin.unicode} is in this project already.`}
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
              Add {twin.unicode} too and redirect {name} to it
            </>
          ) : (
            <>
              Add {twin.unicode} too and redirect it to {name}
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
          The other way round
        </button>
      )}
    </div>
  )
}
