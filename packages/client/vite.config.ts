/** One file with everything it imports, for Node.js 20 and newer and for browsers. */
export default {
  build: {
    ssr: 'src/package.ts',
    outDir: 'dist',
    target: 'es2022',
    minify: false,
    reportCompressedSize: false,
    rolldownOptions: { output: { entryFileNames: 'client.js', codeSplitting: false } },
  },
  ssr: { noExternal: true },
}
