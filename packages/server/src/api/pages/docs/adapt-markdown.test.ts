import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adaptMarkdown } from './adapt-markdown.ts'

const around = {
  server: 'https://pages.acme.dev',
  packages: {
    masthead: 'https://pages.acme.dev/cli/masthead-2.0.0-00000000.tgz',
    'masthead-client': 'https://pages.acme.dev/packages/masthead-client-2.0.0-11111111.tgz',
  },
  titles: new Map([['limits.md', 'Limits']]),
}
const adapt = (markdown: string) => adaptMarkdown(markdown, around)

test('commands have the address of this server, and run its command line', () => {
  assert.equal(
    adapt('```sh\ncurl http://localhost:8080/v1/keys\nnpx masthead deploy ./dist\n```\n'),
    `\`\`\`sh\ncurl https://pages.acme.dev/v1/keys\nnpx ${around.packages.masthead} deploy ./dist\n\`\`\`\n`,
  )
  assert.equal(
    adapt(
      '`npx https://masthead.example/cli/masthead-0.1.0-3f9a2c1b.tgz deploy`, `https://masthead.example`.',
    ),
    `\`npx ${around.packages.masthead} deploy\`, \`https://pages.acme.dev\`.`,
  )
})

test('text about other addresses is left alone', () => {
  for (const text of [
    'The default is `http://localhost:8080`.',
    '```yaml\nurl: http://localhost:8080\n```\n',
    'https://masthead.example.net and https://masthead.examples',
    'npx masthead-server doctor',
    '```sh\nnpx masthead-server doctor\n```',
  ])
    assert.equal(adapt(text), text)
})

test('links lead to guides that are served, by their titles, and other files are only named', () => {
  assert.equal(adapt('see [limits.md](limits.md#storage)'), 'see [Limits](limits.md#storage)')
  assert.equal(adapt('[docs/limits.md](limits.md)'), '[Limits](limits.md)')
  assert.equal(adapt('its [`plan`](limits.md)'), 'its [`plan`](limits.md)')
  assert.equal(adapt('([decision 4](decisions/0004-x.md))'), '(decision 4)')
  assert.equal(adapt('a [unit](../deploy/x.service)'), 'a unit (`deploy/x.service`)')
  for (const kept of ['[x](#here)', '[x](https://a.example/b.md)', '[x](/docs/cli)', '![x](screens/a.png)'])
    assert.equal(adapt(kept), kept)
})

test('what only looks like a link in a block is code', () => {
  const block = '```js\nlist[0](gone.md)\n```'
  assert.equal(adapt(block), block)
})
