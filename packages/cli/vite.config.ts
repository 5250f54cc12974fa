/** One file with everything it imports, for Node.js 20 and newer. */
export default {
  build: {
    ssr: 'bin/bundle.ts',
    outDir: 'dist',
    target: 'node20',
    minify: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: { entryFileNames: 'masthead.js', codeSplitting: false, banner: '#!/usr/bin/env node' },
    },
  },
  ssr: { noExternal: true },
}
