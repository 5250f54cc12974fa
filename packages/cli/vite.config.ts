/** One file with everything it imports, for Node.js 20 and newer. `bin/packaged.js` starts it. */
export default {
  build: {
    ssr: 'src/main.ts',
    outDir: 'dist',
    target: 'node20',
    minify: true,
    reportCompressedSize: false,
    rolldownOptions: { output: { entryFileNames: 'program.js', codeSplitting: false } },
  },
  ssr: { noExternal: true },
}
