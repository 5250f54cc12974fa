/** What a command that is shown ends with, so that it is about the project that was given with `--project`. */
export function sameProject(given: unknown): string {
  return typeof given === 'string' ? ` --project ${given}` : ''
}
