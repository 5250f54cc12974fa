import { useSearchParams } from 'react-router'

/** What is filtered by stands in the address, so that it survives a reload and can be passed on. */
export function useAddressFilter() {
  const [search, setSearch] = useSearchParams()

  /** An empty value takes the filter away. */
  function choose(name: string, value: string) {
    setSearch(
      (before) => {
        const after = new URLSearchParams(before)
        if (value === '') after.delete(name)
        else after.set(name, value)
        return after
      },
      // Going back leads to the page before, not through every choice.
      { replace: true },
    )
  }

  return { chosen: (name: string) => search.get(name), choose, clear: () => setSearch({}, { replace: true }) }
}
