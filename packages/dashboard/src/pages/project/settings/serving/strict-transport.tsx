import { Checkbox } from '../../../../ui/checkbox.tsx'
import { Notice } from '../../../../ui/notice.tsx'

interface StrictTransportProps {
  stored: boolean
  value: boolean
  disabled: boolean
  onChange: (value: boolean) => void
}

/** Browsers remember it for a year, so that it is told before it is saved what cannot be taken back. */
export function StrictTransport({ stored, value, disabled, onChange }: StrictTransportProps) {
  return (
    <div className="flex flex-col gap-4">
      <Checkbox
        name="strictTransportSecurity"
        label="Tell browsers to come by HTTPS alone"
        hint="The header Strict-Transport-Security, for a year from each visit, on every domain of this project."
        checked={value}
        disabled={disabled}
        onChange={({ target }) => onChange(target.checked)}
      />
      {value && !stored && (
        <Notice tone="waiting" title="This cannot be taken back.">
          Whoever has visited once is not let in without a valid certificate for a year, even if you turn this
          off. Turn it on when all domains of this project are live.
        </Notice>
      )}
      {!value && stored && (
        <Notice tone="waiting" title="Earlier visitors keep to it.">
          Browsers that were told go on coming by HTTPS alone until a year after their last visit.
        </Notice>
      )}
    </div>
  )
}
