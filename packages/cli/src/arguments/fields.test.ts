import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFields } from './fields.ts'

test('text stays text, and JSON has its type', () => {
  assert.deepEqual(parseFields(['name=my=site', 'n:=1', 'list:=[1,"a"]', 'no:=null', 'empty=', 'url=a:=b']), {
    name: 'my=site',
    n: 1,
    list: [1, 'a'],
    no: null,
    empty: '',
    url: 'a:=b',
  })
})

test('a field called __proto__ is only a field', () => {
  const fields = parseFields(['__proto__:={"admin":true}'])
  assert.equal((fields as { admin?: boolean }).admin, undefined)
  assert.deepEqual(Object.keys(fields), ['__proto__'])
})

test('what is no field is refused', () => {
  for (const word of ['', '=x', ':=1', 'name', 'a b=c', 'n:=1,', 'n:=']) {
    assert.throws(() => parseFields([word]), { name: 'CommandError', exit: 'usage' }, word)
  }
})
