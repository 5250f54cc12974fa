// Before anything loads node:test.
import './tests-by-context.ts'

await import('./run-files.ts')
