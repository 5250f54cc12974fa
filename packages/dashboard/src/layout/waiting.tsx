/** A whole page that is not known yet: nothing, and after a moment a word. */
export function Waiting() {
  return (
    <div role="status" className="after-a-moment grid min-h-dvh place-items-center text-soft">
      Loading…
    </div>
  )
}
