import { type ComponentProps, type ReactNode, useId } from 'react'

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'id' | 'type' | 'className'> {
  label: ReactNode
  hint?: ReactNode
}

export function Checkbox({ label, hint, ...rest }: CheckboxProps) {
  const id = useId()
  return (
    <div className="flex gap-3">
      <input
        {...rest}
        id={id}
        type="checkbox"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-0.75 size-4 shrink-0 accent-ink"
      />
      <div className="min-w-0">
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-small text-soft">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

export interface RadioOption<T extends string> {
  value: T
  label: ReactNode
  hint?: ReactNode
}

interface RadioGroupProps<T extends string> {
  name: string
  legend: string
  choices: readonly RadioOption<T>[]
  value: T
  disabled?: boolean
  onChoose: (value: T) => void
}

export function RadioGroup<T extends string>(props: RadioGroupProps<T>) {
  const { name, legend, choices, value, disabled = false, onChoose } = props
  const id = useId()
  return (
    <fieldset disabled={disabled}>
      <legend className="sr-only">{legend}</legend>
      <div className="divide-y divide-hairline rounded-sheet border border-hairline bg-sheet">
        {choices.map((choice) => (
          <label
            key={choice.value}
            htmlFor={`${id}-${choice.value}`}
            className="flex gap-3 px-4 py-3.5 not-has-disabled:cursor-pointer"
          >
            <input
              id={`${id}-${choice.value}`}
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onChoose(choice.value)}
              aria-describedby={choice.hint === undefined ? undefined : `${id}-${choice.value}-hint`}
              aria-labelledby={`${id}-${choice.value}-label`}
              className="mt-0.75 size-4 shrink-0 accent-ink"
            />
            <span className="min-w-0">
              <span id={`${id}-${choice.value}-label`} className="font-medium">
                {choice.label}
              </span>
              {choice.hint !== undefined && (
                <span id={`${id}-${choice.value}-hint`} className="mt-1 block text-small text-soft">
                  {choice.hint}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
