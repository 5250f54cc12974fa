import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configDifference, type Domains } from './apply-config.ts'

const current: Domains = {
  primary: 'www.xn--bcher-kva.example',
  redirects: [
    { from: 'acme.com', to: 'www.acme.com', status: 301 },
    { from: 'old.acme.com', to: 'www.acme.com', status: 302 },
  ],
}

test('the same names, however they are written and ordered, are no difference', () => {
  const wanted: Domains = {
    primary: 'WWW.Bücher.example.',
    redirects: [
      { from: 'https://old.acme.com/', to: 'www.acme.com', status: 302 },
      { from: 'ACME.com', to: 'www.acme.com.', status: 301 },
    ],
  }
  assert.deepEqual(configDifference(current, wanted), [])
})

test('what is added, removed and changed stands in the signs', () => {
  const wanted: Domains = {
    primary: 'www.acme.com',
    redirects: [
      { from: 'acme.com', to: 'www.acme.com', status: 308 },
      { from: 'new.acme.com', to: 'www.acme.com', status: 301 },
    ],
  }
  assert.deepEqual(
    configDifference(current, wanted).map(({ sign, what, text }) => `${sign} ${what} ${text}`),
    [
      '- primary www.xn--bcher-kva.example',
      '+ primary www.acme.com',
      '- redirect acme.com → www.acme.com (301)',
      '+ redirect acme.com → www.acme.com (308)',
      '- redirect old.acme.com → www.acme.com (302)',
      '+ redirect new.acme.com → www.acme.com (301)',
    ],
  )
})

test('a name that redirects twice is a difference, so that the server can refuse it', () => {
  const twice = { ...current, redirects: [...current.redirects, ...current.redirects.slice(0, 1)] }
  assert.equal(configDifference(current, twice).length, 3)
})
