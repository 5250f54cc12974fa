/** Says in place that a form was saved; there from the start, so that screen readers hear the change. */
export function Saved({ shown }: { shown: boolean }) {
  return (
    <span role="status" className="mr-2 self-center text-small text-live">
      {shown && <span className="fade-in">Saved</span>}
    </span>
  )
}
