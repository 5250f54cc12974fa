import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGuideList } from './guide-list.ts'

test('a line of the list is a guide, under its heading, and the part for contributors is left out', () => {
  const { frontPage, guides } = readGuideList(`# Guides
## Publish
| guide | what it explains |
|---|---|
| [The command line](cli.md) | every command |
## Run a server
| guide | what it explains |
|---|---|
| [Operations](operations.md) | \`npm start\` and more |

## Work on Masthead
| [Decisions](decisions/README.md) | why |
| [Dependencies](dependencies.md) | why |
`)
  assert.deepEqual(guides, [
    { file: 'cli.md', title: 'The command line', about: 'every command', section: 'Publish' },
    { file: 'operations.md', title: 'Operations', about: '`npm start` and more', section: 'Run a server' },
  ])
  assert.ok(frontPage.endsWith('and more |\n'))
})
