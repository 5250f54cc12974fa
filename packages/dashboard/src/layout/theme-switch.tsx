import { useId } from 'react'
import { chooseTheme, type Theme, themes, useTheme } from '../theme.ts'

const words: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' }

export function ThemeSwitch() {
  const shown = useTheme()
  const id = useId()
  return (
    <fieldset className="border-t border-hairline px-3 pt-2 pb-2.5">
      <legend className="float-left mb-1.5 w-full text-small text-soft">Theme</legend>
      <div className="clear-left grid grid-cols-3 overflow-hidden rounded-chip border border-edge text-center text-small">
        {themes.map((theme) => (
          <label
            key={theme}
            className="cursor-pointer border-edge py-1 not-first:border-l has-checked:bg-ink has-checked:text-paper has-focus-visible:outline-2 has-focus-visible:-outline-offset-2"
          >
            <input
              type="radio"
              name={id}
              value={theme}
              checked={theme === shown}
              onChange={() => chooseTheme(theme)}
              className="sr-only"
            />
            {words[theme]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
