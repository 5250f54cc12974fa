/** Stands where rows will be, at their height, once the wait is long enough to be noticed. */
export function SkeletonRows({ rows }: { rows: number }) {
  return (
    <div
      role="status"
      aria-label="Loading"
      className="after-a-moment divide-y divide-hairline border-t border-ink"
    >
      {Array.from({ length: rows }, (_, row) => (
        <div key={`row-${row + 1}`} className="flex flex-col gap-3 py-5">
          <div className="h-4 w-40 rounded-chip bg-wash" />
          <div className="h-3 w-64 max-w-full rounded-chip bg-wash" />
        </div>
      ))}
    </div>
  )
}
