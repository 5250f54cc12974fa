/** Long work in steps, shown to the operator. */
export interface ProgressReport {
  begin(step: ProgressStep): RunningStep
}

export interface ProgressStep {
  title: string
  /** What is counted: "rows", "files". */
  unit: string
  total: number
  bytes?: number
}

export interface RunningStep {
  advance(count: number, bytes?: number): void
  end(): void
}
