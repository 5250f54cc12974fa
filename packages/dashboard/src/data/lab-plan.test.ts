import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequiredDnsRecord } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { LabRecord } from '@masthead/contract/schemas/lab.ts'
import { labPlan } from './lab-plan.ts'

const fqdn = 'www.acme.localhost'
const proof = `_masthead-challenge.${fqdn}`

function wanted(purpose: RequiredDnsRecord['purpose'], more: Partial<RequiredDnsRecord> = {}): RequiredDnsRecord {
  const base = { name: 'www', fqdn, value: 'x.cname.masthead.localhost', ttl: 3600, alternatives: [] }
  return { ...base, purpose, type: 'CNAME', status: 'missing', observed: [], ...more }
}

function held(type: LabRecord['type'], name = fqdn, values = ['127.0.0.9']): LabRecord {
  return { name, type, values, ttl: 60 }
}

test('conflicting records are removed before the record is set', () => {
  assert.deepEqual(labPlan([wanted('routing')], [held('A'), held('AAAA'), held('ALIAS')]), {
    remove: ['A', 'AAAA', 'ALIAS'].map((type) => ({ name: fqdn, type })),
    set: [{ name: fqdn, type: 'CNAME', values: ['x.cname.masthead.localhost'] }],
  })
})

test('a record of the same type is replaced, those of other names and purposes stay', () => {
  const present = [held('CNAME'), held('TXT'), held('CAA'), held('A', 'acme.localhost')]
  assert.deepEqual(labPlan([wanted('routing')], present).remove, [])
})

test('an ownership record is added next to existing ones', () => {
  const record = wanted('ownership', { type: 'TXT', fqdn: proof, value: 'ours' })
  assert.deepEqual(labPlan([record], [held('TXT', proof, ['theirs', 'ours'])]), {
    remove: [],
    set: [{ name: proof, type: 'TXT', values: ['theirs', 'ours'] }],
  })
})

test('the record for a certificate replaces another one, because a name has one CNAME', () => {
  const name = '_acme-challenge.acme.localhost'
  const record = wanted('certificate', { fqdn: name, value: 'new.acme.masthead.localhost' })
  assert.deepEqual(labPlan([record], [held('CNAME', name, ['old.example'])]), {
    remove: [],
    set: [{ name, type: 'CNAME', values: ['new.acme.masthead.localhost'] }],
  })
})
