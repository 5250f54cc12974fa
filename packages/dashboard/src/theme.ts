import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Also read by `public/theme.js`, before the first paint. */
const storageKey = 'masthead-theme'
const listeners = new Set<() => void>()

/** Stored in this browser and applied in every open tab. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, theme)
  show()
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, () => shown())
}

function shown(): Theme {
  return themes.find((theme) => theme === document.documentElement.dataset.theme) ?? 'system'
}

function show(): void {
  const chosen = localStorage.getItem(storageKey)
  const theme = themes.find((each) => each === chosen) ?? 'system'
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', show)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener('storage', show)
  }
}
