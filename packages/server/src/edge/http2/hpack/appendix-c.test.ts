import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createDecoder, fromHex, linesOf, readTable } from './hpack.test-kit.ts'
import { HpackError } from './hpack-error.ts'

interface Example {
  section: string
  block: string
  fields: string[]
  table: string[]
  size: number
}

/** RFC 7541, Appendix C: what one connection sends after another, and the table after each. */
const connections: { name: string; tableSize: number; examples: Example[] }[] = [
  {
    name: 'a literal with indexing',
    tableSize: 4096,
    examples: [
      {
        section: 'C.2.1',
        block: '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572',
        fields: ['custom-key: custom-header'],
        table: ['custom-key: custom-header'],
        size: 55,
      },
    ],
  },
  {
    name: 'a literal without indexing',
    tableSize: 4096,
    examples: [
      {
        section: 'C.2.2',
        block: '040c 2f73 616d 706c 652f 7061 7468',
        fields: [':path: /sample/path'],
        table: [],
        size: 0,
      },
    ],
  },
  {
    name: 'a literal never indexed',
    tableSize: 4096,
    examples: [
      {
        section: 'C.2.3',
        block: '1008 7061 7373 776f 7264 0673 6563 7265 74',
        fields: ['password: secret'],
        table: [],
        size: 0,
      },
    ],
  },
  {
    name: 'an indexed field',
    tableSize: 4096,
    examples: [{ section: 'C.2.4', block: '82', fields: [':method: GET'], table: [], size: 0 }],
  },
  {
    name: 'requests without Huffman coding',
    tableSize: 4096,
    examples: [
      {
        section: 'C.3.1',
        block: '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        fields: [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'],
        table: [':authority: www.example.com'],
        size: 57,
      },
      {
        section: 'C.3.2',
        block: '8286 84be 5808 6e6f 2d63 6163 6865',
        fields: [
          ':method: GET',
          ':scheme: http',
          ':path: /',
          ':authority: www.example.com',
          'cache-control: no-cache',
        ],
        table: ['cache-control: no-cache', ':authority: www.example.com'],
        size: 110,
      },
      {
        section: 'C.3.3',
        block: '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
        fields: [
          ':method: GET',
          ':scheme: https',
          ':path: /index.html',
          ':authority: www.example.com',
          'custom-key: custom-value',
        ],
        table: ['custom-key: custom-value', 'cache-control: no-cache', ':authority: www.example.com'],
        size: 164,
      },
    ],
  },
  {
    name: 'requests with Huffman coding',
    tableSize: 4096,
    examples: [
      {
        section: 'C.4.1',
        block: '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        fields: [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'],
        table: [':authority: www.example.com'],
        size: 57,
      },
      {
        section: 'C.4.2',
        block: '8286 84be 5886 a8eb 1064 9cbf',
        fields: [
          ':method: GET',
          ':scheme: http',
          ':path: /',
          ':authority: www.example.com',
          'cache-control: no-cache',
        ],
        table: ['cache-control: no-cache', ':authority: www.example.com'],
        size: 110,
      },
      {
        section: 'C.4.3',
        block: '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
        fields: [
          ':method: GET',
          ':scheme: https',
          ':path: /index.html',
          ':authority: www.example.com',
          'custom-key: custom-value',
        ],
        table: ['custom-key: custom-value', 'cache-control: no-cache', ':authority: www.example.com'],
        size: 164,
      },
    ],
  },
  {
    name: 'responses without Huffman coding',
    tableSize: 256,
    examples: [
      {
        section: 'C.5.1',
        block: `
        4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133
        2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70
        6c65 2e63 6f6d`,
        fields: [
          ':status: 302',
          'cache-control: private',
          'date: Mon, 21 Oct 2013 20:13:21 GMT',
          'location: https://www.example.com',
        ],
        table: [
          'location: https://www.example.com',
          'date: Mon, 21 Oct 2013 20:13:21 GMT',
          'cache-control: private',
          ':status: 302',
        ],
        size: 222,
      },
      {
        section: 'C.5.2',
        block: '4803 3330 37c1 c0bf',
        fields: [
          ':status: 307',
          'cache-control: private',
          'date: Mon, 21 Oct 2013 20:13:21 GMT',
          'location: https://www.example.com',
        ],
        table: [
          ':status: 307',
          'location: https://www.example.com',
          'date: Mon, 21 Oct 2013 20:13:21 GMT',
          'cache-control: private',
        ],
        size: 222,
      },
      {
        section: 'C.5.3',
        block: `
        88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d
        54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049
        5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e
        3d31`,
        fields: [
          ':status: 200',
          'cache-control: private',
          'date: Mon, 21 Oct 2013 20:13:22 GMT',
          'location: https://www.example.com',
          'content-encoding: gzip',
          'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
        ],
        table: [
          'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
          'content-encoding: gzip',
          'date: Mon, 21 Oct 2013 20:13:22 GMT',
        ],
        size: 215,
      },
    ],
  },
  {
    name: 'responses with Huffman coding',
    tableSize: 256,
    examples: [
      {
        section: 'C.6.1',
        block: `
        4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6
        2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3`,
        fields: [
          ':status: 302',
          'cache-control: private',
          'date: Mon, 21 Oct 2013 20:13:21 GMT',
          'location: https://www.example.com',
        ],
        table: [
          'location: https://www.example.com',
          'date: Mon, 21 Oct 2013 20:13:21 GMT',
          'cache-control: private',
          ':status: 302',
        ],
        size: 222,
      },
      {
        section: 'C.6.2',
        block: '4883 640e ffc1 c0bf',
        fields: [
          ':status: 307',
          'cache-control: private',
          'date: Mon, 21 Oct 2013 20:13:21 GMT',
          'location: https://www.example.com',
        ],
        table: [
          ':status: 307',
          'location: https://www.example.com',
          'date: Mon, 21 Oct 2013 20:13:21 GMT',
          'cache-control: private',
        ],
        size: 222,
      },
      {
        section: 'C.6.3',
        block: `
        88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab
        77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f
        9587 3160 65c0 03ed 4ee5 b106 3d50 07`,
        fields: [
          ':status: 200',
          'cache-control: private',
          'date: Mon, 21 Oct 2013 20:13:22 GMT',
          'location: https://www.example.com',
          'content-encoding: gzip',
          'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
        ],
        table: [
          'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
          'content-encoding: gzip',
          'date: Mon, 21 Oct 2013 20:13:22 GMT',
        ],
        size: 215,
      },
    ],
  },
]

suite('RFC 7541, Appendix C', () => {
  test('C.1: integers, as sizes of the table', () => {
    for (const [block, size] of [
      ['2a', 10],
      ['3f 9a 0a', 1337],
    ] as const) {
      assert.deepEqual(createDecoder({ tableSize: size }).decode(fromHex(block)).fields, [])
      assert.throws(() => createDecoder({ tableSize: size - 1 }).decode(fromHex(block)), HpackError)
    }
  })

  for (const { name, tableSize, examples } of connections) {
    test(`${examples[0]?.section} to ${examples.at(-1)?.section}: ${name}`, () => {
      const decoder = createDecoder({ tableSize })
      for (const { section, block, fields, table, size } of examples) {
        assert.deepEqual(linesOf(decoder.decode(fromHex(block)).fields), fields, section)
        assert.deepEqual(readTable(decoder), { size, entries: table }, section)
      }
    })
  }
})
